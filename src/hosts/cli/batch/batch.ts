// SPDX-License-Identifier: MIT
import { UsageError } from '../../../core/model/errors.ts';
import type { Json, OptionsOf } from '../../../core/options/option.ts';
import { findJob } from '../../../jobs/table/index.ts';
import { type CliContext, defineCommand, listGiven, makeCommand } from '../command.ts';
import { jobCommand } from '../job-command.ts';
import { EXIT_DONE } from '../terminal/exit-status.ts';
import { BATCH_OPTIONS } from './batch-options.ts';

export type BatchContext = CliContext<OptionsOf<typeof BATCH_OPTIONS>>;

export const batchCommand = defineCommand({
  name: 'batch',
  summary: 'run a command on many files: resumable, on all cores or on a queue',
  description:
    'Runs a job for each file that a pattern matches, or for each line of a list, in processes that are started once. Finished jobs are not run again ' +
    'unless their input, their options or the version of ossify changed. A job that crashes or exceeds its limits fails alone. Output that is not a ' +
    'terminal gets one JSON line per job. Exit status: 1 if a job failed, 3 if an error limit was not met.',
  arguments: [
    {
      name: '<inputs...>',
      description: "patterns in quotation marks ('caches/**/*.abc'), files, or lists of jobs (jobs.jsonl)",
    },
  ],
  examples: [
    {
      line: "batch 'caches/**/*.abc' --job decompose --max-error 2mm --unit cm --out out --page batch.html",
      does: 'one skinned GLB per cache, and a page with all of them',
    },
    { line: 'batch jobs.jsonl --out out --report batch.json', does: 'one job per line of a file' },
    { line: 'batch jobs.jsonl --out /mnt/out --queue redis://host', does: 'on the machines that run ossify worker' },
    { line: 'batch jobs.jsonl --out out --emit slurm > batch.sh', does: 'a script for another scheduler' },
  ],
  options: BATCH_OPTIONS,
  takesOtherOptions: true,
  isStoppable: true,
  jsonHelp: 'print one JSON line per job, also on a terminal',
  async run(context) {
    const { out, job, emit } = context.options;
    if (out === undefined) throw new UsageError('--out', 'is needed: give the output folder');
    const { inputs, options } = splitArguments(context, job);
    const { planJobs } = await import('../../batch/plan/plan-jobs.ts');
    const { extension, priority, part } = context.options;
    const plan = { command: job, options, extension, priority, part: emit === undefined ? part : undefined };
    const jobs = await planJobs(inputs, plan);
    if (emit !== undefined) {
      const { emitBatch } = await import('./emit-batch.ts');
      await emitBatch(context, jobs, out);
      return EXIT_DONE;
    }
    const { performBatch } = await import('./perform-batch.ts');
    return performBatch(context, jobs, out);
  },
});

/** Separates inputs from the options of the job, which the schema of the batch does not have. */
function splitArguments(
  context: BatchContext,
  name: string | undefined,
): { inputs: string[]; options: Record<string, Json> } {
  const { args, program, given } = context;
  const firstFlag = args.find((word) => /^--?[a-z]/i.test(word));
  if (name === undefined) {
    if (firstFlag !== undefined)
      throw new UsageError(
        firstFlag,
        'is no option of batch; options of a command need --job, or are in the list of jobs',
      );
    return { inputs: args, options: {} };
  }
  const spec = findJob(name);
  const command = makeCommand(jobCommand(spec)).copyInheritedSettings(program);
  const { operands, unknown } = command.parseOptions(args);
  if (unknown.length > 0) throw new UsageError(unknown[0], `is no option of batch or ${name}`);
  const shared = Object.entries(given).filter(([key]) => key === 'threads' || key === 'seed');
  return { inputs: operands, options: { ...Object.fromEntries(shared), ...listGiven(command, spec.options) } };
}
