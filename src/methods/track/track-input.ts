// SPDX-License-Identifier: MIT
// What tracking gets and returns besides its options.

import type { SearchDevice } from '../../core/model/clip/triangle-search.ts';
import type { ScanFrame } from './register/scan-frame.ts';

/** Frames without correspondence. */
export interface TrackInput {
  frames: readonly ScanFrame[];
  /** A template that is no frame. */
  template?: ScanFrame;
  /** Names of the frames in errors. Default: their index. */
  names?: readonly string[];
  /** Name of a template that is no frame, in errors. Default: the template. */
  templateName?: string;
  /** Random seed of the points that are matched. */
  seed: number;
  /** Where nearest points are searched, such as on a GPU (createGpuSearch). Default: on the threads of the compute. */
  searchDevice?: SearchDevice;
}

/** A registered sequence. */
export interface TrackResult {
  /** Index of the frame that is the template; undefined if another mesh was given. */
  template?: number;
  /** The template, whose vertices and triangles all frames have. */
  mesh: ScanFrame;
  /** frameCount x vertexCount x 3, file units */
  positions: Float32Array;
  /** frameCount, 0 to 1: part of the area of frame and result that is within 0.5 % of the box diagonal of the other */
  coverage: number[];
}
