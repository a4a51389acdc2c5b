// SPDX-License-Identifier: MIT
/**
 * Models, files, metrics and jobs: read a file, decompose or convert it, measure the error, write the result.
 *
 * @module ossify
 */

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
export {
  type GlbContent,
  type SkinContent,
  type WeightsContent,
  type WriteGlbOptions,
  writeGlb,
} from './gltf/write-glb.ts';
export { readMorphDrivers, writeMorphDrivers } from './io/morph-driver-file.ts';
export { type InputFile, readAsset } from './io/read-asset.ts';
export { type FbxContent, WRITE_FBX_DEFAULTS, type WriteFbxOptions, writeFbx } from './io/write-fbx.ts';
export { writeMdd } from './io/write-mdd.ts';
export { writeObj } from './io/write-obj.ts';
export { writePc2 } from './io/write-pc2.ts';
export type { Compute, ComputeOptions } from './kernels/compute.ts';
export { makeCompute } from './kernels/make-compute.ts';
export { type BetweenReport, measureBetween } from './metric/measure-between.ts';
export { type ErrorReport, type MeasureOptions, measureError } from './metric/measure-error.ts';
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
export type { ClipPair } from './recipe/clip-pair.ts';
export { type ComparedClip, type CompareOptions, type CompareResult, compare } from './recipe/compare.ts';
export {
  type AssetCompressor,
  COMPRESS_DEFAULTS,
  type CompressAssetOptions,
  type CompressAssetResult,
  type CompressStep,
  compress,
  makeAssetCompressor,
} from './recipe/compress.ts';
export {
  CONVERT_DEFAULTS,
  type ConvertOptions,
  type ConvertResult,
  type ConvertSource,
  convert,
} from './recipe/convert.ts';
export { addHelperMotion, bakeHelperMotions } from './recipe/convert-bake.ts';
export { writeBlenderDrivers } from './recipe/convert-blender.ts';
export {
  type ControllerInput,
  type ControllersFile,
  listControllers,
  type NamedController,
} from './recipe/convert-controllers.ts';
export { DECOMPOSE_DEFAULTS, type DecomposeOptions, type DecomposeResult, decompose } from './recipe/decompose.ts';
export {
  DECOMPOSE_METHODS,
  type DecomposeMethod,
  type DecomposeMethodName,
  type DecomposeMethodOptions,
  pickMethodOptions,
} from './recipe/decompose-methods.ts';
export { EXTRACT_DEFAULTS, type ExtractOptions, type ExtractResult, skeleton } from './recipe/extract.ts';
export {
  type AnimationFacts,
  type AssetFacts,
  type ClipFacts,
  type CorrectionFacts,
  type DdmFacts,
  inspect,
  type MeshFacts,
  type MotionKind,
  type RigFacts,
  type SizeFacts,
  type TwoLayerFacts,
} from './recipe/inspect.ts';
export type {
  Gate,
  Job,
  JobFacts,
  JobHooks,
  JobIo,
  JobOutcome,
  JobProgress,
  JobSpec,
  OpenedInput,
  OutputFile,
  ReadValues,
  ReportTable,
} from './recipe/job.ts';
export type { JobContext } from './recipe/job-context.ts';
export { findJob, JOBS } from './recipe/jobs.ts';
export { makePlainContent, type PlainContentOptions } from './recipe/make-plain-content.ts';
export { MUSH_DEFAULTS, type MushOptions, type MushResult, mush } from './recipe/mush.ts';
export type { Json, Option, OptionForm, OptionSchema, OptionsOf, OptionType, Values } from './recipe/option.ts';
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
export {
  makeReport,
  type Report,
  type ReportFacts,
  type ReportInput,
  type ReportMetrics,
  type ReportResult,
  reportInputOf,
  reportMetricsOf,
} from './recipe/report.ts';
export { runJob } from './recipe/run-job.ts';
export type { FrameRange } from './recipe/select-frames.ts';
