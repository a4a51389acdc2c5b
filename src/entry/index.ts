// SPDX-License-Identifier: MIT
/**
 * Models, files, metrics and jobs: read a file, decompose or convert it, measure the error, write the result. In the examples, `asset` is the result of
 * readAsset, and `clip` is one of its clips or the result of bakeClip.
 *
 * @module ossify
 */

export { makeCompute } from '../core/compute/make-compute.ts';
export type { TransformKind } from '../core/kernels/bones/bone-sweep.ts';
export type { Compute, ComputeOptions } from '../core/kernels/compute.ts';
export type {
  ArgumentsOf,
  Kernel,
  KernelCall,
  KernelViews,
  Resident,
  ResidentArray,
  SlotArguments,
  Slots,
  SlotViews,
} from '../core/kernels/kernel.ts';
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
export type { Remark, RepairFacts } from '../core/model/remark.ts';
export type { JointLimits } from '../core/model/skin/joint-limits.ts';
export type { NodeTree } from '../core/model/skin/node-tree.ts';
export type { RigSource } from '../core/model/skin/rig-source.ts';
export { checkSkeleton, makeLooseSkeleton, type Skeleton } from '../core/model/skin/skeleton.ts';
export { checkSkin, makeSkin, maxInfluencesOf, type Skin } from '../core/model/skin/skin.ts';
export type {
  Extras,
  SurfaceImage,
  SurfaceLook,
  SurfaceMap,
  SurfaceMaterial,
  SurfaceWrap,
} from '../core/model/surface-look.ts';
export { type LengthUnit, lengthUnit } from '../core/options/length-unit.ts';
export type { Capabilities, InputSize, Method, Solve, SolvePlan, SolveRun } from '../core/options/method.ts';
export type { Json, Option, OptionForm, OptionSchema, OptionsOf, OptionType, Values } from '../core/options/option.ts';
export type { ErrorGoal } from '../core/progress/error-goal.ts';
export type { ProgressInfo, SolveMonitorOptions } from '../core/progress/solve-monitor.ts';
export type { SmoothMethod } from '../deformers/delta-mush/index.ts';
export { DROP_DEFAULTS, type DropOptions } from '../deformers/direct-delta-mush/index.ts';
export {
  type ControllerInput,
  type ControllersFile,
  type HelperTerm,
  listControllers,
  type NamedController,
  writeBlenderDrivers,
} from '../deformers/helper-bones/index.ts';
export { addHelperMotion, type BakeSide, bakeHelperMotions, type ClipPair } from '../deformers/playback/index.ts';
export { editRest } from '../deformers/posing/index.ts';
export { listShapeDrivers, type ShapeDriversFile, writeBlenderShapes } from '../deformers/shape-drivers/index.ts';
export type { DistanceNorm } from '../fit/norm/index.ts';
export {
  defaultRanges,
  type JointRange,
  type JointRangeWords,
  type PoseAssetOptions,
  type PosedAsset,
  type PoseRanges,
  poseAsset,
  type Range,
  type RangeTable,
  type RangeWords,
  rangesFromMotions,
} from '../fit/poses/index.ts';
export { type WriteAbcOptions, writeAbc } from '../formats/alembic/index.ts';
export { type InputFile, type ReadAssetOptions, readAsset, readMeshSequence } from '../formats/assets/index.ts';
export { type WritePc2Options, writeMdd, writePc2 } from '../formats/caches/index.ts';
export { type FbxContent, WRITE_FBX_DEFAULTS, type WriteFbxOptions, writeFbx } from '../formats/fbx/index.ts';
export {
  type AnimationContents,
  type Contents,
  expandGlb,
  type GlbContent,
  listContents,
  listSurfaces,
  type SkinContent,
  type WeightsContent,
  type WriteGlbOptions,
  writeGlb,
} from '../formats/gltf/index.ts';
export { type WriteObjOptions, writeObj } from '../formats/meshes/index.ts';
export type { Finding, Place, Severity } from '../formats/rules/index.ts';
export { readMorphDrivers, writeMorphDrivers } from '../formats/shared/index.ts';
export {
  type NameRule,
  type Setting,
  type StoredForm,
  TARGET_NAMES,
  TARGETS,
  type Target,
  type TargetName,
} from '../formats/targets/index.ts';
export {
  checkUsdz,
  type UsdzFault,
  type UsdzRule,
  type WriteUsdOptions,
  writeUsda,
  writeUsdz,
} from '../formats/usd/index.ts';
export { checkVrm, type VrmFault } from '../formats/vrm/index.ts';
export {
  type ChooseDeformerOptions,
  chooseDeformer,
  DEFORMER_NAMES,
  DEFORMER_WEIGHTS,
  type DeformerName,
  type DeformerWeights,
} from '../jobs/bake/index.ts';
export { type CheckCharacterOptions, checkCharacter } from '../jobs/check/index.ts';
export {
  type AssetCompressor,
  type CompressAssetOptions,
  type CompressAssetResult,
  type CompressStep,
  compress,
  makeAssetCompressor,
} from '../jobs/compress/index.ts';
export {
  CONVERT_DEFAULTS,
  CONVERT_SHAPES_DEFAULTS,
  type ConvertOptions,
  type ConvertResult,
  type ConvertShapesOptions,
  type ConvertShapesResult,
  type ConvertSource,
  convert,
  convertShapes,
  writeDrivenShapes,
} from '../jobs/convert/index.ts';
export {
  DECOMPOSE_DEFAULTS,
  type DecomposeOptions,
  type DecomposeResult,
  decompose,
} from '../jobs/decompose/index.ts';
export {
  type AnimationFacts,
  type AssetFacts,
  type BodyFacts,
  type ClipFacts,
  type CorrectionFacts,
  type DdmFacts,
  type FileSettings,
  formatBytes,
  formatNumber,
  type Gate,
  inspect,
  type Job,
  type JobContext,
  type JobFacts,
  type JobHooks,
  type JobIo,
  type JobOutcome,
  type JobPlan,
  type JobProgress,
  type JobSpec,
  type LightFacts,
  type Loss,
  type LossKind,
  type MeshFacts,
  type MotionKind,
  type OpenedInput,
  type OpenedSearchDevice,
  type OpenedStream,
  type OutputFile,
  type ReadValues,
  type Report,
  type ReportFacts,
  type ReportInput,
  type ReportMetrics,
  type ReportOutput,
  type ReportResult,
  type ReportTable,
  type ReportTarget,
  type RigFacts,
  type SequenceFacts,
  type SizeFacts,
  type TwoLayerFacts,
} from '../jobs/engine/index.ts';
export { type AssetLight, type LightAssetOptions, light } from '../jobs/light/index.ts';
export { MUSH_DEFAULTS, type MushOptions, type MushResult, mush } from '../jobs/mush/index.ts';
export { type ReduceByErrorResult, reduce, reduceByError } from '../jobs/reduce/index.ts';
export { encodeSample } from '../jobs/sample/index.ts';
export { makePlainContent, type NoiseOption, type PlainContentOptions } from '../jobs/shared/index.ts';
export { EXTRACT_DEFAULTS, type ExtractOptions, type ExtractResult, skeleton } from '../jobs/skeleton/index.ts';
export { findJob, JOBS, runJob } from '../jobs/table/index.ts';
export { TRACK_DEFAULTS, type TrackedClip, type TrackOptions, track } from '../jobs/track/index.ts';
export {
  type BetweenOptions,
  type BetweenReport,
  type ComparedClip,
  type CompareOptions,
  type CompareResult,
  compare,
  type ErrorReport,
  type JointDistance,
  type JointReport,
  LOCAL_MEASURE_HOST,
  type MatchedJoints,
  type MeasureHost,
  type MeasureOptions,
  type MeasureRun,
  measureBetween,
  measureError,
  measureJoints,
  type SharedAnimation,
  type SkeletonReport,
} from '../measure/index.ts';
export {
  COMPRESS_DEFAULTS,
  type CompressCount,
  type CompressDefaults,
  type CompressMaps,
  type CompressOptions,
  type CompressResult,
  compressDdm,
  type DdmCompressor,
  makeDdmCompressor,
  skinOfMultiWeights,
} from '../methods/compress/index.ts';
export {
  CORRECT_DEFAULTS,
  type CorrectOptions,
  type CorrectResult,
  correctModel,
} from '../methods/corrections/index.ts';
export {
  type AutoOptions,
  type AutoResult,
  type BoneGrowth,
  type BoneGrowthOptions,
  DECOMPOSE_METHODS,
  type DecomposeInput,
  type DecomposeMethod,
  type DecomposeMethodName,
  type DecomposeMethodOptions,
  type Decomposition,
  type FsdOptions,
  type FsdResult,
  type GivenParts,
  type GrownBones,
  type GrowthStart,
  type LargeClip,
  type LsspOptions,
  type LsspResult,
  makeBoneGrowth,
  type SmaOptions,
  type SmaResult,
  type SsdrOptions,
  type SsdrResult,
} from '../methods/decompose/index.ts';
export { type DrivenError, EXAMPLE_KINDS, type ExampleKind, type FaceShapes } from '../methods/faces/index.ts';
export {
  LIGHT_DEFAULTS,
  type LightOptions,
  type LightResult,
  type SunDirection,
  type TracedLight,
} from '../methods/light/index.ts';
export { LEVEL_DEFAULTS, type LevelOptions, makeLevels } from '../methods/lod/index.ts';
export {
  DDM_DEFAULTS,
  type DdmBlendOptions,
  type DdmOptions,
  type DdmPrecompute,
  holdRigid,
  makeDdmPrecompute,
  precomputeDdm,
  type SmoothedRows,
  type VertexMap,
} from '../methods/mush/index.ts';
export {
  type BiharmonicOptions,
  type BiharmonicResult,
  type BoneLadder,
  type BoneLadderOptions,
  boundedBiharmonicWeights,
  type ElasticWeights,
  type ElasticWeightsOptions,
  type LadderPoses,
  makeBoneLadder,
  REDUCE_DEFAULTS,
  REDUCE_METHODS,
  type ReduceCageResult,
  type ReduceMethod,
  type ReduceOptions,
  type ReduceResult,
  reduceCage,
  solveElasticWeights,
} from '../methods/reduce/index.ts';
export {
  type GivenHierarchy,
  JOINT_SOLVERS,
  type JointSolver,
  PRUNE_RULES,
  type PruneRule,
  type RootChoice,
  SKELETON_METHODS,
  type SkeletonMethod,
} from '../methods/skeleton/index.ts';
export type { Misfit, ScanFrame } from '../methods/track/index.ts';
