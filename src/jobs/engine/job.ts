// SPDX-License-Identifier: MIT
// A job is plain data: a command, its input files and options. Each command is described once (decompose-job.ts …, listed by jobs.ts); the command
// line and the studio run these descriptions through run-job.ts.

import type { Asset, NamedAsset } from '../../core/model/asset.ts';
import type { PointSource } from '../../core/model/clip/point-source.ts';
import type { FrameRange } from '../../core/model/clip/select-frames.ts';
import type { SearchDevice } from '../../core/model/clip/triangle-search.ts';
import type { Remark } from '../../core/model/remark.ts';
import type { InputSize, SolvePlan } from '../../core/options/method.ts';
import type { Json, OptionSchema, OptionsOf, Values } from '../../core/options/option.ts';
import type { TargetName } from '../../formats/targets/index.ts';
import type { MeasureHost } from '../../measure/index.ts';
import type { AssetFacts } from './inspect/inspect.ts';
import type { JobContext } from './job-context.ts';
import type { LossKind } from './report/list-losses.ts';
import type { Report, ReportFacts } from './report/report.ts';

/** A command with its files and options. Plain JSON: it can be stored, hashed, sent to a worker and repeated. */
export interface Job {
  /** Name of the command, such as decompose. */
  command: string;
  /** Inputs, written as on the command line: a file, rest.obj+motion.pc2, 'frames/*.obj'. */
  inputs: readonly string[];
  output?: string;
  /** Options by name; the others have their defaults. Lengths and ranges are text: '1mm', '10:50'. */
  options?: Readonly<Record<string, Json | undefined>>;
}

/** An input that was read. */
export interface OpenedInput extends NamedAsset {
  /** All files that were read; outputs must not overwrite them. */
  paths: readonly string[];
  /** The motion of the asset if it is not in memory; only for jobs that ask for it (ReadValues.streamAbove). */
  stream?: OpenedStream;
}

/** A point cache that is read in ranges. */
export interface OpenedStream {
  source: PointSource;
  /** vertexCount: the point of the source of each vertex */
  pointOfVertex: Uint32Array;
  /** Ends the access to the file. */
  close(): Promise<void>;
}

/** How to read formats without frame rate, unit or up axis. */
export interface ReadValues {
  fps?: number;
  unit?: number;
  up?: Asset['up'];
  scale?: number;
  rest?: string;
  /** Folder whose files an input in it may refer to. Default: the folder of the input. */
  folder?: string;
  /** 'any' returns the frames of a sequence whose topology differs as the asset's sequence. By default they are refused. */
  topology?: 'same' | 'any';
  /** Frames to use. Readers may leave out those after the last one. */
  frames?: FrameRange;
  /** Bytes of a point cache above which it may be returned as a stream. Default: it is always read. */
  streamAbove?: number;
  /** Most bytes of memory that reading may take (--max-memory). */
  maxMemory?: number;
}

/** Access of a job to files. Inputs are read through it; outputs are returned, and stored by the caller. */
export interface JobIo {
  /** Reads an input. Throws an InputError whose subject is a file. */
  open(input: string, options: ReadValues, remark: Remark): Promise<OpenedInput>;
  /** The files of an input in order: those of a folder or a pattern. Default: the input is one file. */
  list?(input: string): Promise<string[]>;
  /** The bytes of a file that an option names. */
  read(path: string): Promise<Uint8Array>;
  /** Throws if an output cannot be stored. Called before solving. */
  checkOutputs?(outputs: readonly string[], inputs: readonly string[]): Promise<void>;
  /** Waits until the estimated bytes of a job may be used. Called before frames are made. */
  reserveMemory?(bytes: number): Promise<void>;
  /** Maximum size of this process so far, bytes; absent if it is not known. */
  peakMemory?(): number;
  /** Maximum bytes for the frames of a job if the job does not give them; 2 GB if absent. */
  maxMemory?: number;
  /** Number of threads if the job does not give one. */
  threads: number;
  /** Evaluates and measures frames, such as on several threads. Default: on this thread. */
  measureHost?: MeasureHost;
  /** Opens a GPU for searches (--gpu). Throws a UsageError if there is none. Default: --gpu is refused. */
  openSearchDevice?(): Promise<OpenedSearchDevice>;
  /** Version of this package. */
  version: string;
}

/** A device for searches. */
export interface OpenedSearchDevice {
  device: SearchDevice;
  close(): void;
}

/** Progress of a running job. */
export interface JobProgress {
  phase: string;
  /** 0 to 1, of the phase. */
  fraction: number;
  /** Error so far, if the method computes it. */
  eRms?: number;
}

