// SPDX-License-Identifier: MIT
export { type CheckedJob, UNKNOWN_MACHINE_MEMORY } from './check-job-memory.ts';
export {
  CLIP_OPTIONS,
  COMMON_OPTIONS,
  COMMON_STEP,
  FRAME_OPTIONS,
  FRAMES_STEP,
  KEY_OPTIONS,
  KEYS_STEP,
  MOVING_INPUT,
  READ_OPTIONS,
  READ_STEP,
  REST_STEP,
  SKINNED_INPUT,
  STORE_OPTIONS,
  STORE_STEP,
  TOGETHER_OPTION,
  TOGETHER_STEP,
} from './common-options.ts';
export { formatBytes, formatCount, formatMean, formatNumber, formatRatio } from './format-number.ts';
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
  type SequenceFacts,
  type SizeFacts,
  type TwoLayerFacts,
} from './inspect/inspect.ts';
export type { BodyFacts, RigFacts } from './inspect/inspect-rig.ts';
export { labelAsset } from './inspect/label-asset.ts';
export { needsMotion, needsSkin, needsSkinOrShapes } from './inspect/needs.ts';
export {
  defineJob,
  type FileSettings,
  type Gate,
  type Job,
  type JobFacts,
  type JobHooks,
  type JobIo,
  type JobOutcome,
  type JobPlan,
  type JobProgress,
  type JobSpec,
  type OpenedInput,
  type OpenedSearchDevice,
  type OpenedStream,
  type OutputFile,
  type ReadValues,
  type ReportTable,
} from './job.ts';
export { JobContext, makeGate, makeGoalGate, WRITTEN_FILE } from './job-context.ts';
export { type LimitedFiles, limitFiles } from './limit-files.ts';
export { openPlain } from './open-plain.ts';
export { readJsonFile } from './read-json-file.ts';
export { listUnread, refuseUnread } from './refuse-unread.ts';
export { jsonLine, jsonText } from './report/json-text.ts';
export { describeLosses, type Loss, type LossKind, listLosses } from './report/list-losses.ts';
export {
  makeReport,
  REPORT_VERSION,
  type Report,
  type ReportFacts,
  type ReportInput,
  type ReportMetrics,
  type ReportOutput,
  type ReportResult,
  type ReportTarget,
  reportInputOf,
  reportMetricsOf,
  reportWritten,
} from './report/report.ts';
