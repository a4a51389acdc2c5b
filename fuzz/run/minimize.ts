// SPDX-License-Identifier: MIT
import type { FuzzFormat } from '../fuzz-format.ts';
import { join } from '../mutate/mutate-bytes.ts';
import { type FuzzLimits, tryFile } from './fuzz-files.ts';

/** Maximum number of files that are tried, and milliseconds. */
const MAX_TRIES = 3000;
const MAX_MS = 20_000;

/** Removes what a file does not need to cause its defect: values of its structure, then ranges of bytes from long to short. */
export async function minimize(
  format: FuzzFormat,
  bytes: Uint8Array<ArrayBuffer>,
  signature: string,
  limits: FuzzLimits,
): Promise<Uint8Array<ArrayBuffer>> {
  const start = performance.now();
  let tries = 0;
  const isOver = (): boolean => tries > MAX_TRIES || performance.now() - start > MAX_MS;
  const causes = async (candidate: Uint8Array<ArrayBuffer>): Promise<boolean> => {
    tries++;
    return (await tryFile(format, candidate, limits)).defect?.signature === signature;
  };
  let best = bytes;
  for (let isSmaller = format.shrink !== undefined; isSmaller && !isOver(); ) {
    isSmaller = false;
    for (let n = 0; !isOver(); ) {
      const candidate = format.shrink!(best, n);
      if (!candidate) break;
      if (candidate.length < best.length && (await causes(candidate))) {
        best = candidate;
        isSmaller = true;
      } else n++;
    }
  }
  for (let length = best.length >> 1; length >= 1 && !isOver(); length >>= 1) {
    for (let at = 0; at < best.length && !isOver(); ) {
      const candidate = join(best.subarray(0, at), best.subarray(at + length));
      if (await causes(candidate)) best = candidate;
      else at += length;
    }
  }
  return best;
}
