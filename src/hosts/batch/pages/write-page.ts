// SPDX-License-Identifier: MIT
import { open, rename, unlink } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { addTemporary, describeWriteError, dropTemporary, nameTemporary } from '../../disk/index.ts';

/** Writes a text that is made piece by piece: to a temporary file, which is then renamed. */
export async function writePage(path: string, pieces: AsyncIterable<string>): Promise<void> {
  const temporary = nameTemporary(dirname(resolve(path)));
  addTemporary(temporary);
  try {
    const handle = await open(temporary, 'wx');
    try {
      for await (const piece of pieces) await handle.write(piece);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw describeWriteError(path, error);
  } finally {
    dropTemporary(temporary);
  }
}
