// SPDX-License-Identifier: MIT

import { makeCompute } from '../../core/compute/make-compute.ts';
import type { Compute } from '../../core/kernels/compute.ts';
import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import type { Asset } from '../../core/model/asset.ts';
import { joinAnimations } from '../../core/model/clip/join-animations.ts';
import type { SearchDevice } from '../../core/model/clip/triangle-search.ts';
import { FormatError, faultOf, InputError, SubjectError, UsageError } from '../../core/model/errors.ts';
import type { Remark } from '../../core/model/remark.ts';
import { lengthInFileUnits, parseLength } from '../../core/options/length.ts';
import type { OptionsOf } from '../../core/options/option.ts';
import type { ErrorGoal } from '../../core/progress/error-goal.ts';
import type { ProgressInfo } from '../../core/progress/solve-monitor.ts';
import type { WriteGlbOptions } from '../../formats/gltf/index.ts';
import type { MeasureRun, Written } from '../../measure/index.ts';
import { type CheckedJob, checkJobMemory } from './check-job-memory.ts';
import type { COMMON_OPTIONS, STORE_OPTIONS, TOGETHER_OPTION } from './common-options.ts';
import type { FileSettings, Gate, Job, JobHooks, JobIo, OpenedInput, OpenedSearchDevice, ReadValues } from './job.ts';
import { refuseUnread } from './refuse-unread.ts';

/** Milliseconds that a host needs to remove its interrupt handler, so that a second interrupt ends the process. */
const INTERRUPT_MS = 70;

/** Subject of errors about a file that a job made, read back to be measured. */
export const WRITTEN_FILE = 'the written file';

/** Values of the options that most jobs have. */
export interface CommonValues
  extends ReadValues,
    Partial<OptionsOf<typeof COMMON_OPTIONS>>,
    Partial<OptionsOf<typeof TOGETHER_OPTION>>,
    Partial<OptionsOf<typeof STORE_OPTIONS>> {
  maxError?: string;
  for?: 'size';
}

/** What was found before a job runs. */
export interface CheckedContext {
  plan?: CheckedJob['plan'];
  settings?: FileSettings;
}

/** The options, files and callbacks of a running job. */
export class JobContext<Options extends object = object> {
  readonly job: Job;
  readonly options: Options;
  readonly signal: AbortSignal;
  /** What the output is made for. */
  readonly settings: FileSettings;
  /** Sentences about what was changed in the output for it. */
  readonly changes: string[] = [];
  /** Seconds per phase, in the order the phases ended. */
  readonly seconds: Record<string, number> = {};
  readonly #io: JobIo;
  readonly #hooks: JobHooks;
  readonly #noted = new Set<string>();
  readonly #common: CommonValues;
  readonly #plan?: CheckedJob['plan'];
  readonly #paths: string[] = [];
  readonly #inputs: string[];
  readonly #subjects = new Map<string, string>();
  /** Errors of JobIo, which already name their file. */
  readonly #named = new WeakSet<object>();
  #isMemoryChecked = false;
  #compute?: Promise<Compute>;
  #opened?: OpenedSearchDevice;

  constructor(
    job: Job,
    options: Options,
    common: CommonValues,
    io: JobIo,
    hooks: JobHooks,
    checked: CheckedContext = {},
  ) {
    this.job = job;
    this.#plan = checked.plan;
    this.settings = checked.settings ?? {};
    this.options = options;
    this.signal = hooks.signal ?? new AbortController().signal;
    this.#io = io;
    this.#hooks = hooks;
    this.#common = common;
    this.#inputs = [...job.inputs];
  }

  /** The output's path; empty for jobs without one. */
  get output(): string {
    return this.job.output ?? '';
  }

  /** Whether nothing may be lost or repaired (--strict). */
  get isStrict(): boolean {
    return this.#common.strict === true;
  }

