// SPDX-License-Identifier: MIT
/**
 * Deformers on the CPU, and clips baked from animated files. makeDeformer evaluates any model and is the reference; the run-times (createDdmRuntime,
 * createTwoLayerRuntime …) do the same in single precision with WebAssembly and threads.
 *
 * @module ossify/deform
 */

export { listNormalGroups } from '../core/mesh/geometry/list-normal-groups.ts';
export { vertexNormalsInto } from '../core/mesh/geometry/vertex-normals.ts';
export { listEdges } from '../core/mesh/topology/list-edges.ts';
export {
  CENTERS_DEFAULTS,
  type CentersOptions,
  makeCentersOfRotation,
  solveCentersOfRotation,
} from '../deformers/centers-of-rotation/index.ts';
export { makeCorrected } from '../deformers/corrections/index.ts';
export { type DeltaMushOptions, makeDeltaMush } from '../deformers/delta-mush/index.ts';
export {
  createBlendRuntime,
  createDdmRuntime,
  type DdmRuntime,
  type DdmRuntimeOptions,
  type DoubleDeformer,
  type FloatArray,
  makeDdm,
  makeDdmCentered,
  type PosedShapes,
} from '../deformers/direct-delta-mush/index.ts';
export { makeDualQuaternion } from '../deformers/dual-quaternion/index.ts';
export {
  type HelperControllers,
  type HelperFollower,
  makeHelperBones,
  makeHelperControllers,
  makeHelperFollower,
} from '../deformers/helper-bones/index.ts';
export { type LightIntoOptions, lightInto, sampleLightInto } from '../deformers/light/index.ts';
export { makeLinearBlend } from '../deformers/linear-blend/index.ts';
export {
  type BakedFrames,
  type BakeOptions,
  bakeAt,
  bakeClip,
  FrameBaker,
  listPoseTimes,
  makeAssetDeformer,
  makeDeformer,
  modelOfAsset,
  type PoseTimes,
  type SampledAnimation,
  sampleAnimation,
  type TimedMotion,
} from '../deformers/playback/index.ts';
export {
  chainOf,
  type EditedRig,
  listMirrorBones,
  makeSkeletonPoser,
  mirrorPose,
  PoseEditor,
  type SkeletonPoser,
  twoBoneIk,
} from '../deformers/posing/index.ts';
export {
  type ArapOptions,
  type Attachment,
  bindToCage,
  type CorrectedRig,
  type CorrectiveShapes,
  cagePoseInto,
  type DrivenBone,
  type DrivenRig,
  type Muscle,
  makeAsRigidAsPossible,
  makeCageDeformer,
  makeCorrectiveShapes,
  makeDrivenBones,
  makeMuscles,
  makePoseRotations,
  makePoseSpace,
  makeSwingTwist,
  POSE_SPACE_DEFAULTS,
  type PosedRig,
  type PoseRotations,
  type PoseSpaceExample,
  type PoseSpaceOptions,
  restDisplacements,
  type SwingTwistOptions,
  type TwistDivision,
} from '../deformers/rig-sources/index.ts';
export {
  bakeShapeMotions,
  createShapeRuntime,
  makeDrivenSource,
  makeShapeDriven,
  makeShapeDriver,
  type ShapeDriver,
  type ShapeRuntime,
} from '../deformers/shape-drivers/index.ts';
export {
  createLinearTwoLayerRuntime,
  createTwoLayerRuntime,
  makeLinearTwoLayer,
  makeTwoLayer,
  makeTwoLayerCentered,
  type TwoLayerCentered,
  type TwoLayerCenteredOptions,
  virtualTransformsInto,
} from '../deformers/two-layer/index.ts';
