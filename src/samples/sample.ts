// SPDX-License-Identifier: MIT
import type { Clip } from '../core/model/clip/clip.ts';
import type { Motion } from '../core/model/clip/motion.ts';
import type { MorphDriver } from '../core/model/deformed/morph-drivers.ts';
import type { Morphs } from '../core/model/deformed/morphs.ts';
import type { Skeleton } from '../core/model/skin/skeleton.ts';
import type { Skin } from '../core/model/skin/skin.ts';

/** Options of makeSample. */
export interface SampleOptions {
  /** Approximate number of vertices, within about ten percent. Rigs have a fixed number. */
  resolution?: number;
  /** Number of frames. */
  frames?: number;
  /** Random seed of samples that use one (creature); others ignore it. */
  seed?: number;
}

/** Defaults of SampleOptions. */
export const SAMPLE_DEFAULTS: Required<SampleOptions> = { resolution: 6000, frames: 60, seed: 0 };

/** Frames per second of every sample. */
export const SAMPLE_FPS = 30;

/** Morph targets driven by joints. */
export interface SampleMorphs {
  /** The morph targets. */
  morphs: Morphs;
  /** The drivers of the morph targets. */
  drivers: MorphDriver[];
  /** frameCount x targetCount */
  weights: Float32Array;
}

/** A mesh animation, and its ground truth if there is one. Metres, y up, facing +z. */
export interface SampleBody {
  /** The animation. */
  clip: Clip;
  /** The bones from which the clip was made, if any. */
  skeleton?: Skeleton;
  /** The weights from which the clip was made, if any. */
  skin?: Skin;
  /** One pose per frame of the clip. */
  motion?: Motion;
  /** Morph targets below the skin, if the sample has some. */
  morphs?: SampleMorphs;
  /** Whether linear blend skinning with the ground truth gives the clip, bit for bit; false if soft tissue was added. */
  isExact: boolean;
}

/** A generated example. */
export interface Sample extends SampleBody {
  /** Name of the sample. */
  name: string;
  /** Description in one line. */
  description: string;
}

/** The phase of frame k of a loop, in radians: the frame after the last equals the first. */
export function phaseOf(k: number, frames: number): number {
  return (2 * Math.PI * k) / frames;
}
