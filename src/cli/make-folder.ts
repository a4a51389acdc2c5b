// SPDX-License-Identifier: MIT
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { JobError } from './exit-status.ts';
import { describeWriteError } from './write-output.ts';

/**
 * Makes a folder, and those above it, where they do not exist. One at a time, since Node's own way of making several never returns
 * where the system says of an existing folder that nothing can be made in it because it does not exist, as Linux does of /proc.
 */
export async function makeFolder(folder: string): Promise<void> {
  try {
    if (!(await stat(folder)).isDirectory()) throw new JobError(`${folder}: is a file, not a folder`);
    return;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw describeWriteError(folder, error);
  }
  const above = dirname(folder);
  if (above !== folder) await makeFolder(above);
  try {
    await mkdir(folder);
  } catch (error) {
    // Someone else may have made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw describeWriteError(folder, error);
  }
}
