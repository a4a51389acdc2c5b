// SPDX-License-Identifier: MIT
import { join, resolve } from 'node:path';
import { jsonLine } from '../../../jobs/engine/index.ts';
import { type BatchJob, emitScript, resolveJob } from '../../batch/index.ts';
import { makeFolder, writeOutputs } from '../../disk/index.ts';
import type { BatchContext } from './batch.ts';

/** Name of the list in the output folder that scripts refer to. */
const LIST = 'ossify-jobs.jsonl';

/** Prints the script of `ossify batch --emit`. Scripts for farms refer to a list of all jobs, which is written into the output folder. */
export async function emitBatch(context: BatchContext, jobs: readonly BatchJob[], out: string): Promise<void> {
  const { emit = 'make', timeLimit, threads } = context.options;
  const resolved = jobs.map(resolveJob);
  const list = join(resolve(out), LIST);
  if (emit !== 'make') {
    await makeFolder(out);
    await writeOutputs([{ path: list, bytes: resolved.map(jsonLine).join('') }]);
    context.note(`wrote the list of jobs, ${list}`);
  }
  context.io.stdout.write(emitScript(emit, { jobs: resolved, list, out: resolve(out), timeLimit, threads }));
}
