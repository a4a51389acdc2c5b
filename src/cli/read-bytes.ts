// SPDX-License-Identifier: MIT
import { open, stat } from 'node:fs/promises';
import { JobError } from './exit-status.ts';

/** Typed arrays of one file must be addressable by 32-bit signed offsets in every reader and in WebAssembly. */
export const MAX_FILE_BYTES = 2 ** 31;

/** Reads a whole file. Faults are one sentence that names the file. */
export async function readBytes(path: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const facts = await stat(path);
    if (facts.isDirectory()) {
      throw new JobError(
        `${path}: is a folder; name a file in it, or a sequence such as "${path.replace(/\/+$/, '')}/*.obj"`,
      );
    }
    if (!facts.isFile() && !facts.isFIFO()) throw new JobError(`${path}: is a device, not a file`);
    if (facts.size >= MAX_FILE_BYTES)
      throw new JobError(`${path}: is larger than 2 GiB; split the clip into shorter ones`);
    const handle = await open(path, 'r');
    try {
      if (facts.isFIFO()) return new Uint8Array(await handle.readFile());
      const bytes = new Uint8Array(facts.size);
      let length = 0;
      while (length < bytes.length) {
        const { bytesRead } = await handle.read(bytes, length, bytes.length - length, length);
        if (bytesRead === 0) throw new JobError(`${path}: became shorter while it was read`);
        length += bytesRead;
      }
      return bytes;
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw describeReadError(path, error);
  }
}

/** The sentence for a failed read. */
export function describeReadError(path: string, error: unknown): Error {
  if (error instanceof JobError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const faults: Record<string, string> = {
    ENOENT: 'no such file',
    ENOTDIR: 'no such file: a part of its path is a file, not a folder',
    EACCES: 'cannot be read: permission denied',
    EPERM: 'cannot be read: permission denied',
    EISDIR: 'is a folder, not a file',
    ENAMETOOLONG: 'no such file: its name is too long',
    ELOOP: 'cannot be read: its links lead in a circle',
    ERR_INVALID_ARG_VALUE: 'is not a file name',
  };
  return new JobError(`${path}: ${faults[code] ?? `cannot be read (${code || String(error)})`}`, { cause: error });
}
