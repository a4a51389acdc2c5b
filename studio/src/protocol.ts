// SPDX-License-Identifier: MIT
// Messages between the page and its workers. Everything is plain data.
import type { BakedFrames, TimedMotion } from '../../src/deform.ts';
import type {
  Asset,
  AssetFacts,
  DdmVariant,
  ErrorReport,
  JobProgress,
  Json,
  ReadValues,
  Report,
  Skin,
} from '../../src/index.ts';

export interface FileBytes {
  name: string;
  bytes: Uint8Array;
}

/** How to read formats without frame rate, unit or up axis. */
export interface ReadOptions extends Omit<ReadValues, 'rest'> {
  /** The first file is the rest pose of the others. */
  hasRest?: boolean;
}

export interface MeshView {
  /** vertexCount x 3, the rest shape */
  positions: Float32Array;
  /** triangleCount x 3 */
  triangles: Uint32Array;
  /** vertexCount: vertices with the same number are lit by one normal */
  normalGroups: Uint32Array;
  groupCount: number;
}

export interface RigView {
  names: string[];
  parents: Int32Array;
  /** boneCount x 16, column-major: bone space to model space, at rest */
  binds: Float64Array;
  skin: Skin;
  /** boneCount, 1 for joints of a skin */
  isJoint: Uint8Array;
  /** boneCount x 6: low and high end about x, y and z, radians */
  ranges: Float64Array;
}

export interface VirtualView {
  /** virtualBoneCount x 3 */
  centers: Float64Array;
  skin: Skin;
}

/** A shape that moves: a file that was opened, or what a job made. */
export interface VersionInfo {
  id: number;
  /** Versions of one project have the same vertices and play on one clock. */
  project: number;
  /** What it was made from; -1 for files. */
  parent: number;
  title: string;
  /** Name of the file it has or would have. */
  fileName: string;
  job?: string;
  facts: AssetFacts;
  mesh: MeshView;
  motions: TimedMotion[];
  rig?: RigView;
  virtual?: VirtualView;
  /** Bytes of its file, or files. */
  bytes: number;
  /** Seconds that the job took. */
  seconds?: number;
  report?: Report;
  /** Whether smoothing can be tried on it with sliders. */
  isTunable: boolean;
  /** Remarks of readers and solvers, a sentence each. */
  notes: string[];
}

/** Error of one version against another in one motion. */
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
}

/** A batch of frames for the page. */
export interface FrameBatch extends BakedFrames {
  version: number;
  motion: number;
  first: number;
  count: number;
}

/** A job that the page offers. */
export interface JobView {
  name: string;
  title: string;
  description: string;
  /** Why the file cannot be its input. */
  fault?: string;
}

/** An option of a job as a field; `value` is its default. */
export type FieldView = {
  key: string;
  label: string;
  note: string;
  isFine: boolean;
  /** Whether it has a meaning beside the other values. */
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

/** Calls that the page makes, by name: what it gives and what it gets. */
export interface AssetCalls {
  open: { give: { files: FileBytes[]; options: ReadOptions; project?: number }; get: VersionInfo };
  sample: { give: { name: string; resolution?: number; frames?: number }; get: VersionInfo };
  frames: { give: { version: number; motion: number }; get: { frameCount: number } };
  jobs: { give: { version?: number }; get: JobView[] };
  fields: { give: { job: string; values: Record<string, Json> }; get: FieldView[] };
  run: { give: RunOptions; get: VersionInfo };
  cancel: { give: Record<string, never>; get: boolean };
  compare: { give: { reference: number; result: number }; get: Comparison[] };
  pose: { give: { version: number; bones: Float64Array }; get: Float32Array };
  tune: { give: { version: number; options: TuneOptions; bones: Float64Array }; get: TuneReply };
  poseLive: { give: { bones: Float64Array }; get: Float32Array };
  bytes: { give: { version: number }; get: Uint8Array };
  crowd: { give: { version: number }; get: CrowdSource };
  close: { give: { version: number }; get: boolean };
}

/** What a crowd on the GPU is made of; plain data of the library. */
export interface CrowdSource {
  asset: Asset;
  up: Asset['up'];
}

export type AssetEvent = { event: 'frames'; batch: FrameBatch } | { event: 'progress'; progress: JobProgress };
