// SPDX-License-Identifier: MIT
import { dirname, relative, resolve, sep } from 'node:path';
import { mapFiles } from '../../../core/options/list-files.ts';
import type { Json } from '../../../core/options/option.ts';
import type { Job, JobHooks, JobIo, JobOutcome } from '../../../jobs/engine/index.ts';
import { findJob, runJob } from '../../../jobs/table/index.ts';
import { checkOutputs, makeDiskIo, makeFolder, writeOutputs } from '../../disk/index.ts';
import type { BatchTask, FileDigest, JobRecord } from '../batch-job.ts';
import { hashBytes } from '../hash-file.ts';
import { checkPlaces } from '../plan/place-output.ts';

/** What a task needs from the process that runs it. */
export interface TaskHost extends Pick<JobIo, 'reserveMemory'>, Pick<JobHooks, 'onProgress' | 'signal'> {
  /** Whether this run may still write: called when all files are complete under temporary names. If it throws, none gets its final name. */
  claim?(): Promise<void>;
  /** Stores the record. Called when all files have their final names; if it throws, the files that were there before are put back. */
  commit(record: JobRecord): Promise<void>;
  /** Number of threads if the job does not give one. */
  threads: number;
  maxMemory: number;
}

/**
 * Runs a job and writes its files into the output folder. The record is stored when the files have their final names: whoever finds it knows that all of
 * them are there. A process that was killed before left whole files without a record, which the next run writes again with the same bytes.
 */
export async function runTask({ id, job, out }: BatchTask, host: TaskHost): Promise<JobRecord> {
  // tasks also come from a queue, which others can write to
  checkPlaces([job]);
  const output = job.output === undefined ? undefined : resolve(out, job.output);
  if (output !== undefined) await makeFolder(dirname(output));
  const resources: FileDigest[] = [];
  const read: string[] = [];
  const io = makeDiskIo({
    ...{ signal: host.signal, threads: host.threads, maxMemory: host.maxMemory, reserveMemory: host.reserveMemory },
    onResource: (path, bytes) => resources.push({ path, bytes: bytes.length, sha256: hashBytes(bytes) }),
    async checkOutputs(outputs, inputs) {
      read.push(...inputs);
      await checkOutputs(outputs, inputs);
    },
  });
  const start = performance.now();
  const outcome = await runJob(placeOutputs(job, out), io, { onProgress: host.onProgress, signal: host.signal });
  const { files } = outcome;
  const record: JobRecord = {
    ...{ id, status: 'done', command: job.command, inputs: job.inputs, output: job.output },
    files: files.map(({ path, bytes }) => ({
      path: relative(out, resolve(path)).split(sep).join('/'),
      bytes: typeof bytes === 'string' ? Buffer.byteLength(bytes) : bytes.length,
      sha256: hashBytes(bytes),
    })),
    resources,
    ...numbersOf(outcome),
    seconds: 0,
  };
  const finish = () => {
    record.seconds = (performance.now() - start) / 1000;
    return host.commit(record);
  };
  for (const folder of new Set(files.map(({ path }) => dirname(path)))) await makeFolder(folder);
  const claim = () => host.claim?.() ?? Promise.resolve();
  if (files.length > 0) await writeOutputs(files, read, { onStaged: claim, onPublished: finish, isSwept: true });
  else {
    await claim();
    await finish();
  }
  return record;
}

/** The job with the names of its files in the output folder. */
function placeOutputs(job: Job, out: string): Job {
  const { options: schema } = findJob(job.command);
  return {
    ...job,
    output: job.output === undefined ? undefined : resolve(out, job.output),
    options: mapFiles(schema, job.options ?? {}, ({ path, use }) => (use === 'output' ? resolve(out, path) : path)),
  };
}

/** The parts of a report that a table of many jobs shows. Lists, such as the errors of all frames, are left out. */
function numbersOf({ report, gate }: JobOutcome): Pick<JobRecord, 'result' | 'metrics' | 'gate' | 'peakMemory'> {
  const single = (values: object): Record<string, Json> =>
    Object.fromEntries(
      Object.entries(values).filter(([, value]) => ['number', 'string', 'boolean'].includes(typeof value)),
    );
  return { result: single(report.result), metrics: single(report.metrics), gate, peakMemory: report.peakMemory };
}
