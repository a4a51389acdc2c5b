// SPDX-License-Identifier: MIT
/**
 * Deformers on the CPU, and clips baked from animated files. makeDeformer evaluates any model and is the reference; the run-times (createDdmRuntime,
 * createTwoLayerRuntime …) do the same in single precision with WebAssembly and threads.
 *
 * @module ossify/deform
 */

export { type ArapOptions, makeAsRigidAsPossible } from './deform/as-rigid-as-possible.ts';
export { bakeAt } from './deform/bake-at.ts';
export { type BakeOptions, bakeClip } from './deform/bake-clip.ts';
export { bakeShapeMotions } from './deform/bake-shape-motions.ts';
export { makeCentersOfRotation } from './deform/centers-of-rotation.ts';
export { CENTERS_DEFAULTS, type CentersOptions, solveCentersOfRotation } from './deform/centers-of-rotation-solve.ts';
export { makeCorrected } from './deform/corrected.ts';
export { type CorrectedRig, type CorrectiveShapes, makeCorrectiveShapes } from './deform/corrective-shapes.ts';
export { createShapeRuntime, type ShapeRuntime } from './deform/create-shape-runtime.ts';
export { makeDdmCentered } from './deform/ddm-centered.ts';
export type { DoubleDeformer, FloatArray } from './deform/ddm-deformer.ts';
export {
  createBlendRuntime,
  createDdmRuntime,
  type DdmRuntime,
  type DdmRuntimeOptions,
  type PosedShapes,
} from './deform/ddm-runtime.ts';
export { type DeltaMushOptions, makeDeltaMush } from './deform/delta-mush.ts';
export { type DrivenBone, type DrivenRig, makeDrivenBones } from './deform/driven-bones.ts';
export { makeDualQuaternion } from './deform/dual-quaternion.ts';
export { type BakedFrames, FrameBaker, type TimedMotion } from './deform/frame-baker.ts';
export { type LightIntoOptions, lightInto } from './deform/light-into.ts';
export { makeLinearTwoLayer } from './deform/linear-two-layer.ts';
export { createLinearTwoLayerRuntime } from './deform/linear-two-layer-runtime.ts';
export { listPoseTimes, type PoseTimes } from './deform/list-pose-times.ts';
export { makeAssetDeformer, modelOfAsset } from './deform/make-asset-deformer.ts';
export { bindToCage, cagePoseInto, makeCageDeformer } from './deform/make-cage-deformer.ts';
export { makeDdm } from './deform/make-ddm.ts';
export { makeDeformer } from './deform/make-deformer.ts';
export { makeDrivenSource } from './deform/make-driven-source.ts';
export { type HelperControllers, makeHelperBones, makeHelperControllers } from './deform/make-helper-bones.ts';
export { type HelperFollower, makeHelperFollower } from './deform/make-helper-follower.ts';
export { makeLinearBlend } from './deform/make-linear-blend.ts';
export { makeShapeDriven } from './deform/make-shape-driven.ts';
export { makeShapeDriver, type ShapeDriver } from './deform/make-shape-driver.ts';
export { makeSkeletonPoser, type SkeletonPoser } from './deform/make-skeleton-poser.ts';
export { makeTwoLayer, virtualTransformsInto } from './deform/make-two-layer.ts';
export { listMirrorBones, mirrorPose } from './deform/mirror-pose.ts';
export { type Attachment, type Muscle, makeMuscles } from './deform/muscles.ts';
export { type EditedRig, PoseEditor } from './deform/pose-editor.ts';
export { makePoseRotations, type PoseRotations } from './deform/pose-rotations.ts';
export {
  makePoseSpace,
  POSE_SPACE_DEFAULTS,
  type PosedRig,
  type PoseSpaceExample,
  type PoseSpaceOptions,
  restDisplacements,
} from './deform/pose-space.ts';
export { type SampledAnimation, sampleAnimation } from './deform/sample-animation.ts';
export { sampleLightInto } from './deform/sample-light.ts';
export { makeSwingTwist, type SwingTwistOptions } from './deform/swing-twist.ts';
export type { TwistDivision } from './deform/swing-twist-angles.ts';
export { chainOf, twoBoneIk } from './deform/two-bone-ik.ts';
export {
  makeTwoLayerCentered,
  type TwoLayerCentered,
  type TwoLayerCenteredOptions,
} from './deform/two-layer-centered.ts';
export { createTwoLayerRuntime } from './deform/two-layer-runtime.ts';
export { listEdges } from './mesh/list-edges.ts';
export { listNormalGroups } from './mesh/list-normal-groups.ts';
export { vertexNormalsInto } from './mesh/vertex-normals.ts';
