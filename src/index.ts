// SPDX-License-Identifier: MIT
/**
 * Models, files, metrics and jobs: read a file, decompose or convert it, measure the error, write the result. In the examples, `asset` is the result of
 * readAsset, and `clip` is one of its clips or the result of bakeClip.
 *
 * @module ossify
 */

export { CORRECT_DEFAULTS, type CorrectOptions, type CorrectResult, correctModel } from './correct/correct-model.ts';
export { compressDdm } from './ddm/compress-ddm.ts';
export type { CompressMaps, CompressOptions } from './ddm/compress-options.ts';
export { DDM_DEFAULTS, type DdmBlendOptions, type DdmOptions, type VertexMap } from './ddm/ddm-options.ts';
export { DROP_DEFAULTS, type DropOptions } from './ddm/drop-multi-weights.ts';
export { holdRigid } from './ddm/hold-rigid.ts';
export {
  type CompressCount,
  type CompressResult,
  type DdmCompressor,
  makeDdmCompressor,
} from './ddm/make-ddm-compressor.ts';
export { type DdmPrecompute, makeDdmPrecompute } from './ddm/make-ddm-precompute.ts';
export { precomputeDdm } from './ddm/precompute-ddm.ts';
export { skinOfMultiWeights } from './ddm/skin-of-multi-weights.ts';
export type { SmoothedRows } from './ddm/smooth-binding.ts';
export type { AutoOptions } from './decompose/auto.ts';
export {
  DECOMPOSE_METHODS,
  type DecomposeMethod,
  type DecomposeMethodName,
  type DecomposeMethodOptions,
} from './decompose/decompose-methods.ts';
export type { Decomposition } from './decompose/decomposition.ts';
export type { GivenParts } from './decompose/fit-given.ts';
export type { FsdOptions } from './decompose/fsd.ts';
export type { LsspOptions } from './decompose/lssp.ts';
export {
  type BoneGrowth,
  type BoneGrowthOptions,
  type GrownBones,
  type GrowthStart,
  makeBoneGrowth,
} from './decompose/make-bone-growth.ts';
export type { SmaOptions } from './decompose/sma.ts';
export type { SsdrOptions } from './decompose/ssdr.ts';
export { addHelperMotion, bakeHelperMotions } from './deform/bake-helper-motions.ts';
export type { BakeSide, ClipPair } from './deform/clip-pair.ts';
export { editRest } from './deform/edit-rest.ts';
export type { SmoothMethod } from './deform/smoother.ts';
export type { DrivenError } from './drive/measure-driven.ts';
export { EXAMPLE_KINDS, type ExampleKind, type FaceShapes } from './drive/shape-examples.ts';
export {
  type ControllerInput,
  type ControllersFile,
  listControllers,
  type NamedController,
} from './extension/list-controllers.ts';
export { listShapeDrivers, type ShapeDriversFile } from './extension/list-shape-drivers.ts';
export type { HelperTerm } from './extension/pack-helper-bones.ts';
export { writeBlenderDrivers } from './extension/write-blender-drivers.ts';
export { writeBlenderShapes } from './extension/write-blender-shapes.ts';
export type { ErrorGoal } from './fit/error-goal.ts';
export { rangesFromMotions } from './fit/ranges-from-motions.ts';
export {
  defaultRanges,
  type JointRange,
  type JointRangeWords,
  type Range,
  type RangeWords,
} from './fit/ranges-of-motion.ts';
export type { DistanceNorm } from './fit/refine-norm.ts';
export type { ProgressInfo, SolveMonitorOptions } from './fit/solve-monitor.ts';
export { expandGlb } from './gltf/expand-glb.ts';
export { listSurfaces } from './gltf/list-surfaces.ts';
export {
  type GlbContent,
  type SkinContent,
  type WeightsContent,
  type WriteGlbOptions,
  writeGlb,
} from './gltf/write-glb.ts';
export { readMorphDrivers, writeMorphDrivers } from './io/morph-driver-file.ts';
export { type InputFile, type ReadAssetOptions, readAsset } from './io/read-asset.ts';
export { readMeshSequence } from './io/read-mesh-sequence.ts';
export { type WriteAbcOptions, writeAbc } from './io/write-abc.ts';
export { type FbxContent, WRITE_FBX_DEFAULTS, type WriteFbxOptions, writeFbx } from './io/write-fbx.ts';
export { writeMdd } from './io/write-mdd.ts';
export { type WriteObjOptions, writeObj } from './io/write-obj.ts';
export { type WritePc2Options, writePc2 } from './io/write-pc2.ts';
export { type WriteUsdOptions, writeUsda } from './io/write-usda.ts';
export { writeUsdz } from './io/write-usdz.ts';
export type { TransformKind } from './kernels/bone-sweep.ts';
export type { Compute, ComputeOptions, KernelCall, Resident, ResidentArray } from './kernels/compute.ts';
export { makeCompute } from './kernels/make-compute.ts';
export { LIGHT_DEFAULTS, type LightOptions, type LightResult } from './light/light-motions.ts';
export type { SunDirection } from './light/make-sky.ts';
export type { TracedLight } from './light/trace-light.ts';
export { type Bounds, measureBounds, measureHeight } from './mesh/bounds.ts';
export type { Weld } from './mesh/weld.ts';
export { type LengthUnit, lengthUnit } from './metric/length-unit.ts';
export { type BetweenOptions, type BetweenReport, measureBetween } from './metric/measure-between.ts';
export { type ErrorReport, type MeasureOptions, measureError } from './metric/measure-error.ts';
export { LOCAL_MEASURE_HOST, type MeasureHost, type MeasureRun } from './metric/measure-host.ts';
export {
  type JointDistance,
  type JointReport,
  measureJoints,
  type SharedAnimation,
} from './metric/measure-joints.ts';
export type { AnimatedProperty } from './model/animated-property.ts';
export type { Animation, Interpolation, Track } from './model/animation.ts';
export type { Asset, AssetRig, GltfSource, SkinnedModel, UpAxis } from './model/asset.ts';
export { type Clip, checkClip, frameCountOf, frameOf, frameRateOf, makeTimes } from './model/clip.ts';
export { cutLevel } from './model/cut-level.ts';
export type {
  CentersOfRotationSkin,
  CorrectedSkin,
  DeformedModel,
  DualQuaternionSkin,
  LinearBlendSkin,
} from './model/deformed-model.ts';
export type { Deformer, Pose } from './model/deformer.ts';
export type { DdmSettings, DdmVariant, DirectDeltaMush, MultiWeights } from './model/direct-delta-mush.ts';
export type { Elimination } from './model/elimination.ts';
export {
  FORMAT_ERROR_CODES,
  FormatError,
  type FormatErrorCode,
  InputError,
  SubjectError,
  UsageError,
} from './model/errors.ts';
export type { ConvertedRig, HelperBones, HelperController, HelperFollow, HelperMotion } from './model/helper-bones.ts';
export type { JointLimits } from './model/joint-limits.ts';
export { type MakeAssetOptions, makeAsset } from './model/make-asset.ts';
export { checkMesh, type Mesh, type MeshAttribute, type MeshPart, makeMesh } from './model/mesh.ts';
export type { MeshFrame, MeshSequence } from './model/mesh-frame.ts';
export type { LevelsContent, MeshLevel } from './model/mesh-level.ts';
export type { MorphDriver, MorphDriverPose } from './model/morph-drivers.ts';
export type { Morphs, MorphTarget, SkinnedMorphs } from './model/morphs.ts';
export { type Motion, poseOf } from './model/motion.ts';
export type { NodeTree } from './model/node-tree.ts';
export type { PointSource } from './model/point-source.ts';
export type { RigSource } from './model/rig-source.ts';
export type { FrameRange } from './model/select-frames.ts';
export {
  DRIVER_FORMS,
  type DrivenShapes,
  type DriverForm,
  type ShapeDrivenSkin,
  type ShapeDrivers,
  type ShapeTrack,
} from './model/shape-drivers.ts';
export { checkSkeleton, makeLooseSkeleton, type Skeleton } from './model/skeleton.ts';
export { checkSkin, makeSkin, maxInfluencesOf, type Skin } from './model/skin.ts';
export { BLEND_KINDS, type BlendKind, type SkinBlend } from './model/skin-blend.ts';
export {
  type CorrectionTrack,
  type NormalCorrection,
  type NormalRule,
  type SkinCorrection,
  truncateSkinCorrection,
} from './model/skin-correction.ts';
export { LIGHT_KINDS, type LightKind, type LightTrack, type SkinLight } from './model/skin-light.ts';
export type { SurfaceImage, SurfaceLook, SurfaceMap, SurfaceMaterial, SurfaceWrap } from './model/surface-look.ts';
export type { SearchDevice, SearchLimits, TriangleSearcher, TriangleTree } from './model/triangle-search.ts';
export { type LinearTwoLayer, type TwoLayer, virtualBoneCountOf } from './model/two-layer.ts';
export {
  type ChooseDeformerOptions,
  chooseDeformer,
  DEFORMER_NAMES,
  DEFORMER_WEIGHTS,
  type DeformerName,
  type DeformerWeights,
} from './recipe/choose-deformer.ts';
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
export {
  CONVERT_SHAPES_DEFAULTS,
  type ConvertShapesOptions,
  type ConvertShapesResult,
  convertShapes,
} from './recipe/convert-shapes.ts';
export { DECOMPOSE_DEFAULTS, type DecomposeOptions, type DecomposeResult, decompose } from './recipe/decompose.ts';
export { EXTRACT_DEFAULTS, type ExtractOptions, type ExtractResult, skeleton } from './recipe/extract.ts';
export { formatBytes, formatNumber } from './recipe/format-number.ts';
export {
  type AnimationFacts,
  type AssetFacts,
  type ClipFacts,
  type CorrectionFacts,
  type DdmFacts,
  inspect,
  type LightFacts,
  type MeshFacts,
  type MotionKind,
  type RigFacts,
  type SequenceFacts,
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
  OpenedSearchDevice,
  OpenedStream,
  OutputFile,
  ReadValues,
  ReportTable,
} from './recipe/job.ts';
export type { JobContext } from './recipe/job-context.ts';
export { findJob, JOBS } from './recipe/jobs.ts';
export { type LightAssetOptions, light } from './recipe/light.ts';
export { LEVEL_DEFAULTS, type LevelOptions, makeLevels } from './recipe/make-levels.ts';
export { makePlainContent, type PlainContentOptions } from './recipe/make-plain-content.ts';
export { MUSH_DEFAULTS, type MushOptions, type MushResult, mush } from './recipe/mush.ts';
export type { Json, Option, OptionForm, OptionSchema, OptionsOf, OptionType, Values } from './recipe/option.ts';
export type { NoiseOption } from './recipe/prepare-noisy.ts';
export { reduce } from './recipe/reduce.ts';
export { type ReduceByErrorResult, reduceByError } from './recipe/reduce-by-error.ts';
export type { Report, ReportFacts, ReportInput, ReportMetrics, ReportResult } from './recipe/report.ts';
export { runJob } from './recipe/run-job.ts';
export { encodeSample } from './recipe/sample-job.ts';
export { TRACK_DEFAULTS, type TrackedClip, type TrackOptions, track } from './recipe/track.ts';
export { writeDrivenShapes } from './recipe/write-driven-shapes.ts';
export type { RootChoice } from './skeleton/choose-root.ts';
export { JOINT_SOLVERS, type JointSolver } from './skeleton/pair-joints.ts';
export {
  type GivenHierarchy,
  PRUNE_RULES,
  type PruneRule,
  SKELETON_METHODS,
  type SkeletonMethod,
} from './skeleton/skeleton-options.ts';
export type { Misfit } from './track/measure-misfits.ts';
export type { ScanFrame } from './track/scan-frame.ts';
export {
  type BiharmonicOptions,
  type BiharmonicResult,
  boundedBiharmonicWeights,
} from './weights/bounded-biharmonic-weights.ts';
export {
  type BoneLadder,
  type BoneLadderOptions,
  type LadderPoses,
  makeBoneLadder,
} from './weights/make-bone-ladder.ts';
export { type ReduceCageResult, reduceCage } from './weights/reduce-cage.ts';
export {
  REDUCE_DEFAULTS,
  REDUCE_METHODS,
  type ReduceMethod,
  type ReduceOptions,
  type ReduceResult,
} from './weights/reduce-skin.ts';
export {
  type ElasticWeights,
  type ElasticWeightsOptions,
  solveElasticWeights,
} from './weights/solve-elastic-weights.ts';
