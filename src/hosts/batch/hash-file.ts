// SPDX-License-Identifier: MIT
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { describeReadError } from '../disk/index.ts';
import type { FileDigest } from './batch-job.ts';

/** Bytes that are read at once. */
const CHUNK = 2 ** 18;

/** SHA-256 of bytes. */
export function hashBytes(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Hashes a file piece by piece, so that a file of gigabytes needs little memory. */
export async function hashFile(path: string): Promise<FileDigest> {
  try {
    const handle = await open(path, 'r');
    try {
      const hash = createHash('sha256');
      const buffer = new Uint8Array(CHUNK);
      let bytes = 0;
      for (;;) {
        const { bytesRead } = await handle.read(buffer, 0, CHUNK, null);
        if (bytesRead === 0) return { path, bytes, sha256: hash.digest('hex') };
        hash.update(buffer.subarray(0, bytesRead));
        bytes += bytesRead;
      }
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw describeReadError(path, error);
  }
}
