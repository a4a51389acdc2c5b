// SPDX-License-Identifier: MIT
import { realpath } from 'node:fs/promises';
import { dirname, relative, resolve, sep } from 'node:path';
import { faultOf } from '../../core/model/errors.ts';
import { describeReadError, readBytes } from './read-bytes.ts';

/**
 * Makes the function that reads the buffers and images of a glTF. Only files inside the folder of the glTF are read, after links were
 * resolved: a downloaded model must not copy ~/.ssh into the output. Its errors name neither the file nor the resource: the reader of the
 * glTF adds both.
 * @param above a folder above that of the file, all of whose files may be read
 */
export function makeResourceReader(file: string, above?: string): (uri: string) => Promise<Uint8Array> {
  return async (uri) => {
    if (/^[a-z][a-z0-9+.-]*:/i.test(uri) || uri.includes('\0') || uri.includes('\\')) {
      throw new Error('it is not a file in the folder of this one');
    }
    const folder = dirname(await realpath(file));
    const limit = above === undefined ? folder : await realpath(above);
    const path = resolve(folder, uri);
    if (!isInside(limit, path)) throw new Error('it leads out of the folder of this file');
    let real: string;
    try {
      real = await realpath(path);
    } catch (error) {
      throw describeFault(uri, error);
    }
    if (!isInside(limit, real)) throw new Error('it is a link that leads out of the folder of this file');
    try {
      return await readBytes(real, false);
    } catch (error) {
      throw describeFault(real, error);
    }
  };
}

function describeFault(path: string, error: unknown): Error {
  const [fault] = faultOf(describeReadError(path, error)).split(';');
  return new Error(/^(is|has|gives) /.test(fault) ? `it ${fault}` : fault, { cause: error });
}

/** The path of a file in a folder, as 'shots/one.usda'; undefined if it is elsewhere. */
export async function findInFolder(file: string, folder: string): Promise<string | undefined> {
  try {
    const [own, above] = await Promise.all([realpath(file), realpath(folder)]);
    return isInside(above, own) ? relative(above, own).split(sep).join('/') : undefined;
  } catch (error) {
    throw describeReadError(folder, error);
  }
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && resolve(folder, way) === path;
}
