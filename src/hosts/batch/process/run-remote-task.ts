// SPDX-License-Identifier: MIT
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../disk/index.ts';
import { connectS3 } from '../../queue/index.ts';
import type { BatchTask, JobRecord } from '../batch-job.ts';
import { isRemote, type RemoteFiles } from '../remote-files.ts';
import { runTask, type TaskHost } from './run-task.ts';

/** Runs a task whose inputs or outputs may be on remote storage, through a temporary folder. Other tasks are run as they are. */
export async function runRemoteTask(
  task: BatchTask,
  host: TaskHost,
  connect: () => Promise<RemoteFiles> = connectS3,
): Promise<JobRecord> {
  const { id, job, out } = task;
  const isUploaded = isRemote(out);
  if (!isUploaded && !job.inputs.some(isRemote)) return runTask(task, host);
  const remote = await connect();
  const folder = await makeTemporaryFolder(tmpdir(), 'remote');
  try {
    const inputs: string[] = [];
    for (const [n, input] of job.inputs.entries()) {
      if (!isRemote(input)) inputs.push(input);
      else {
        await mkdir(join(folder, String(n)));
        inputs.push(join(folder, String(n), basename(input)));
        await remote.download(input, inputs[n]);
      }
    }
    const local = isUploaded ? join(folder, 'out') : out;
    const named = (record: JobRecord): JobRecord => ({ ...record, inputs: job.inputs });
    const record = await runTask(
      { id, job: { ...job, inputs }, out: local },
      {
        ...host,
        claim: async () => (isUploaded ? undefined : host.claim?.()),
        commit: async (one) => (isUploaded ? undefined : host.commit(named(one))),
      },
    );
    if (isUploaded) {
      await host.claim?.();
      // the output is last: whoever finds it finds the others
      const files = [...record.files].sort((a, b) => Number(a.path === job.output) - Number(b.path === job.output));
      for (const { path } of files) await remote.upload(`${out.replace(/\/+$/, '')}/${path}`, join(local, path), id);
      await host.commit(named(record));
    }
    return named(record);
  } finally {
    await removeTemporaryFolder(folder);
  }
}
