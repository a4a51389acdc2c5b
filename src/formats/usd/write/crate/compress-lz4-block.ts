// SPDX-License-Identifier: MIT

const HASH_BITS = 14;
const MIN_MATCH = 4;
/** A block ends with at least five literals, and no match starts within its last twelve bytes. */
const [LAST_LITERALS, LAST_MATCH] = [5, 12];
const MAX_OFFSET = 65_535;

/**
 * Compresses bytes to a block of LZ4 (https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md), greedily: each match is the last place with the
 * same four bytes.
 */
export function compressLz4Block(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(bytes.length + Math.ceil(bytes.length / 255) + 16);
  const last = new Int32Array(1 << HASH_BITS).fill(-1);
  let to = 0;
  let anchor = 0;
  const writeLength = (rest: number): void => {
    let left = rest;
    for (; left >= 255; left -= 255) out[to++] = 255;
    out[to++] = left;
  };
  const writeRun = (end: number, offset: number, length: number): void => {
    const literals = end - anchor;
    const more = length - MIN_MATCH;
    const token = to++;
    out[token] = Math.min(literals, 15) << 4;
    if (literals >= 15) writeLength(literals - 15);
    out.set(bytes.subarray(anchor, end), to);
    to += literals;
    if (offset === 0) return;
    out[to++] = offset & 255;
    out[to++] = offset >> 8;
    out[token] |= Math.min(more, 15);
    if (more >= 15) writeLength(more - 15);
  };
  for (let at = 0; at + LAST_MATCH < bytes.length; ) {
    const word = bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
    const hash = Math.imul(word, 0x9e3779b1) >>> (32 - HASH_BITS);
    const before = last[hash];
    last[hash] = at;
    if (before < 0 || at - before > MAX_OFFSET || !isSame(bytes, before, at, MIN_MATCH)) {
      at++;
      continue;
    }
    let length = MIN_MATCH;
    const end = bytes.length - LAST_LITERALS;
    while (at + length < end && bytes[before + length] === bytes[at + length]) length++;
    writeRun(at, at - before, length);
    at += length;
    anchor = at;
  }
  writeRun(bytes.length, 0, MIN_MATCH);
  return out.slice(0, to);
}

function isSame(bytes: Uint8Array, a: number, b: number, length: number): boolean {
  for (let n = 0; n < length; n++) if (bytes[a + n] !== bytes[b + n]) return false;
  return true;
}
