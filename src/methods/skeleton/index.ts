// SPDX-License-Identifier: MIT
export { parseHierarchy } from './given/parse-hierarchy.ts';
export {
  JOINT_SOLVERS,
  type JointSolver,
  listUnreadOptions,
  PRUNE_RULES,
  type PruneRule,
  type RootChoice,
  SKELETON_METHODS,
  SKELETON_MODEL_OPTIONS,
  SKELETON_OPTIONS,
  SKELETON_PLACE_OPTIONS,
  SKELETON_ROOT_OPTIONS,
  SKELETON_SOLVER_OPTIONS,
  type SkeletonMethod,
  type SkeletonValues,
  type SkeletonWay,
} from './options.ts';
export type { Decomposer, GivenHierarchy, SkeletonInput } from './skeleton-input.ts';
export { skeletonMethod } from './skeleton-method.ts';
export type { SkeletonResult } from './skeleton-result.ts';
export { measureAsymmetry } from './symmetry/measure-asymmetry.ts';
