// SPDX-License-Identifier: MIT
export {
  type ArapOptions,
  fitRotations,
  listLaplacianEdges,
  makeAsRigidAsPossible,
  type WeightedEdge,
} from './as-rigid-as-possible.ts';
export { type CorrectedRig, type CorrectiveShapes, makeCorrectiveShapes } from './corrective-shapes.ts';
export { type DrivenBone, type DrivenRig, makeDrivenBones } from './driven-bones.ts';
export { bindToCage, cagePoseInto, makeCageDeformer } from './make-cage-deformer.ts';
export { makeMorphBlend } from './morph-blend.ts';
export { type Attachment, type Muscle, makeMuscles } from './muscles.ts';
export { makePoseRotations, type PoseRotations } from './pose-rotations.ts';
export {
  makePoseSpace,
  POSE_SPACE_DEFAULTS,
  type PosedRig,
  type PoseSpaceExample,
  type PoseSpaceOptions,
  restDisplacements,
} from './pose-space.ts';
export { makeSwingTwist, type SwingTwistOptions, sumSubtrees } from './swing-twist.ts';
export { acrossOf, type TwistDivision } from './swing-twist-angles.ts';
