// SPDX-License-Identifier: MIT
import { stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { InputError } from '../../../core/model/errors.ts';
import type { ReadValues } from '../../../jobs/engine/index.ts';
import { describeReadError, listInputFiles, makeResourceReader, readBytes } from '../../disk/index.ts';
import type { ServedFile, ServedInput } from './view-server.ts';

/** The files of an input, with the buffers and images of a .gltf, and their read options. */
export async function listViewInput(input: string, options: ReadValues): Promise<ServedInput> {
  const { fps, unit, up, scale } = options;
  const { rest, paths } = await listInputFiles(input, options.rest);
  const files: ServedFile[] = [];
  for (const path of rest === undefined ? paths : [rest, ...paths]) {
    await checkFile(path);
    files.push({ name: basename(path), read: () => readBytes(path) });
    if (extname(path).toLowerCase() === '.gltf') files.push(...(await listResources(path)));
  }
  return { options: { fps, unit, up, scale, ...(rest === undefined ? {} : { hasRest: true }) }, files };
}

async function checkFile(path: string): Promise<void> {
  let isFile: boolean;
  try {
    isFile = (await stat(path)).isFile();
  } catch (error) {
    throw describeReadError(path, error);
  }
  if (!isFile) throw new InputError(path, 'is not a file');
}

/** The buffers and images of a .gltf inside its own folder. A file that is not JSON is served too: the page reports the error. */
async function listResources(path: string): Promise<ServedFile[]> {
  const read = makeResourceReader(path);
  let json: { buffers?: { uri?: unknown }[]; images?: { uri?: unknown }[] };
  try {
    json = JSON.parse(new TextDecoder().decode(await readBytes(path)));
  } catch {
    return [];
  }
  const list = [json?.buffers, json?.images].flatMap((one) => (Array.isArray(one) ? one : []));
  const uris = list.map((entry) => entry?.uri).filter((uri): uri is string => typeof uri === 'string');
  return [...new Set(uris)]
    .filter((uri) => !uri.startsWith('data:'))
    .map((uri) => ({ name: decodeUri(uri), read: () => read(decodeUri(uri)) }));
}

function decodeUri(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri;
  }
}
