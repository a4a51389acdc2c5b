// SPDX-License-Identifier: MIT
import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { FormatError, InputError, UsageError } from '../../core/model/errors.ts';
import type { Remark } from '../../core/model/remark.ts';
import { describeMissing, type InputFile, readAsset, readStreamed } from '../../formats/assets/index.ts';
import type { OpenedInput, ReadValues } from '../../jobs/engine/index.ts';
import { checkFileBytes, checkHeldBytes } from './limit-memory.ts';
import { listInputFiles } from './list-input-files.ts';
import { openRangeFile } from './open-range-file.ts';
import { readBytes } from './read-bytes.ts';
import { findInFolder, makeResourceReader } from './resource-folder.ts';

export interface OpenHooks {
  /** Receives remarks of readers. */
  remark?: Remark;
  /** Called with each file that the input refers to: buffers and images of a glTF, layers of a USD file. */
  onResource?(path: string, bytes: Uint8Array): void;
  signal?: AbortSignal;
}

/** Reads an input from the disk. Throws errors whose subject is a file. */
export async function openFiles(
  input: string,
  options: ReadValues,
  { remark, onResource, signal }: OpenHooks = {},
): Promise<OpenedInput> {
  const { rest: restOption, folder, ...own } = options;
  const { rest, paths } = await listInputFiles(input, restOption);
  const path = folder === undefined ? undefined : await findInFolder(paths[0], folder);
  if (folder !== undefined && path === undefined) throw new UsageError('--folder', `${paths[0]} is not in "${folder}"`);
  const streamed = await openStreamed(input, rest === undefined ? paths : [], own, remark);
  if (streamed) return streamed;
  const all = rest === undefined ? paths : [rest, ...paths];
  const { maxMemory = Number.POSITIVE_INFINITY } = own;
  await checkFileBytes(input, all, maxMemory);
  const files: InputFile[] = [];
  for (const path of all) {
    signal?.throwIfAborted();
    files.push({ name: path, bytes: await readBytes(path) });
  }
  let byteLength = files.reduce((sum, file) => sum + file.bytes.length, 0);
  const restFile = rest === undefined ? undefined : files.shift();
  try {
    const asset = await readAsset(files, {
      ...own,
      path,
      rest: restFile,
      resolve: async (uri, file = paths[0]) => {
        const bytes = await makeResourceReader(file, folder)(uri);
        byteLength += bytes.length;
        onResource?.(resolve(dirname(file), uri), bytes);
        return bytes;
      },
      log: remark,
    });
    const missing = asset.clips.length > 0 || asset.sequence ? describeMissing(paths) : undefined;
    if (missing !== undefined) remark?.(missing);
    checkHeldBytes(input, all, asset, maxMemory);
    return { input, asset: { ...asset, byteLength }, paths: all };
  } catch (error) {
    const subject = all.length === 1 ? all[0] : input;
    if (error instanceof FormatError) throw error.withSubject(subject);
    if (error instanceof RangeError)
      throw new InputError(subject, 'is too large for the memory of this machine', { cause: error });
    // the file is what a user knows, not the function that found the fault
    if (error instanceof InputError && !all.includes(error.subject) && error.subject !== subject)
      throw new InputError(subject, error.fault, { cause: error });
    throw error;
  }
}

/** A mesh and one point cache, if the cache is large enough to be read in ranges. */
async function openStreamed(
  input: string,
  paths: readonly string[],
  { streamAbove = Number.POSITIVE_INFINITY, ...options }: ReadValues,
  remark: OpenHooks['remark'],
): Promise<OpenedInput | undefined> {
  if (paths.length !== 2 || !Number.isFinite(streamAbove)) return undefined;
  const [mesh, cache] = paths;
  const facts = await stat(cache).catch(() => undefined);
  if (!facts?.isFile() || facts.size <= streamAbove) return undefined;
  const file = await openRangeFile(cache);
  try {
    const stream = await readStreamed({ name: mesh, bytes: await readBytes(mesh) }, file, { ...options, log: remark });
    if (stream) return { input, asset: stream.asset, paths, stream: { ...stream, close: file.close } };
  } catch (error) {
    await file.close();
    throw error instanceof FormatError && error.subject === '' ? error.withSubject(cache) : error;
  }
  await file.close();
  return undefined;
}
