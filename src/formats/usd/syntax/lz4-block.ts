// SPDX-License-Identifier: MIT
import { FormatError } from '../../../core/model/errors.ts';

/**
 * Decompresses a block of LZ4 (https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md): runs of literals, each followed by a copy of earlier output.
 * Returns the number of bytes written. Throws FormatError if the block is damaged or does not fit the output.
 */
export function decompressLz4Block(block: Uint8Array, out: Uint8Array, format: string): number {
  const fail = (): never => {
    throw new FormatError(format, 'syntax', 'a compressed block does not decompress; the file is damaged');
  };
  let at = 0;
  let to = 0;
  const readLength = (start: number): number => {
    let length = start;
    if (start < 15) return length;
    for (let byte = 255; byte === 255; ) {
      if (at >= block.length) fail();
      byte = block[at++];
      length += byte;
    }
    return length;
  };
  while (at < block.length) {
    const token = block[at++];
    const literals = readLength(token >> 4);
    if (at + literals > block.length || to + literals > out.length) fail();
    out.set(block.subarray(at, at + literals), to);
    at += literals;
    to += literals;
    // the last run has no copy
    if (at === block.length) break;
    if (at + 2 > block.length) fail();
    const offset = block[at] | (block[at + 1] << 8);
    at += 2;
    const length = readLength(token & 15) + 4;
    if (offset === 0 || offset > to || to + length > out.length) fail();
    if (offset >= length) out.copyWithin(to, to - offset, to - offset + length);
    else for (let n = 0; n < length; n++) out[to + n] = out[to + n - offset];
    to += length;
  }
  return to;
}