  /** How frames are measured, with progress of the phase "measure". */
  get measuring(): MeasureRun {
    return { host: this.#io.measureHost, onProgress: (fraction) => this.progress({ phase: 'measure', fraction }) };
  }

  /** The threads of this job, started at the first call: one pool for solving and measuring. */
  compute(): Promise<Compute> {
    this.#compute ??= makeCompute({ threads: this.#common.threads });
    return this.#compute;
  }

  /** The GPU of this job, for searches. Throws a UsageError where the host has none. */
  async searchDevice(): Promise<SearchDevice> {
    if (!this.#io.openSearchDevice)
      throw new UsageError('--gpu', 'is supported by the command line only; leave this option out');
    this.#opened ??= await this.#outside(this.#io.openSearchDevice());
    return this.#opened.device;
  }

  /** Ends the threads, and closes the GPU. */
  async dispose(): Promise<void> {
    this.#opened?.close();
    (await this.#compute)?.dispose();
  }

  /** Whether an option was given, as opposed to its default. */
  isGiven(key: string): boolean {
    return this.job.options?.[key] !== undefined;
  }

  /** Passes a remark to the user, once. */
  note(text: string): void {
    if (this.#noted.has(text)) return;
    this.#noted.add(text);
    this.#hooks.onNote?.(text);
  }

  /** Passes a remark about a change of the output to the user, and keeps it for the report. */
  noteChange(text: string): void {
    if (!this.changes.includes(text)) this.changes.push(text);
    this.note(text);
  }

  /** Tells the user that the best result so far will be written. */
  noteInterrupted(): void {
    this.#hooks.onInterrupted?.();
  }

  /** For the onProgress of solvers. */
  readonly progress = ({ phase, fraction, eRms }: ProgressInfo): void => {
    this.#hooks.onProgress?.({ phase, fraction, eRms });
  };

  /** Runs a phase and adds its time to `seconds`; an interrupted job stops before it. */
  async phase<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    // Lets a pending interrupt arrive between two synchronous phases.
    await new Promise((resolve) => setTimeout(resolve));
    this.signal.throwIfAborted();
    return this.finish(name, work);
  }

  /** The same for phases that an interrupt must not stop: writing and measuring the best result so far. */
  async finish<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    if (this.signal.aborted) await new Promise((resolve) => setTimeout(resolve, INTERRUPT_MS));
    this.#hooks.onProgress?.({ phase: name, fraction: 0 });
    const start = performance.now();
    try {
      const made = await work();
      if (name === 'write' && made instanceof Uint8Array) this.#hooks.onWritten?.(made);
      return made;
    } finally {
      this.seconds[name] = (this.seconds[name] ?? 0) + (performance.now() - start) / 1000;
    }
  }

  /**
   * Reads an input in the phase "read".
   * @param options in place of those of the job
   * @param receive receives the remarks of the reader in place of the user
   */
  open(
    input: string,
    options: Partial<ReadValues> & { together?: 'auto' | 'yes' | 'no' } = {},
    receive?: Remark,
  ): Promise<OpenedInput> {
    return this.phase('read', async () => {
      const remarks: string[] = [];
      const repairs: string[] = [];
      const remark: Remark = receive ?? ((text, kind) => (kind === 'repair' ? repairs : remarks).push(text));
      const opened = await this.#outside(this.#io.open(input, { ...this.#common, ...options }, remark));
      if (this.isStrict && repairs.length > 0)
        throw new InputError(input, `has faults, and --strict is given: ${repairs.join('; ')}`);
      this.#paths.push(...opened.paths);
      this.#inputs.push(input);
      const { together } = { ...this.#common, ...options };
      const asset = together ? joinAnimations(opened.asset, together, (text) => remarks.push(text)) : opened.asset;
      this.#tellRemarks(input, [...repairs, ...remarks]);
      if (asset.clips.length > 0 && this.job.inputs.includes(input))
        refuseUnread(
          this.job,
          ['rate'],
          `is for animations, and ${input} has frames of positions; remove it, use every other frame (--frames ::2), or give --fps`,
        );
      const joined = { ...opened, asset };
      await this.#checkMemory(joined);
      return joined;
    });
  }

  /** The files of an input in order, each of which can be opened. */
  async list(input: string): Promise<string[]> {
    return (await this.#outside(this.#io.list?.(input))) ?? [input];
  }

  /** Sets the file names that errors about a subject show. */
  name(subject: string, file: string): void {
    this.#subjects.set(subject, file);
  }

  /** The bytes of a file that an option names. Errors of this subject are about that file. */
  async read(path: string, subject: string): Promise<Uint8Array> {
    this.name(subject, path);
    this.#paths.push(path);
    this.#inputs.push(path);
    return this.#outside(this.#io.read(path));
  }

  /** Throws now if outputs could not be written later, or would overwrite an input. */
  async claim(outputs: readonly string[]): Promise<void> {
    await this.#outside(this.#io.checkOutputs?.(outputs, this.#paths));
  }

  /**
   * Checks the memory of an input again.
   * @param found options whose value was found since it was read
   */
  checkMemory(opened: OpenedInput, found: object): void {
    this.#estimate(opened, found);
  }

  /** A length in the units of an asset. */
  lengthOf(text: string, { mesh, metresPerUnit }: Pick<Asset, 'mesh' | 'metresPerUnit'>): number {
    return lengthInFileUnits(parseLength(text), { diagonal: measureBounds(mesh.positions).diagonal, metresPerUnit });
  }

  /** The limit of --max-error in the units of an asset; undefined if it is not given. */
  limitOf(asset: Pick<Asset, 'mesh' | 'metresPerUnit'>): number | undefined {
    const { maxError } = this.#common;
    return maxError === undefined ? undefined : this.lengthOf(maxError, asset);
  }

  /** How a GLB is stored, for writeGlb. */
  get storing(): WriteGlbOptions {
    const { quantize, meshopt, shading: wanted, for: aim } = this.#common;
    // normals that the input does not have take a tenth of a small file
    const shading = aim === 'size' && !this.isGiven('shading') ? 'keep' : wanted;
    return { quantize, meshopt, shading, log: (text) => this.note(text) };
  }

  /** Adds the name of an input to an error that has none. */
  nameError(error: unknown): unknown {
    if (!(error instanceof Error) || error.name === 'AbortError' || this.#named.has(error)) return error;
    if (error instanceof UsageError && !this.#subjects.has(error.subject)) return error;
    const subject = error instanceof SubjectError ? error.subject : '';
    if (this.#inputs.includes(subject) || this.#paths.includes(subject)) return error;
    if (subject === WRITTEN_FILE) {
      const fault = `could not be read back: ${faultOf(error)}; this is a defect of ossify, and nothing was written`;
      return new InputError(this.output, fault, { cause: error });
    }
    const file = this.#subjects.get(subject) ?? this.#inputs[0] ?? this.output;
    if (error instanceof FormatError)
      return new FormatError(error.format, error.code, error.fault, error.byteOffset, file);
    const fault = error instanceof RangeError ? 'is too large for the memory of this machine' : faultOf(error);
    return new InputError(file, fault, { cause: error });
  }

  /** The first input that moves determines the frames. */
  async #checkMemory(opened: OpenedInput): Promise<void> {
    const { clips, animations } = opened.asset;
    if (this.#isMemoryChecked || clips.length + animations.length === 0) return;
    if (!this.job.inputs.includes(opened.input)) return;
    this.#isMemoryChecked = true;
    const bytes = this.#estimate(opened);
    await this.#io.reserveMemory?.(bytes);
  }

  /** Throws an InputError if the frames of an input need too much memory; returns its bytes. */
  #estimate(opened: OpenedInput, found: object = {}): number {
    const { command, inputs } = this.job;
    const values = { ...this.options, ...found };
    return checkJobMemory({ command, values, isPair: inputs.length > 1, plan: this.#plan }, opened);
  }

  async #outside<T>(work: Promise<T> | undefined): Promise<T> {
    try {
      return (await work) as T;
    } catch (error) {
      if (error instanceof SubjectError) this.#named.add(error);
      throw error;
    }
  }

  #tellRemarks(input: string, remarks: readonly string[]): void {
    // of several files, each without its folder
    const name = input
      .split('+')
      .map((part) => part.replace(/^.*[/\\](?=.)/, ''))
      .join('+');
    for (const remark of remarks.slice(0, MAX_REMARKS)) this.note(`${name}: ${remark}`);
    for (const remark of remarks.slice(MAX_REMARKS)) this.#hooks.onDetail?.(`note: ${name}: ${remark}`);
    const hidden = this.#hooks.onDetail ? 0 : remarks.length - MAX_REMARKS;
    if (hidden > 0) this.note(`${name}: and ${hidden} more remarks; --verbose shows them`);
  }
}

/** Maximum remarks about one file without --verbose. */
const MAX_REMARKS = 4;

/** Makes the gate of an error limit. */
export function makeGate(maxError: number | undefined, max: number): Gate | undefined {
  return maxError === undefined ? undefined : { maxError, max, isMet: max <= maxError };
}

/** The gate of a goal: the largest error at frames and between them, or the mean at frames. */
export function makeGoalGate(
  goal: ErrorGoal | undefined,
  { error, between }: Pick<Written, 'error' | 'between'>,
): Gate | undefined {
  if (goal?.kind === 'rms') return { ...makeGate(goal.limit, error.rmse)!, of: 'rms' };
  return makeGate(goal?.limit, Math.max(error.max, between.max));
}
