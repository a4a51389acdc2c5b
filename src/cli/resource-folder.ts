// SPDX-License-Identifier: MIT
import { realpath } from 'node:fs/promises';
import { dirname, relative, resolve, sep } from 'node:path';
import { JobError } from './exit-status.ts';
import { describeReadError, readBytes } from './read-bytes.ts';

/**
 * Makes the function that reads the buffers and images a glTF names. They are read only inside the folder of the file
 * itself, links followed first: a downloaded model must not pull ~/.ssh into what is written next.
 */
export function makeResourceReader(file: string): (uri: string) => Promise<Uint8Array> {
  return async (uri) => {
    if (/^[a-z][a-z0-9+.-]*:/i.test(uri) || uri.includes('\0') || uri.includes('\\')) {
      throw new JobError(`${file}: names the resource "${uri}", which is not a file in its own folder`);
    }
    const folder = dirname(await realpath(file));
    const path = resolve(folder, uri);
    if (!isInside(folder, path)) {
      throw new JobError(`${file}: names the resource "${uri}", which leads out of its own folder`);
    }
    let real: string;
    try {
      real = await realpath(path);
    } catch (error) {
      const fault = describeReadError(uri, error).message;
      throw new JobError(`${file}: names the resource "${uri}", which cannot be read: ${fault.slice(uri.length + 2)}`, {
        cause: error,
      });
    }
    if (!isInside(folder, real)) {
      throw new JobError(`${file}: names the resource "${uri}", a link that leads out of its own folder`);
    }
    return readBytes(real);
  };
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && resolve(folder, way) === path;
}
