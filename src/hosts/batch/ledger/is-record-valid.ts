// SPDX-License-Identifier: MIT
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { FileDigest, JobRecord } from '../batch-job.ts';
import { hashFile } from '../hash-file.ts';

/**
 * Whether a job is finished: it has a record of that, all its files are in the output folder with the recorded bytes, and no file that its inputs refer
 * to has changed. Files may be changed or removed after the record was written, so a record alone proves nothing.
 */
export async function isRecordValid(record: JobRecord | undefined, out: string): Promise<boolean> {
  if (record?.status !== 'done') return false;
  for (const file of record.files) if (!(await isSame(file, resolve(out, file.path)))) return false;
  for (const file of record.resources) if (!(await isSame(file, file.path))) return false;
  return true;
}

async function isSame({ bytes, sha256 }: FileDigest, path: string): Promise<boolean> {
  const facts = await stat(path).catch(() => undefined);
  if (!facts?.isFile() || facts.size !== bytes) return false;
  return (await hashFile(path)).sha256 === sha256;
}
