// SPDX-License-Identifier: MIT
import { UsageError } from '../../core/model/errors.ts';
import type { Json } from '../../core/options/option.ts';
import { settleOptions } from '../../core/options/settle-options.ts';
import {
  type CheckedJob,
  type FileSettings,
  type Job,
  JobContext,
  type JobFacts,
  type JobHooks,
  type JobIo,
  type JobOutcome,
  type JobSpec,
  limitFiles,
  makeReport,
  refuseUnread,
  reportInputOf,
  UNKNOWN_MACHINE_MEMORY,
} from '../engine/index.ts';
import { isGlb, splitTarget } from '../shared/index.ts';
import type { FinishedFacts } from '../written/index.ts';
import { checkUnits } from './check-units.ts';
import { loadJob } from './job-table.ts';

/**
 * Runs a job: checks its options, reads its inputs through `io`, and returns the files it made and its report. Nothing is stored. The same
 * job gives the same files everywhere. Throws a UsageError if the job is invalid, an InputError whose subject is a
 * file, or an AbortError.
 * @example
 * ```ts
 * import { readFile, writeFile } from 'node:fs/promises';
 * import { type JobIo, readAsset, runJob } from 'ossify';
 *
 * const io: JobIo = {
 *   open: async (input) => ({
 *     input,
 *     asset: await readAsset([{ name: input, bytes: await readFile(input) }]),
 *     paths: [input],
 *   }),
 *   read: (path) => readFile(path),
 *   threads: 4,
 *   version: '0.2.0',
 * };
 * const job = { command: 'decompose', inputs: ['cloth.glb'], output: 'out.glb', options: { bones: 20, maxError: '1mm' } };
 * const { files, report } = await runJob(job, io);
 * for (const { path, bytes } of files) await writeFile(path, bytes);
 * ```
 */
export async function runJob(job: Job, io: JobIo, hooks: JobHooks = {}): Promise<JobOutcome> {
  const spec = await loadJob(job.command);
  const { values, json, own: ownJob, settings } = checkJob(spec, job);
  values.maxMemory ??= io.maxMemory ?? UNKNOWN_MACHINE_MEMORY;
  const plan: CheckedJob['plan'] = (all, size) => spec.plan?.(all as typeof values, size);
  const files = limitFiles(io, job, { schema: spec.options, values, isFolder: spec.output?.isFolder });
  const context = new JobContext(ownJob, values, values, files.io, hooks, { plan, settings });
  let facts: FinishedFacts;
  try {
    facts = await finish(spec, await spec.run(context), context);
    files.checkWritten(facts.files.map(({ path }) => path));
  } catch (error) {
    throw context.nameError(error);
  } finally {
    await context.dispose();
  }
  const { threads, seed, ...own } = { ...json, ...facts.options };
  const report = makeReport({
    version: io.version,
    command: job.command,
    options: own,
    inputs: facts.inputs.map(({ input, asset }) => reportInputOf(input, asset)),
    result: { ...facts.result, ...(facts.gate ? { gate: facts.gate } : {}) },
    metrics: facts.metrics,
    bytes: facts.bytes,
    files: facts.files.map(({ path, bytes }) => ({ path, bytes: bytes.length })),
    ...(facts.output ? { output: facts.output } : {}),
    ...(spec.output ? { losses: facts.losses } : {}),
    ...(facts.target ? { target: facts.target } : {}),
    seconds: context.seconds,
    totalSeconds: Object.values(context.seconds).reduce((sum, seconds) => sum + seconds, 0),
    peakMemory: io.peakMemory?.(),
    threads: typeof threads === 'number' ? threads : io.threads,
    seed: typeof seed === 'number' ? seed : 0,
  });
  return { report, files: facts.files, gate: facts.gate, ...(facts.isUnfit ? { isUnfit: true } : {}) };
}

/** The checked options of a job. */
export interface CheckedOptions {
  /** Parsed values, including defaults, without those of the target. */
  values: Record<string, unknown>;
  /** All values as JSON, for the report. */
  json: Record<string, Json | undefined>;
  /** The job as it runs, without the options of the target. */
  own: Job;
  settings: FileSettings;
}

/** Checks a job without reading files. */
export function checkJob(spec: JobSpec, job: Job): CheckedOptions {
  const { values: all, json } = settleOptions(spec, job);
  const { own, values, settings } = splitTarget(spec, job, all);
  const needed = spec.inputs.filter(({ isOptional }) => !isOptional).length;
  if (job.inputs.length < needed || job.inputs.length > spec.inputs.length)
    throw new UsageError(
      spec.name,
      `needs ${needed === 1 ? 'one input' : `${needed} inputs`}, got ${job.inputs.length}`,
    );
  checkOutput(spec, job.output);
  checkUnits(spec, job);
  if (spec.output?.isCharacter && job.output !== undefined && !isGlb(job.output))
    refuseUnread(job, ['meshopt'], 'applies to .glb only; remove it');
  spec.check?.(values as never, own);
  return { values, json, own, settings };
}

function checkOutput({ name, output: kind }: JobSpec, output: string | undefined): void {
  if (output === undefined) {
    if (kind && !kind.isOptional) throw new UsageError(name, 'needs an output');
    return;
  }
  if (!kind) throw new UsageError(name, `makes no file, so there is nothing to write to "${output}"`);
  const isKnown = kind.extensions.some((extension) => output.toLowerCase().endsWith(extension));
  if (!isKnown) throw new UsageError(name, `the output must end in ${kind.extensions.join(', ')}, not "${output}"`);
}

/** Finishes the outputs of a job. What that needs is loaded only where there are outputs: a command that only reads starts without it. */
async function finish(spec: JobSpec, made: JobFacts, context: JobContext): Promise<FinishedFacts> {
  if (made.files.length === 0 && !made.measure && !context.settings.target) return { ...made, losses: [] };
  const { finishOutputs } = await import('../written/finish-outputs.ts');
  return finishOutputs(spec, made, context);
}
