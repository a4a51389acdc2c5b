// SPDX-License-Identifier: MIT
// The report of a command: docs/reference/report.md documents every field. Scripts depend on it: fields are added, never renamed;
// a change of meaning raises the version.

import type { Asset } from '../../../core/model/asset.ts';
import { frameCountOf } from '../../../core/model/clip/clip.ts';
import type { ErrorReport, Written } from '../../../measure/index.ts';
import { type MotionKind, motionKindOf } from '../inspect/inspect.ts';
import type { Loss } from './list-losses.ts';

export const REPORT_VERSION = 1;

/** Facts about one input. */
export interface ReportInput {
  /** The input as written in the job. */
  name: string;
  kind: MotionKind;
  bytes: number;
  vertices: number;
  triangles: number;
  bones: number;
  morphTargets: number;
  animations: string[];
  clips: { name: string; frames: number }[];
  /** Metres per file unit, if known. */
  metresPerUnit?: number;
}

/** Results of a command. Each command has some of the fields. */
export interface ReportResult {
  bones?: number;
  virtualBones?: number;
  helpers?: number;
  /** Maximum bones per vertex. */
  influences?: number;
  /** Bone matrices blended per vertex, on average. */
  blendsPerVertex?: number;
  eta?: number;
  reseeds?: number;
  iterations?: number;
  status?: 'converged' | 'max-iterations' | 'stalled' | 'stopped';
  [field: string]: unknown;
}

/** Errors as defined in docs/reference/metrics.md; absent if a command does not measure them. */
export interface ReportMetrics {
  eRms?: number;
  distortion?: number;
  rmse?: number;
  rmsePercent?: number;
  max?: number;
  /** Percent of the box diagonal. */
  maxPercent?: number;
  p99?: number;
  normalDegrees?: number;
  rmseOfHeight?: number;
  maxOfHeight?: number;
  rmseFit?: number;
  rmseFitPercent?: number;
  ddmVsLbs?: number;
  alpha?: number;
  perFrame?: { rms: number[]; median: number[]; q1: number[]; q3: number[]; max: number[] };
}

/** Counts of the file that was written, as the reader of its format shows it; of several files, of the first. */
export interface ReportOutput {
  /** Pieces of one material each. */
  parts: number;
  vertices: number;
  triangles: number;
  /** Joints of all skins. */
  joints: number;
  /** Maximum weights per vertex. */
  influences: number;
  morphTargets: number;
  animations: number;
}

/** The software that an output was made for. */
export interface ReportTarget {
  /** As in --for. */
  name: string;
  /** For people. */
  title: string;
  /** Sentences about what was changed for it, and what it ignores. */
  changes: string[];
}

/** The report of a command. docs/reference/report.md describes every field. */
export interface Report {
  reportVersion: typeof REPORT_VERSION;
  /** Version of this package. */
  ossify: string;
  command: string;
  /** Options, including defaults. */
  options: Record<string, unknown>;
  inputs: ReportInput[];
  result: ReportResult;
  metrics: ReportMetrics;
  bytes: { input?: number; model?: number; ddm?: number; light?: number; file?: number };
  /** Written files. */
  files: { path: string; bytes: number }[];
  /** Counts of what was written; absent for commands without an output of meshes. */
  output?: ReportOutput;
  /** What the input holds and the output does not, unless the command is there to replace it; absent for commands without an output. */
  losses?: Loss[];
  /** What the output was made for; absent without --for TARGET. */
  target?: ReportTarget;
  /** Seconds per phase, in order, and `total`. */
  seconds: Record<string, number>;
  /** Maximum resident size of the process, bytes; absent if it is not known. */
  peakMemory?: number;
  threads: number;
  seed: number;
}

/** Facts from which makeReport builds a report. */
export interface ReportFacts {
  version: string;
  command: string;
  options?: Record<string, unknown>;
  inputs?: ReportInput[];
  result?: ReportResult;
  metrics?: ReportMetrics;
  bytes?: Report['bytes'];
  files?: { path: string; bytes: number }[];
  output?: ReportOutput;
  losses?: Loss[];
  target?: ReportTarget;
  seconds?: Record<string, number>;
  totalSeconds: number;
  peakMemory?: number;
  threads: number;
  seed: number;
}

/** Makes the report; `bytes.input` is the sum over the inputs unless it is given. */
export function makeReport(facts: ReportFacts): Report {
  const inputs = facts.inputs ?? [];
  const input = inputs.reduce((sum, { bytes }) => sum + bytes, 0);
  return {
    reportVersion: REPORT_VERSION,
    ossify: facts.version,
    command: facts.command,
    options: facts.options ?? {},
    inputs,
    result: facts.result ?? {},
    metrics: facts.metrics ?? {},
    bytes: { ...(inputs.length > 0 ? { input } : {}), ...facts.bytes },
    files: facts.files ?? [],
    ...(facts.output ? { output: facts.output } : {}),
    ...(facts.losses ? { losses: facts.losses } : {}),
    ...(facts.target ? { target: facts.target } : {}),
    seconds: { ...facts.seconds, total: facts.totalSeconds },
    peakMemory: facts.peakMemory,
    threads: facts.threads,
    seed: facts.seed,
  };
}

/** Facts about one input for the report. */
export function reportInputOf(name: string, asset: Asset): ReportInput {
  return {
    name,
    kind: motionKindOf(asset),
    bytes: asset.byteLength,
    vertices: asset.mesh.positions.length / 3,
    triangles: asset.mesh.triangles.length / 3,
    bones: asset.rig?.skeleton.names.length ?? 0,
    morphTargets: asset.morphs?.targets.length ?? 0,
    animations: asset.animations.map((animation) => animation.name),
    clips: asset.clips.map((clip) => ({ name: clip.name, frames: frameCountOf(clip) })),
    metresPerUnit: asset.metresPerUnit,
  };
}

/** Metrics of the report from a measured error. */
export function reportMetricsOf(error: ErrorReport): ReportMetrics {
  const { perFrame } = error;
  return {
    eRms: error.eRms,
    distortion: error.distortion,
    rmse: error.rmse,
    rmsePercent: error.rmsePercent,
    max: error.max,
    maxPercent: (100 * error.max) / error.diagonal,
    p99: error.p99,
    normalDegrees: error.normalDegrees,
    rmseOfHeight: error.rmseOfHeight,
    maxOfHeight: error.maxOfHeight,
    perFrame: {
      rms: [...perFrame.rms],
      median: [...perFrame.median],
      q1: [...perFrame.q1],
      q3: [...perFrame.q3],
      max: [...perFrame.max],
    },
  };
}

/** Fields of the report about a written animation. */
export function reportWritten({ bones, influences, blendsPerVertex, between, clips }: Written) {
  return {
    ...{ bones, influences, blendsPerVertex },
    // a clip of one frame has no midpoints
    ...(clips.some(({ error }) => error.frameCount > 1) ? { between } : {}),
    clips: clips.map(({ name, error }) => ({ name, frames: error.frameCount, metrics: reportMetricsOf(error) })),
  };
}
