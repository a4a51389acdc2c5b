// SPDX-License-Identifier: MIT
import { type FileHandle, open, stat } from 'node:fs/promises';
import { FormatError, InputError } from '../../core/model/errors.ts';
import { sniffFormat } from '../../formats/assets/index.ts';

/** Typed arrays of one file must be addressable by 32-bit signed offsets in every reader and in WebAssembly. */
const MAX_FILE_BYTES = 2 ** 31;

/** The length of a pipe is unknown, and it may never end. */
export const MAX_PIPE_BYTES = 2 ** 29;

/**
 * Reads a whole file. Errors name the file.
 * @param allowPipe true for files that the user names, which may be pipes (`<(zcat …)`); false for files that another file names, since a pipe may never end
 */
export async function readBytes(path: string, allowPipe = true): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const facts = await stat(path);
    if (facts.isDirectory()) {
      throw new InputError(
        path,
        `is a folder; name a file in it, or a sequence such as "${path.replace(/\/+$/, '')}/*.obj"`,
      );
    }
    if (!facts.isFile() && !(facts.isFIFO() && allowPipe)) throw new InputError(path, 'is a device, not a file');
    if (facts.size >= MAX_FILE_BYTES)
      throw new InputError(path, 'is larger than 2 GiB; split the clip into shorter ones');
    const handle = await open(path, 'r');
    try {
      if (facts.isFIFO()) return await readPipe(path, handle);
      const bytes = new Uint8Array(facts.size);
      let length = 0;
      while (length < bytes.length) {
        const { bytesRead } = await handle.read(bytes, length, bytes.length - length, length);
        if (bytesRead === 0) throw new InputError(path, 'became shorter while it was read');
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

async function readPipe(path: string, handle: FileHandle): Promise<Uint8Array<ArrayBuffer>> {
  const buffer = new Uint8Array(2 ** 20);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
    if (bytesRead === 0) break;
    const chunk = buffer.slice(0, bytesRead);
    // An unknown format is recognized by its first bytes, without reading the rest.
    if (length === 0) sniffFormat(path, chunk);
    length += bytesRead;
    if (length > MAX_PIPE_BYTES) throw new InputError(path, 'gives more than 512 MiB; save it as a file first');
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}

/** The error for a failed read. */
export function describeReadError(path: string, error: unknown): Error {
  if (error instanceof FormatError) return error.withSubject(path);
  if (error instanceof InputError) return error;
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
  return new InputError(path, faults[code] ?? `cannot be read (${code || String(error)})`, { cause: error });
}
