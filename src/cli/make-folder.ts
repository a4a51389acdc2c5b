// SPDX-License-Identifier: MIT
import { mkdir, rmdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { InputError } from '../model/errors.ts';
import { describeWriteError } from './write-output.ts';

/**
 * Makes a folder, and those above it, where they do not exist. One at a time, since Node's own way of making several never returns
 * where the system says of an existing folder that nothing can be made in it because it does not exist, as Linux does of /proc.
 * @returns The folders that were made, from the outside in.
 */
export async function makeFolder(folder: string): Promise<string[]> {
  try {
    if (!(await stat(folder)).isDirectory()) throw new InputError(folder, 'is a file, not a folder');
    return [];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw describeWriteError(folder, error);
  }
  const above = dirname(folder);
  const made = above === folder ? [] : await makeFolder(above);
  try {
    await mkdir(folder);
    made.push(folder);
  } catch (error) {
    // Someone else may have made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      await removeFolders(made);
      throw describeWriteError(folder, error);
    }
  }
  return made;
}

/** Removes folders that makeFolder made, for a job that failed: those that are empty again. */
export async function removeFolders(made: readonly string[]): Promise<void> {
  for (const folder of [...made].reverse()) await rmdir(folder).catch(() => undefined);
}
