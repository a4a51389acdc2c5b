// SPDX-License-Identifier: MIT
// The main door: models, files, metrics and the verbs that join them.

export { CORRECT_DEFAULTS, type CorrectOptions, type CorrectResult, correctModel } from './correct/correct-model.ts';
export { compressDdm } from './ddm/compress-ddm.ts';
export type { CompressOptions } from './ddm/compress-options.ts';
export { DDM_DEFAULTS, type DdmBlendOptions, type DdmOptions } from './ddm/ddm-options.ts';
export { type CompressResult, type DdmCompressor, makeDdmCompressor } from './ddm/make-ddm-compressor.ts';
export { type DdmPrecompute, makeDdmPrecompute } from './ddm/make-ddm-precompute.ts';
export { precomputeDdm } from './ddm/precompute-ddm.ts';
export { skinOfMultiWeights } from './ddm/skin-of-multi-weights.ts';
export { rangesFromMotions } from './fit/ranges-from-motions.ts';
export { defaultRanges, type JointRange } from './fit/ranges-of-motion.ts';
export type { ProgressInfo } from './fit/solve-monitor.ts';
export { readMorphDrivers, writeMorphDrivers } from './io/morph-drivers.ts';
export { type InputFile, readAsset } from './io/read-asset.ts';
export {
  type GlbContent,
  type SkinContent,
  type WeightsContent,
  type WriteGlbOptions,
  writeGlb,
} from './io/write-glb.ts';
export { writeMdd } from './io/write-mdd.ts';
export { writeObj } from './io/write-obj.ts';
export { writePc2 } from './io/write-pc2.ts';
export type { Compute, ComputeOptions } from './kernels/compute.ts';
export { makeCompute } from './kernels/make-compute.ts';
export { measureBetween } from './metric/measure-between.ts';
export { type ErrorReport, measureError } from './metric/measure-error.ts';
export type { Animation, Track } from './model/animation.ts';
export type { Asset, AssetRig, SkinnedModel } from './model/asset.ts';
export { type Clip, checkClip, frameCountOf, frameOf, makeTimes } from './model/clip.ts';
export type {
  CentersOfRotationSkin,
  CorrectedSkin,
  DeformedModel,
  DualQuaternionSkin,
  LinearBlendSkin,
} from './model/deformed-model.ts';
export type { Deformer, Pose } from './model/deformer.ts';
export type { DdmSettings, DdmVariant, DirectDeltaMush, MultiWeights } from './model/direct-delta-mush.ts';
export { FormatError, InputError, SubjectError, UsageError } from './model/errors.ts';
export type { HelperBones, HelperController } from './model/helper-bones.ts';
export { type MakeAssetOptions, makeAsset } from './model/make-asset.ts';
export { checkMesh, type Mesh, type MeshPart, makeMesh } from './model/mesh.ts';
export { type Motion, poseOf } from './model/motion.ts';
export { checkSkeleton, makeLooseSkeleton, type Skeleton } from './model/skeleton.ts';
export { checkSkin, makeSkin, maxInfluencesOf, type Skin } from './model/skin.ts';
export {
  type CorrectionTrack,
  type NormalCorrection,
  type NormalRule,
  type SkinCorrection,
  truncateSkinCorrection,
} from './model/skin-correction.ts';
export { type LinearTwoLayer, type TwoLayer, virtualBoneCountOf } from './model/two-layer.ts';
export { type CompareResult, compare } from './recipe/compare.ts';
export {
  type AssetCompressor,
  COMPRESS_DEFAULTS,
  type CompressAssetOptions,
  type CompressAssetResult,
  compress,
  makeAssetCompressor,
} from './recipe/compress.ts';
export {
  type ClipOfRig,
  CONVERT_DEFAULTS,
  type ConvertOptions,
  type ConvertResult,
  convert,
} from './recipe/convert.ts';
export { addHelperMotion, bakeHelperMotions } from './recipe/convert-bake.ts';
export { writeBlenderDrivers } from './recipe/convert-blender.ts';
export { type ControllersFile, listControllers } from './recipe/convert-controllers.ts';
export { DECOMPOSE_DEFAULTS, type DecomposeOptions, type DecomposeResult, decompose } from './recipe/decompose.ts';
export { DECOMPOSE_METHODS, type DecomposeMethodName, pickMethodOptions } from './recipe/decompose-methods.ts';
export { type AssetFacts, inspect } from './recipe/inspect.ts';
export { MUSH_DEFAULTS, type MushOptions, type MushResult, mush } from './recipe/mush.ts';
export {
  REDUCE_DEFAULTS,
  REDUCE_METHODS,
  type ReduceMethod,
  type ReduceOptions,
  type ReduceResult,
  reduce,
} from './recipe/reduce.ts';
export { type ReduceByErrorResult, reduceByError } from './recipe/reduce-by-error.ts';
export { type ReduceCageResult, reduceCage } from './recipe/reduce-cage.ts';
export { makeReport, type Report, reportInputOf, reportMetricsOf } from './recipe/report.ts';
export { EXTRACT_DEFAULTS, type ExtractOptions, type ExtractResult, skeleton } from './recipe/skeleton.ts';
