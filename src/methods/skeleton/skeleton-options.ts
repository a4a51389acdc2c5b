// SPDX-License-Identifier: MIT

import type { Clip } from '../../core/model/clip/clip.ts';
import type { Skin } from '../../core/model/skin/skin.ts';
import type { SolveMonitorOptions } from '../../core/progress/solve-monitor.ts';
import type { JointSolver } from './joints/pair-joints.ts';
import type { RootChoice } from './model/choose-root.ts';

/** Methods of skeleton extraction. */
export const SKELETON_METHODS = ['multipass', 'schaefer', 'deaguiar', 'hasler'] as const;
/** A method of skeleton extraction. */
export type SkeletonMethod = (typeof SKELETON_METHODS)[number];

/** Rules for removing bones. */
export const PRUNE_RULES = ['cost', 'weights'] as const;
/** A rule for removing bones. */
export type PruneRule = (typeof PRUNE_RULES)[number];

/** Options of extractSkeleton. */
export interface SkeletonOptions extends SolveMonitorOptions {
  /** The method; multipass is the accurate one, the others solve once and are for comparison and speed. */
  method?: SkeletonMethod;
  /** Number of bones; 0: found from the motion. */
  bones?: number;
  /** Maximum number of weights per vertex. */
  influences?: number;
  /** Without a number of bones: remove bones by exact removal cost, or when their weights have faded (the paper's rule). */
  prune?: PruneRule;
  /** Number of initial decompositions, with different seeds; the skeleton with the lowest error is kept. */
  starts?: number;
  /** Without a number of bones: the number to start from. */
  overestimate?: number;
  /** ω: regularization of weights in the first passes, relative to the mean squared error in units of the enclosing ball. */
  smoothness?: number;
  /** Number of passes with soft joints, before joints are made exact. */
  passes?: number;
  /** Maximum number of iterations with exact joints. */
  iterations?: number;
  /** Stop when two consecutive iterations lower the error by less than this ratio. */
  tolerance?: number;
  /** Initial position of a joint: regularized towards the blend of its bones ('soft'), or by the pseudo-inverse; 'auto': as in the paper of the method. */
  jointSolver?: JointSolver | 'auto';
  /** Keeps joints nearer to the blend of their bones, at a larger error. */
  tidy?: boolean;
  /** Allows joints outside the body where the error is lowest. */
  anywhere?: boolean;
  /** Methods that solve once: hang bones on their joints with the rotations of their own fits, as published, instead of solving poses and weights with these joints. */
  asPublished?: boolean;
  /** Given bones and joints, instead of a topology found from the motion. */
  hierarchy?: GivenHierarchy;
  /** The root: the name that a bone has without this option, or the bone nearest to a point in file units. Default: the bone of the trunk that rotates least (find-root.ts). */
  root?: RootChoice;
  /** Standard deviation of the noise per coordinate, file units; 0: none. */
  noise?: number;
  /** With noise: whether the rest shape was built from the frames, so that its pose may be changed to a symmetric one. */
  isRestBuilt?: boolean;
  /** Adds a joint without weights at the end of every chain. */
  endJoints?: boolean;
  /** Random seed. */
  seed?: number;
}

/** A given topology. Parents come before their children. */
export interface GivenHierarchy {
  /** boneCount names */
  names: string[];
  /** boneCount; -1 for a root */
  parents: Int32Array;
  /** boneCount x 3, file units, in the rest pose */
  positions: Float64Array;
}

/** Defaults of SkeletonOptions. */
export const SKELETON_DEFAULTS: Required<Omit<SkeletonOptions, 'onProgress' | 'signal' | 'hierarchy' | 'root'>> = {
  method: 'multipass',
  bones: 0,
  influences: 4,
  prune: 'cost',
  starts: 1,
  overestimate: 48,
  smoothness: 1e-4,
  passes: 10,
  iterations: 150,
  tolerance: 1e-3,
  jointSolver: 'auto',
  noise: 0,
  isRestBuilt: false,
  endJoints: false,
  tidy: false,
  anywhere: false,
  asPublished: false,
  seed: 0,
  time: 0,
};

/** The motion of the bones of a decomposition. */
export interface Decomposed {
  boneCount: number;
  /** frameCount x boneCount x 16, column-major, file space */
  matrices: Float64Array;
}

/** Decomposes a clip into rigid bones; n selects the seed, and effort is how much of the search is done. Default: 1, all of it. Jobs provide it, since methods do not import one another. */
export type Decomposer = (clip: Clip, bones: number, n: number, effort?: number) => Promise<Decomposed>;

/** A solved body, file space. */
export interface SolvedBody {
  boneCount: number;
  /** boneCount; -1 for the root */
  parents: Int32Array;
  /** boneCount x 3: the joint of each bone with its parent; for the root, the mean of its joints, or the center of its vertices if it has fewer than two */
  joints: Float64Array;
  /** frameCount x boneCount x 16 */
  matrices: Float64Array;
  skin: Skin;
  /** vertexCount x 3: the corrected rest shape of a clip with noise. */
  rest?: Float32Array;
  /** Sum of squared errors over welded points and frames, file units, and the number of these terms. */
  error: number;
  samples: number;
  /** Number of bones before pruning. */
  boneCountBefore: number;
  passes: number;
  iterations: number;
  outsideBefore: number;
  outside: number;
  status: 'converged' | 'max-iterations' | 'stopped';
  /** Whether the body moves rigidly, and whether it does not move. */
  isRigid: boolean;
  isStill: boolean;
}
