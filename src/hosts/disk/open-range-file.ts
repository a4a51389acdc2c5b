// SPDX-License-Identifier: MIT
import { open } from 'node:fs/promises';
import { InputError } from '../../core/model/errors.ts';
import type { RangeFile } from '../../formats/shared/index.ts';
import { describeReadError } from './read-bytes.ts';

/** A file of the disk that is read in ranges; close it when it is not needed any more. */
export interface OpenRangeFile extends RangeFile {
  close(): Promise<void>;
}

/** Opens a file. Errors name the file. */
export async function openRangeFile(path: string): Promise<OpenRangeFile> {
  try {
    const handle = await open(path, 'r');
    const { size } = await handle.stat();
    return {
      name: path,
      byteLength: size,
      async readInto(bytes, offset) {
        let length = 0;
        while (length < bytes.length) {
          const { bytesRead } = await handle.read(bytes, length, bytes.length - length, offset + length);
          if (bytesRead === 0) throw new InputError(path, 'became shorter while it was read');
          length += bytesRead;
        }
      },
      close: () => handle.close(),
    };
  } catch (error) {
    throw describeReadError(path, error);
  }
}
