// SPDX-License-Identifier: MIT
export { assignLabels } from './assign-labels.ts';
export { keepBonesInto } from './keep-bones.ts';
export { makeFitSkin } from './make-fit-skin.ts';
export { makeSkinnedModel } from './make-skinned-model.ts';
export {
  type ClipSpace,
  denormalizeBones,
  type NormalizedClip,
  normalizeBones,
  normalizeClip,
  selectTrajectories,
} from './normalize-clip.ts';
export { boneAxesInto, principalAxesInto } from './principal-axes.ts';
export { projectRotations } from './project-rotations.ts';
export { reduceTrajectories } from './reduce-trajectories.ts';
export { listByCost, type Patches, relocateBones } from './relocate-bones.ts';
export { type FitState, SkinFit, type SkinFitOptions, SUPPORT_RULES, type SupportRule } from './skin-fit.ts';
export { SmoothWeightSolver } from './smooth-weight-solver.ts';
