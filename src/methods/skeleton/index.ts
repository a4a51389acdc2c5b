// SPDX-License-Identifier: MIT
export { extractSkeleton, type SkeletonResult } from './extract-skeleton.ts';
export { parseHierarchy } from './given/parse-hierarchy.ts';
export { JOINT_SOLVERS, type JointSolver } from './joints/pair-joints.ts';
export type { RootChoice } from './model/choose-root.ts';
export {
  type Decomposer,
  type GivenHierarchy,
  PRUNE_RULES,
  type PruneRule,
  SKELETON_DEFAULTS,
  SKELETON_METHODS,
  type SkeletonMethod,
  type SkeletonOptions,
} from './skeleton-options.ts';
export { measureAsymmetry } from './symmetry/measure-asymmetry.ts';
