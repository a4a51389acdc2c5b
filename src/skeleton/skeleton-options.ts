// SPDX-License-Identifier: MIT
import type { SolveMonitorOptions } from '../fit/solve-monitor.ts';
import type { Clip } from '../model/clip.ts';
import type { Skin } from '../model/skin.ts';
import type { RootChoice } from './choose-root.ts';
import type { JointSolver } from './pair-joints.ts';

export const SKELETON_METHODS = ['multipass', 'schaefer', 'deaguiar', 'hasler'] as const;
export type SkeletonMethod = (typeof SKELETON_METHODS)[number];

export const PRUNE_RULES = ['cost', 'weights'] as const;
export type PruneRule = (typeof PRUNE_RULES)[number];

export interface SkeletonOptions extends SolveMonitorOptions {
  /** Which method; multipass is the accurate one, the others pass once and are there for comparison and speed. */
  method?: SkeletonMethod;
  /** Bones in all; 0: found by pruning. */
  bones?: number;
  /** Most weights per vertex. */
  influences?: number;
  /** How bones are removed where no number is given: by the exact cost of losing them, or when their weights have faded (the paper's rule). */
  prune?: PruneRule;
  /** Decompositions to start from, with other seeds; the skeleton with the lowest error is kept. */
  starts?: number;
  /** Bones to start from where no number is given. */
  overestimate?: number;
  /** ω, how much smoothness of weights counts in the first passes, against the mean squared error in units of the enclosing ball. */
  smoothness?: number;
  /** Passes with soft joints, before joints are made strict. */
  passes?: number;
  /** Most alternations in strict form. */
  iterations?: number;
  /** Alternations end when two in a row lower the error by less than this ratio. */
  tolerance?: number;
  /** How the joint of two bones is found: pulled softly to where they blend, or by the pseudo-inverse; auto: as the method's paper does. */
  jointSolver?: JointSolver | 'auto';
  /** Joints nearer to where their bones blend, for a larger error. */
  tidy?: boolean;
  /** Joints wherever the error is lowest, inside the body or not. */
  anywhere?: boolean;
  /** Bones and joints that are given. */
  hierarchy?: GivenHierarchy;
  /** The bone that all hang on: its name without this choice, or the one nearest to a point in file units. Default: of the joint nearest to the centroid. */
  root?: RootChoice;
  /** Adds a joint without weights at the end of every chain. */
  endJoints?: boolean;
  seed?: number;
}

/** A topology that is imposed. Parents come before their children. */
export interface GivenHierarchy {
  names: string[];
  /** boneCount; -1 for a root */
  parents: Int32Array;
  /** boneCount x 3, file units, in the rest pose */
  positions: Float64Array;
}

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
  endJoints: false,
  tidy: false,
  anywhere: false,
  seed: 0,
  time: 0,
};

/** What a decomposition gives to a skeleton: how its bones move. */
export interface Decomposed {
  boneCount: number;
  /** frameCount x boneCount x 16, column-major, file space */
  matrices: Float64Array;
}

/** Decomposes a clip into rigid bones, the n-th time with another seed; recipes join it to a method, since methods do not know one another. */
export type Decomposer = (clip: Clip, bones: number, n: number) => Promise<Decomposed>;

/** A solved body, file space. */
export interface SolvedBody {
  boneCount: number;
  /** boneCount; -1 for the root */
  parents: Int32Array;
  /** boneCount x 3: where each bone turns against its parent; for the root, the middle of what it moves */
  joints: Float64Array;
  /** frameCount x boneCount x 16 */
  matrices: Float64Array;
  skin: Skin;
  /** Sum of squared errors over welded points and frames, file units, and how many of those there are. */
  error: number;
  samples: number;
  /** Bones before pruning. */
  boneCountBefore: number;
  passes: number;
  iterations: number;
  outsideBefore: number;
  outside: number;
  status: 'converged' | 'max-iterations' | 'stopped';
  /** The body only moves as a whole, or not at all. */
  isRigid: boolean;
  isStill: boolean;
}
