// SPDX-License-Identifier: MIT
// Messages between the page and its workers. Everything is plain data.
import type { BakedFrames } from '../../../src/entry/deform.ts';
import type {
  Asset,
  DdmVariant,
  ErrorReport,
  JobProgress,
  Json,
  ReadValues,
  SurfaceImage,
} from '../../../src/entry/index.ts';
import type { StoredVersion } from '../state/project-file.ts';
import type { DecodedImage } from '../viewport/textures/decode-ktx2.ts';
import type { ValidatorRemark } from '../worker/validate-model.ts';
import type { VersionInfo } from './views.ts';

export interface FileBytes {
  name: string;
  bytes: Uint8Array;
}

/** How to read formats without frame rate, unit or up axis. */
export interface ReadOptions extends Omit<ReadValues, 'rest'> {
  /** The first file is the rest pose of the others. */
  hasRest?: boolean;
}

/** Error of one version relative to another in one motion. */
export interface Comparison
  extends Pick<
    ErrorReport,
    'eRms' | 'rmse' | 'rmsePercent' | 'max' | 'p99' | 'normalDegrees' | 'diagonal' | 'perFrame'
  > {
  reference: number;
  result: number;
  motion: number;
}

export interface TuneOptions {
  lambda: number;
  kappa: number;
  alpha: number;
  iterations: number;
  variant: DdmVariant;
}

export interface TuneReply {
  /** vertexCount x 3 */
  positions: Float32Array;
  /** Milliseconds of solver time: new multi-weights, ready to play. */
  milliseconds: number;
  /** Whether the products had to be smoothed again. */
  isFull: boolean;
  /** Whether it was computed with fewer iterations, as a preview. */
  isDraft: boolean;
}

/** A batch of frames for the page. */
export interface FrameBatch extends BakedFrames {
  version: number;
  motion: number;
  first: number;
  count: number;
  /** Frames per batch; the last may have fewer. */
  size: number;
}

/** A job that the page offers. */
export interface JobView {
  name: string;
  title: string;
  description: string;
  /** The reason why the file cannot be its input. */
  fault?: string;
}

/** An option of a job as a field; `value` is its default. */
export type FieldView = {
  key: string;
  label: string;
  note: string;
  isFine: boolean;
  /** Whether it has an effect with the other values. */
  isShown: boolean;
} & (
  | { kind: 'number'; value: number; min: number; max: number; step: number; isLog: boolean }
  | { kind: 'choice'; value: string; choices: { value: string; label: string }[] }
  | { kind: 'switch'; value: boolean }
  /** In file units; 0: not given. */
  | { kind: 'length'; value: number }
);

export interface RunOptions {
  version: number;
  job: string;
  /** Values of fields. */
  values: Record<string, Json>;
}

/** Calls of the page by name, with their argument and result. */
export interface AssetCalls {
  /** Which inputs hold animations and no mesh. */
  listClips: { give: { groups: FileBytes[][] }; get: boolean[] };
  open: { give: { files: FileBytes[]; options: ReadOptions; project?: number }; get: VersionInfo };
  sample: { give: { name: string; resolution?: number; frames?: number }; get: VersionInfo };
  cancelOpening: { give: Record<string, never>; get: boolean };
  image: { give: { image: number }; get: SurfaceImage | DecodedImage };
  frames: { give: { version: number; motion: number }; get: { frameCount: number } };
  /** Frames are sent from this one on. */
  seek: { give: { version: number; frame: number }; get: boolean };
  jobs: { give: { version?: number }; get: JobView[] };
  fields: { give: { job: string; values: Record<string, Json> }; get: FieldView[] };
  run: { give: RunOptions; get: VersionInfo[] };
  /** Colours of the lit vertices at a frame: vertexCount x 3, linear. */
  light: { give: { version: number; motion: number; frame: number }; get: Float32Array };
  cancel: { give: Record<string, never>; get: boolean };
  compare: { give: { reference: number; result: number }; get: Comparison[] };
  pose: { give: { version: number; bones: Float64Array; morphs?: Float32Array }; get: Float32Array };
  tune: { give: { version: number; options: TuneOptions; bones: Float64Array; isDraft?: boolean }; get: TuneReply };
  poseLive: { give: { bones: Float64Array }; get: Float32Array };
  /** Errors with 1, 2 … bones, file units; and the largest number of bones that the version can grow to. */
  ladder: { give: { version: number; reference: number }; get: { errors: Float64Array; maxBones: number } };
  ladderPose: { give: { count: number; bones: Float64Array }; get: Float32Array };
  ladderKeep: { give: { count: number }; get: VersionInfo };
  ladderEnd: { give: Record<string, never>; get: boolean };
  /** Adds bones, or refines them; the error, file units. */
  grow: { give: { count: number; iterations: number }; get: number };
  growPose: { give: { count: number; motion: number; frame: number }; get: Float32Array };
  edit: { give: { version: number; positions: Float32Array }; get: boolean };
  editFrame: { give: { motion: number; frame: number }; get: Float32Array };
  editKeep: { give: Record<string, never>; get: VersionInfo };
  bytes: { give: { version: number }; get: Uint8Array };
  /** The bytes of a version's files. */
  files: { give: { version: number }; get: { files: FileBytes[]; readOptions: ReadOptions } };
  /** Remarks of the Khronos validator. */
  validate: { give: { version: number }; get: ValidatorRemark[] };
  /** Adds a version of a stored project. */
  restore: { give: { version: Omit<StoredVersion, 'id'> }; get: VersionInfo };
  /** The options of a job that differ from their defaults, for values of its fields. */
  options: { give: { job: string; values: Record<string, Json> }; get: Record<string, Json> };
  crowd: { give: { version: number }; get: CrowdSource };
  close: { give: { version: number }; get: boolean };
}

/** The data of a crowd on the GPU; plain data of the library. */
export interface CrowdSource {
  asset: Asset;
  up: Asset['up'];
}

export type AssetEvent =
  | { event: 'frames'; batch: FrameBatch }
  | { event: 'progress'; progress: JobProgress }
  /** Progress of the order of bones. */
  | { event: 'ladder'; fraction: number }
  /** Progress of a comparison. */
  | { event: 'comparing'; fraction: number };
