// SPDX-License-Identifier: MIT
import type { Motion } from './motion.ts';

/** How values between two keys are computed, as glTF names it. */
export type Interpolation = 'STEP' | 'LINEAR' | 'CUBICSPLINE';

/** Keys of one property of one node. */
export interface Track {
  /** Index into the node tree; for 'weights', the node that carries the morphing parts. */
  node: number;
  /** The animated property. */
  path: 'translation' | 'rotation' | 'scale' | 'weights';
  /** Interpolation between keys. */
  interpolation: Interpolation;
  /** keyCount, seconds, ascending */
  times: Float32Array;
  /** keyCount x size, or keyCount x 3 x size for CUBICSPLINE (in-tangent, value, out-tangent) */
  values: Float32Array;
}

/** A named animation as stored in the file: keys, not frames. */
export interface Animation {
  /** Name in the file. */
  name: string;
  /** Seconds, the time of the last key. */
  duration: number;
  /** One per animated property of a node. */
  tracks: Track[];
  /** Bones of the asset's rig, frame by frame, if they are given as matrices instead of keys of nodes. */
  motion?: Motion;
}
