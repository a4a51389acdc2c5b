// SPDX-License-Identifier: MIT
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { fileOf } from '../../core/options/list-files.ts';
import type { Job } from '../../jobs/engine/index.ts';
import { checkJob, findJob } from '../../jobs/table/index.ts';
import { buildId, listInputFiles, readBytes } from '../disk/index.ts';
import { hashBytes, hashFile } from './hash-file.ts';
import { isRemote, type RemoteFiles } from './remote-files.ts';

/** Options that change the time of a job, never its result. */
const WITHOUT_EFFECT = ['threads', 'maxMemory'];

/**
 * The identity of a job: a hash of the bytes and names of its input files and of the files that its options name, its options after defaults, the name of its output, and the version and
 * kernels of this package. Files that inputs refer to are not part of it; their hashes are in the record of the finished job. Throws a UsageError
 * if the job is invalid and an InputError if a file cannot be read.
 * @param remote reads the tags of inputs on remote storage; their bytes are not fetched
 * @example
 * ```ts
 * import { identifyJob } from 'ossify/batch';
 *
 * const id = await identifyJob({ command: 'decompose', inputs: ['cloth.abc'], output: 'cloth.glb', options: { bones: 20 } });
 * ```
 */
export async function identifyJob(job: Job, remote?: RemoteFiles): Promise<string> {
  const spec = findJob(job.command);
  const { json } = checkJob(spec, job);
  const options: [string, unknown][] = [];
  for (const key of Object.keys(json).sort()) {
    const value = json[key];
    if (WITHOUT_EFFECT.includes(key) || value === undefined) continue;
    const { type } = spec.options[key];
    const path = type.names === 'input' ? fileOf(type, value) : undefined;
    options.push([key, path === undefined ? value : await identifyInput(path)]);
  }
  const rest = typeof json.rest === 'string' ? json.rest : undefined;
  const inputs: unknown[] = [];
  for (const input of job.inputs) {
    if (spec.inputs.some(({ choices }) => choices)) inputs.push(input);
    else if (isRemote(input)) inputs.push(await remote?.identify(input));
    else inputs.push(await identifyInput(input, rest));
  }
  return hashBytes(JSON.stringify([buildId(), job.command, options, inputs, job.output ?? '']));
}

async function identifyInput(input: string, rest?: string): Promise<string[][]> {
  const files = await listInputFiles(input, rest);
  const paths = files.rest === undefined ? files.paths : [files.rest, ...files.paths];
  const digests: string[][] = [];
  for (const path of paths) {
    // readBytes reports folders, devices and files that are too large
    if (!isPlainFile(path)) await readBytes(path, false);
    digests.push([basename(path), (await hashFile(path)).sha256]);
  }
  return digests;
}

function isPlainFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
