// SPDX-License-Identifier: MIT
// What skeleton extraction gets besides its options.

import type { Clip } from '../../core/model/clip/clip.ts';

/** A given topology. Parents come before their children. */
export interface GivenHierarchy {
  /** boneCount names */
  names: string[];
  /** boneCount; -1 for a root */
  parents: Int32Array;
  /** boneCount x 3, file units, in the rest pose */
  positions: Float64Array;
}

/** The motion of the bones of a decomposition. */
export interface Decomposed {
  boneCount: number;
  /** frameCount x boneCount x 16, column-major, file space */
  matrices: Float64Array;
}

/** Decomposes a clip into rigid bones; n selects the seed, and effort is how much of the search is done. Default: 1, all of it. Jobs provide it, since methods do not import one another. */
export type Decomposer = (clip: Clip, bones: number, n: number, effort?: number) => Promise<Decomposed>;

/** A clip, and what is known about it. */
export interface SkeletonInput {
  clip: Clip;
  decomposer: Decomposer;
  /** Given bones and joints, instead of a topology found from the motion. */
  hierarchy?: GivenHierarchy;
  /** Standard deviation of the noise per coordinate, file units; 0: none. */
  noise: number;
  /** With noise: whether the rest shape was built from the frames, so that its pose may be changed to a symmetric one. */
  isRestBuilt?: boolean;
  /** Random seed. */
  seed: number;
}
