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
export { makeCentersOfRotation } from '../deformers/centers-of-rotation/centers-of-rotation.ts';
export {
  CENTERS_DEFAULTS,
  type CentersOptions,
  solveCentersOfRotation,
} from '../deformers/centers-of-rotation/centers-of-rotation-solve.ts';
export { makeCorrected } from '../deformers/corrections/corrected.ts';
export { type DeltaMushOptions, makeDeltaMush } from '../deformers/delta-mush/delta-mush.ts';
export { makeDdmCentered } from '../deformers/direct-delta-mush/ddm-centered.ts';
export type { DoubleDeformer, FloatArray } from '../deformers/direct-delta-mush/ddm-deformer.ts';
export {
  createBlendRuntime,
  createDdmRuntime,
  type DdmRuntime,
  type DdmRuntimeOptions,
  type PosedShapes,
} from '../deformers/direct-delta-mush/ddm-runtime.ts';
export { makeDdm } from '../deformers/direct-delta-mush/make-ddm.ts';
export { makeDualQuaternion } from '../deformers/dual-quaternion/dual-quaternion.ts';
export {
  type HelperControllers,
  makeHelperBones,
  makeHelperControllers,
} from '../deformers/helper-bones/make-helper-bones.ts';
export { type HelperFollower, makeHelperFollower } from '../deformers/helper-bones/make-helper-follower.ts';
export { type LightIntoOptions, lightInto } from '../deformers/light/light-into.ts';
export { sampleLightInto } from '../deformers/light/sample-light.ts';
export { makeLinearBlend } from '../deformers/linear-blend/make-linear-blend.ts';
export { makeDeformer } from '../deformers/playback/make-deformer.ts';
export { bakeAt } from '../deformers/playback/bake-at.ts';
export { type BakeOptions, bakeClip } from '../deformers/playback/bake-clip.ts';
export { type BakedFrames, FrameBaker, type TimedMotion } from '../deformers/playback/frame-baker.ts';
export { listPoseTimes, type PoseTimes } from '../deformers/playback/list-pose-times.ts';
export { makeAssetDeformer, modelOfAsset } from '../deformers/playback/make-asset-deformer.ts';
export { type SampledAnimation, sampleAnimation } from '../deformers/playback/sample-animation.ts';
export { makeSkeletonPoser, type SkeletonPoser } from '../deformers/posing/make-skeleton-poser.ts';
export { listMirrorBones, mirrorPose } from '../deformers/posing/mirror-pose.ts';
export { type EditedRig, PoseEditor } from '../deformers/posing/pose-editor.ts';
export { chainOf, twoBoneIk } from '../deformers/posing/two-bone-ik.ts';
export { type ArapOptions, makeAsRigidAsPossible } from '../deformers/rig-sources/as-rigid-as-possible.ts';
export {
  type CorrectedRig,
  type CorrectiveShapes,
  makeCorrectiveShapes,
} from '../deformers/rig-sources/corrective-shapes.ts';
export { type DrivenBone, type DrivenRig, makeDrivenBones } from '../deformers/rig-sources/driven-bones.ts';
export { bindToCage, cagePoseInto, makeCageDeformer } from '../deformers/rig-sources/make-cage-deformer.ts';
export { type Attachment, type Muscle, makeMuscles } from '../deformers/rig-sources/muscles.ts';
export { makePoseRotations, type PoseRotations } from '../deformers/rig-sources/pose-rotations.ts';
export {
  makePoseSpace,
  POSE_SPACE_DEFAULTS,
  type PosedRig,
  type PoseSpaceExample,
  type PoseSpaceOptions,
  restDisplacements,
} from '../deformers/rig-sources/pose-space.ts';
export { makeSwingTwist, type SwingTwistOptions } from '../deformers/rig-sources/swing-twist.ts';
export type { TwistDivision } from '../deformers/rig-sources/swing-twist-angles.ts';
export { bakeShapeMotions } from '../deformers/shape-drivers/bake-shape-motions.ts';
export { createShapeRuntime, type ShapeRuntime } from '../deformers/shape-drivers/create-shape-runtime.ts';
export { makeDrivenSource } from '../deformers/shape-drivers/make-driven-source.ts';
export { makeShapeDriven } from '../deformers/shape-drivers/make-shape-driven.ts';
export { makeShapeDriver, type ShapeDriver } from '../deformers/shape-drivers/make-shape-driver.ts';
export { makeLinearTwoLayer } from '../deformers/two-layer/linear-two-layer.ts';
export { createLinearTwoLayerRuntime } from '../deformers/two-layer/linear-two-layer-runtime.ts';
export { makeTwoLayer, virtualTransformsInto } from '../deformers/two-layer/make-two-layer.ts';
export {
  makeTwoLayerCentered,
  type TwoLayerCentered,
  type TwoLayerCenteredOptions,
} from '../deformers/two-layer/two-layer-centered.ts';
export { createTwoLayerRuntime } from '../deformers/two-layer/two-layer-runtime.ts';
