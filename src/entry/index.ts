// SPDX-License-Identifier: MIT
/**
 * Models, files, metrics and jobs: read a file, decompose or convert it, measure the error, write the result. In the examples, `asset` is the result of
 * readAsset, and `clip` is one of its clips or the result of bakeClip.
 *
 * @module ossify
 */

export { makeCompute } from '../core/compute/make-compute.ts';
export type { TransformKind } from '../core/kernels/bones/bone-sweep.ts';
export type { Compute, ComputeOptions, KernelCall, Resident, ResidentArray } from '../core/kernels/compute.ts';
export { type Bounds, measureBounds, measureHeight } from '../core/mesh/geometry/bounds.ts';
export type { Weld } from '../core/mesh/topology/weld.ts';
export type { Asset, AssetRig, GltfSource, SkinnedModel, UpAxis } from '../core/model/asset.ts';
export type { AnimatedProperty } from '../core/model/clip/animated-property.ts';
export type { Animation, Interpolation, Track } from '../core/model/clip/animation.ts';
export { type Clip, checkClip, frameCountOf, frameOf, frameRateOf, makeTimes } from '../core/model/clip/clip.ts';
export type { MeshFrame, MeshSequence } from '../core/model/clip/mesh-frame.ts';
export { type Motion, poseOf } from '../core/model/clip/motion.ts';
export type { PointSource } from '../core/model/clip/point-source.ts';
export type { FrameRange } from '../core/model/clip/select-frames.ts';
export type { SearchDevice, SearchLimits, TriangleSearcher, TriangleTree } from '../core/model/clip/triangle-search.ts';
export type {
  CentersOfRotationSkin,
  CorrectedSkin,
  DeformedModel,
  DualQuaternionSkin,
  LinearBlendSkin,
} from '../core/model/deformed/deformed-model.ts';
export type { Deformer, Pose } from '../core/model/deformed/deformer.ts';
export type {
  DdmSettings,
  DdmVariant,
  DirectDeltaMush,
  MultiWeights,
} from '../core/model/deformed/direct-delta-mush.ts';
export type { Elimination } from '../core/model/deformed/elimination.ts';
export type {
  ConvertedRig,
  HelperBones,
  HelperController,
  HelperFollow,
  HelperMotion,
} from '../core/model/deformed/helper-bones.ts';
export type { MorphDriver, MorphDriverPose } from '../core/model/deformed/morph-drivers.ts';
export type { Morphs, MorphTarget, SkinnedMorphs } from '../core/model/deformed/morphs.ts';
export {
  DRIVER_FORMS,
  type DrivenShapes,
  type DriverForm,
  type ShapeDrivenSkin,
  type ShapeDrivers,
  type ShapeTrack,
} from '../core/model/deformed/shape-drivers.ts';
export { BLEND_KINDS, type BlendKind, type SkinBlend } from '../core/model/deformed/skin-blend.ts';
export {
  type CorrectionTrack,
  type NormalCorrection,
  type NormalRule,
  type SkinCorrection,
  truncateSkinCorrection,
} from '../core/model/deformed/skin-correction.ts';
export { LIGHT_KINDS, type LightKind, type LightTrack, type SkinLight } from '../core/model/deformed/skin-light.ts';
export { type LinearTwoLayer, type TwoLayer, virtualBoneCountOf } from '../core/model/deformed/two-layer.ts';
export {
  FORMAT_ERROR_CODES,
  FormatError,
  type FormatErrorCode,
  InputError,
  SubjectError,
  UsageError,
} from '../core/model/errors.ts';
export { type MakeAssetOptions, makeAsset } from '../core/model/make-asset.ts';
export { cutLevel } from '../core/model/mesh/cut-level.ts';
export { checkMesh, type Mesh, type MeshAttribute, type MeshPart, makeMesh } from '../core/model/mesh/mesh.ts';
export type { LevelsContent, MeshLevel } from '../core/model/mesh/mesh-level.ts';
export type { JointLimits } from '../core/model/skin/joint-limits.ts';
export type { NodeTree } from '../core/model/skin/node-tree.ts';
export type { RigSource } from '../core/model/skin/rig-source.ts';
export { checkSkeleton, makeLooseSkeleton, type Skeleton } from '../core/model/skin/skeleton.ts';
export { checkSkin, makeSkin, maxInfluencesOf, type Skin } from '../core/model/skin/skin.ts';
export type {
  SurfaceImage,
  SurfaceLook,
  SurfaceMap,
  SurfaceMaterial,
  SurfaceWrap,
} from '../core/model/surface-look.ts';
export { type LengthUnit, lengthUnit } from '../core/options/length-unit.ts';
export type { Json, Option, OptionForm, OptionSchema, OptionsOf, OptionType, Values } from '../core/options/option.ts';
export type { ErrorGoal } from '../core/progress/error-goal.ts';
export type { ProgressInfo, SolveMonitorOptions } from '../core/progress/solve-monitor.ts';
export type { SmoothMethod } from '../deformers/delta-mush/smoother.ts';
export { DROP_DEFAULTS, type DropOptions } from '../deformers/direct-delta-mush/drop-multi-weights.ts';
export { addHelperMotion, bakeHelperMotions } from '../deformers/playback/bake-helper-motions.ts';
export {
  type ControllerInput,
  type ControllersFile,
  listControllers,
  type NamedController,
} from '../deformers/helper-bones/list-controllers.ts';
export type { HelperTerm } from '../deformers/helper-bones/pack-helper-bones.ts';
export { writeBlenderDrivers } from '../deformers/helper-bones/write-blender-drivers.ts';
export type { BakeSide, ClipPair } from '../deformers/playback/clip-pair.ts';
export { editRest } from '../deformers/posing/edit-rest.ts';
export { listShapeDrivers, type ShapeDriversFile } from '../deformers/shape-drivers/list-shape-drivers.ts';
export { writeBlenderShapes } from '../deformers/shape-drivers/write-blender-shapes.ts';
export type { DistanceNorm } from '../fit/norm/refine-norm.ts';
export { rangesFromMotions } from '../fit/poses/ranges-from-motions.ts';
export {
  defaultRanges,
  type JointRange,
  type JointRangeWords,
  type Range,
  type RangeWords,
} from '../fit/poses/ranges-of-motion.ts';
export { type WriteAbcOptions, writeAbc } from '../formats/alembic/write-abc.ts';
export { writeMdd } from '../formats/caches/write-mdd.ts';
export { type WritePc2Options, writePc2 } from '../formats/caches/write-pc2.ts';
export { type FbxContent, WRITE_FBX_DEFAULTS, type WriteFbxOptions, writeFbx } from '../formats/fbx/write/write-fbx.ts';
export { expandGlb } from '../formats/gltf/compact/expand-glb.ts';
export { listSurfaces } from '../formats/gltf/document/list-surfaces.ts';
export {
  type GlbContent,
  type SkinContent,
  type WeightsContent,
  type WriteGlbOptions,
  writeGlb,
} from '../formats/gltf/write-glb.ts';
export { type WriteObjOptions, writeObj } from '../formats/meshes/write-obj.ts';
export { type InputFile, type ReadAssetOptions, readAsset } from '../formats/assets/read-asset.ts';
export { readMeshSequence } from '../formats/assets/read-mesh-sequence.ts';
export { readMorphDrivers, writeMorphDrivers } from '../formats/shared/morph-driver-file.ts';
export { type WriteUsdOptions, writeUsda } from '../formats/usd/write-usda.ts';
export { writeUsdz } from '../formats/usd/write-usdz.ts';
export {
  type AssetCompressor,
  COMPRESS_DEFAULTS,
  type CompressAssetOptions,
  type CompressAssetResult,
  type CompressStep,
  compress,
  makeAssetCompressor,
} from '../jobs/compress/compress.ts';
export {
  CONVERT_DEFAULTS,
  type ConvertOptions,
  type ConvertResult,
  type ConvertSource,
  convert,
} from '../jobs/convert/convert.ts';
export {
  CONVERT_SHAPES_DEFAULTS,
  type ConvertShapesOptions,
  type ConvertShapesResult,
  convertShapes,
} from '../jobs/convert/convert-shapes.ts';
export { writeDrivenShapes } from '../jobs/convert/write-driven-shapes.ts';
export {
  DECOMPOSE_DEFAULTS,
  type DecomposeOptions,
  type DecomposeResult,
  decompose,
} from '../jobs/decompose/decompose.ts';
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
} from '../jobs/engine/job.ts';
export type { JobContext } from '../jobs/engine/job-context.ts';
export { findJob, JOBS } from '../jobs/table/jobs.ts';
export type { Report, ReportFacts, ReportInput, ReportMetrics, ReportResult } from '../jobs/engine/report.ts';
export { runJob } from '../jobs/table/run-job.ts';
export { type LightAssetOptions, light } from '../jobs/light/light.ts';
export { MUSH_DEFAULTS, type MushOptions, type MushResult, mush } from '../jobs/mush/mush.ts';
export { reduce } from '../jobs/reduce/reduce.ts';
export { type ReduceByErrorResult, reduceByError } from '../jobs/reduce/reduce-by-error.ts';
export { formatBytes, formatNumber } from '../jobs/engine/format-number.ts';
export { encodeSample } from '../jobs/sample/sample-job.ts';
export {
  type ChooseDeformerOptions,
  chooseDeformer,
  DEFORMER_NAMES,
  DEFORMER_WEIGHTS,
  type DeformerName,
  type DeformerWeights,
} from '../jobs/bake/choose-deformer.ts';
export { makePlainContent, type PlainContentOptions } from '../jobs/shared/make-plain-content.ts';
export type { NoiseOption } from '../jobs/shared/prepare-noisy.ts';
export { EXTRACT_DEFAULTS, type ExtractOptions, type ExtractResult, skeleton } from '../jobs/skeleton/extract.ts';
export { TRACK_DEFAULTS, type TrackedClip, type TrackOptions, track } from '../jobs/track/track.ts';
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
} from '../jobs/engine/inspect.ts';
export { type BetweenOptions, type BetweenReport, measureBetween } from '../measure/between/measure-between.ts';
export { type ComparedClip, type CompareOptions, type CompareResult, compare } from '../measure/compare.ts';
export { type ErrorReport, type MeasureOptions, measureError } from '../measure/error/measure-error.ts';
export { LOCAL_MEASURE_HOST, type MeasureHost, type MeasureRun } from '../measure/error/measure-host.ts';
export {
  type JointDistance,
  type JointReport,
  measureJoints,
  type SharedAnimation,
} from '../measure/measure-joints.ts';
export { compressDdm } from '../methods/compress/compress-ddm.ts';
export type { CompressMaps, CompressOptions } from '../methods/compress/compress-options.ts';
export {
  type CompressCount,
  type CompressResult,
  type DdmCompressor,
  makeDdmCompressor,
} from '../methods/compress/make-ddm-compressor.ts';
export { skinOfMultiWeights } from '../methods/compress/virtual-bones/skin-of-multi-weights.ts';
export {
  CORRECT_DEFAULTS,
  type CorrectOptions,
  type CorrectResult,
  correctModel,
} from '../methods/corrections/correct-model.ts';
export type { AutoOptions } from '../methods/decompose/auto/auto.ts';
export {
  DECOMPOSE_METHODS,
  type DecomposeMethod,
  type DecomposeMethodName,
  type DecomposeMethodOptions,
} from '../methods/decompose/decompose-methods.ts';
export type { Decomposition } from '../methods/decompose/decomposition.ts';
export type { FsdOptions } from '../methods/decompose/fsd/fsd.ts';
export type { LsspOptions } from '../methods/decompose/lssp/lssp.ts';
export {
  type BoneGrowth,
  type BoneGrowthOptions,
  type GrownBones,
  type GrowthStart,
  makeBoneGrowth,
} from '../methods/decompose/make-bone-growth.ts';
export type { SmaOptions } from '../methods/decompose/sma/sma.ts';
export type { GivenParts } from '../methods/decompose/ssdr/fit-given.ts';
export type { SsdrOptions } from '../methods/decompose/ssdr/ssdr.ts';
export type { DrivenError } from '../methods/faces/measure-driven.ts';
export { EXAMPLE_KINDS, type ExampleKind, type FaceShapes } from '../methods/faces/shape-examples.ts';
export { LIGHT_DEFAULTS, type LightOptions, type LightResult } from '../methods/light/light-motions.ts';
export type { SunDirection } from '../methods/light/make-sky.ts';
export type { TracedLight } from '../methods/light/trace-light.ts';
export { LEVEL_DEFAULTS, type LevelOptions, makeLevels } from '../methods/lod/make-levels.ts';
export { holdRigid } from '../methods/mush/bind/hold-rigid.ts';
export type { SmoothedRows } from '../methods/mush/bind/smooth-binding.ts';
export { DDM_DEFAULTS, type DdmBlendOptions, type DdmOptions, type VertexMap } from '../methods/mush/ddm-options.ts';
export { type DdmPrecompute, makeDdmPrecompute } from '../methods/mush/make-ddm-precompute.ts';
export { precomputeDdm } from '../methods/mush/precompute-ddm.ts';
export {
  type BiharmonicOptions,
  type BiharmonicResult,
  boundedBiharmonicWeights,
} from '../methods/reduce/per-vertex/bounded-biharmonic-weights.ts';
export {
  type ElasticWeights,
  type ElasticWeightsOptions,
  solveElasticWeights,
} from '../methods/reduce/per-vertex/solve-elastic-weights.ts';
export { type ReduceCageResult, reduceCage } from '../methods/reduce/reduce-cage.ts';
export {
  REDUCE_DEFAULTS,
  REDUCE_METHODS,
  type ReduceMethod,
  type ReduceOptions,
  type ReduceResult,
} from '../methods/reduce/reduce-skin.ts';
export {
  type BoneLadder,
  type BoneLadderOptions,
  type LadderPoses,
  makeBoneLadder,
} from '../methods/reduce/two-layer/make-bone-ladder.ts';
export { JOINT_SOLVERS, type JointSolver } from '../methods/skeleton/joints/pair-joints.ts';
export type { RootChoice } from '../methods/skeleton/model/choose-root.ts';
export {
  type GivenHierarchy,
  PRUNE_RULES,
  type PruneRule,
  SKELETON_METHODS,
  type SkeletonMethod,
} from '../methods/skeleton/skeleton-options.ts';
export type { Misfit } from '../methods/track/measure-misfits.ts';
export type { ScanFrame } from '../methods/track/register/scan-frame.ts';
