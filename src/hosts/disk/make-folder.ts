// SPDX-License-Identifier: MIT
import { mkdir, rmdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { InputError } from '../../core/model/errors.ts';
import { describeWriteError } from './write-output.ts';

/**
 * Makes a folder and its parents if they do not exist. One at a time: the recursive mkdir of Node never returns if the system reports ENOENT in an
 * existing folder, as Linux does in /proc.
 * @returns The folders that were made, parents first.
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
    // Another process may have made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      await removeFolders(made);
      throw describeWriteError(folder, error);
    }
  }
  return made;
}

/** Removes the folders that makeFolder made, if they are empty. */
export async function removeFolders(made: readonly string[]): Promise<void> {
  for (const folder of [...made].reverse()) await rmdir(folder).catch(() => undefined);
}