/** Callbacks and the stop signal of a running job. */
export interface JobHooks {
  /** Called often while the job runs. */
  onProgress?(progress: JobProgress): void;
  /** Receives remarks that a user should see, a sentence each. */
  onNote?(text: string): void;
  /** Receives details for --verbose. */
  onDetail?(text: string): void;
  /** Called with a model that was written, before it is measured. A host that does not wait for the measurement can keep it. */
  onWritten?(bytes: Uint8Array): void;
  /** Called when an interrupted job continues by writing its best result so far. */
  onInterrupted?(): void;
  /** Stops the job; a stoppable job keeps its best result so far. */
  signal?: AbortSignal;
}

/** A file to store. */
export interface OutputFile {
  path: string;
  bytes: Uint8Array | string;
  /** Whether it is the character of another file with a further animation. */
  isTake?: boolean;
}

/** What files are written for, besides their format. */
export interface FileSettings {
  /** Software that the file is made for (--for). */
  target?: TargetName;
  /** Where images are (--textures). Default: as the target wants it, else in the file. */
  textures?: 'embed' | 'beside';
}

/** Whether an error limit was met, in file units. */
export interface Gate {
  maxError: number;
  max: number;
  isMet: boolean;
  /** Present if the limit is that of the root mean square error, and max is that. */
  of?: 'rms';
}

/** What a job made: files to store, and facts for the report. Messages name the first input. */
export interface JobFacts extends Pick<ReportFacts, 'result' | 'metrics' | 'bytes'> {
  inputs: readonly OpenedInput[];
  files: OutputFile[];
  gate?: Gate;
  /** Whether the input was found unfit: the report says why, and the command line exits as if it had failed. */
  isUnfit?: boolean;
  /** Options whose value was determined while solving. */
  options?: Record<string, Json | undefined>;
  /** What was replaced on purpose, besides what the command always replaces. */
  replaces?: readonly LossKind[];
  /**
   * Measures the output as its reader shows it, with the vertices, the unit and the axes of the GLB that it was made of, or of `expected`. Its values are added to the facts.
   * Of several files of the output's format, each is measured, in order.
   */
  measure?(
    written: Asset,
    file: OutputFile,
  ): Promise<{ metrics?: ReportFacts['metrics']; result?: object; gate?: Gate }>;
  /** What the output is at rest, if it was not made of a GLB. Default: the first input. */
  expected?: Asset;
}

/** What runJob returns: the report, files to store, and the error limit if there was one. */
export interface JobOutcome {
  report: Report;
  files: OutputFile[];
  gate?: Gate;
  /** Whether the input was found unfit. */
  isUnfit?: boolean;
}

/** Rows of a printed table. */
export interface ReportTable {
  rows: string[][];
  /** One letter per column: l left, r right. */
  align?: string;
  /** Whether the first row is a heading. */
  hasHeading?: boolean;
}

/** How the frames of a job will be solved. */
export interface JobPlan extends SolvePlan {
  /** What needs less memory, besides fewer frames. */
  remedy?: string;
}

/** The description of a job: its inputs, options, output, and the function that runs it. */
export interface JobSpec<S extends OptionSchema = OptionSchema> {
  name: string;
  /** Name in the studio. */
  title: string;
  /** One line for lists of commands. */
  summary: string;
  /** Sentences that open the help page. */
  description: string;
  inputs: readonly { name: string; description: string; isOptional?: boolean; choices?: readonly string[] }[];
  /** What the output may be; jobs without one only report. */
  output?: {
    description: string;
    extensions: readonly string[];
    isOptional?: boolean;
    isFolder?: boolean;
    /** Whether the job returns a GLB, which is converted to the format of the output's name. */
    isCharacter?: boolean;
  };
  examples: readonly { line: string; does: string }[];
  /** What the command is there to replace: no loss. */
  replaces?: readonly LossKind[];
  options: S;
  /** Whether it stops on the signal and keeps its best result so far. */
  isStoppable?: boolean;
  /** The reason why it cannot run on such a file; undefined if it can. The studio offers only jobs with this function. */
  refuses?(facts: AssetFacts): string | undefined;
  /** Name of the result in the studio; `result` is that of the report, if the job has ended with one. */
  titleOf?(values: Values, result?: ReportFacts['result']): string;
  /** Throws a UsageError if options contradict one another. Called before files are read. */
  check?(options: OptionsOf<S>, job: Job): void;
  /** How frames of an input are solved: their memory is checked before any is made. Absent: check-job-memory.ts estimates it. */
  plan?(options: OptionsOf<S>, size: InputSize): JobPlan;
  /** Runs the job and returns what it made. */
  run(context: JobContext<OptionsOf<S>>): Promise<JobFacts>;
  /** The report as tables and lines of text. */
  describe(report: Report): (ReportTable | string)[];
}

/** Returns the description unchanged; infers its option types. */
export function defineJob<S extends OptionSchema>(spec: JobSpec<S>): JobSpec<S> {
  return spec;
}
