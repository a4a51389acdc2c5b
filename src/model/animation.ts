// SPDX-License-Identifier: MIT
import type { Motion } from './motion.ts';

export type Interpolation = 'STEP' | 'LINEAR' | 'CUBICSPLINE';

/** Keys of one property of one node. */
export interface Track {
  /** Index into the node tree; for 'weights', the node that carries the morphing parts. */
  node: number;
  path: 'translation' | 'rotation' | 'scale' | 'weights';
  interpolation: Interpolation;
  /** keyCount, seconds, rising */
  times: Float32Array;
  /** keyCount x size, or keyCount x 3 x size for CUBICSPLINE (in-tangent, value, out-tangent) */
  values: Float32Array;
}

/** A named animation as the file says it: keys, not frames. */
export interface Animation {
  name: string;
  /** Seconds, the time of the last key. */
  duration: number;
  tracks: Track[];
  /** Bones of the asset's rig frame by frame, where they are known as matrices instead of keys of nodes. */
  motion?: Motion;
}
