// SPDX-License-Identifier: MIT
import { FormatError } from '../../../src/entry/index.ts';
import type { FileBytes } from '../messages/protocol.ts';
import { readFiles } from './read-files.ts';

/** Which inputs are files of animations: they are read, and draw nothing. Faults of files are said when they are opened. */
export async function listClips(groups: readonly FileBytes[][]): Promise<boolean[]> {
  const found: boolean[] = [];
  for (const files of groups)
    found.push(
      await readFiles(files, {}).then(
        () => false,
        (error: unknown) => drawsNothing(error),
      ),
    );
  return found;
}

/** Whether a file could not be opened because it has no mesh. */
export const drawsNothing = (error: unknown): boolean => error instanceof FormatError && error.code === 'empty';
