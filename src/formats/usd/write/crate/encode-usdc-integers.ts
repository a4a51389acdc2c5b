// SPDX-License-Identifier: MIT
import { compressLz4Block } from './compress-lz4-block.ts';

/** LZ4 compresses at most this many bytes at once; larger data is split. */
const MAX_CHUNK = 0x7e000000;

/** Compresses bytes as sections of binary USD are: the number of chunks, 0 for one without a size, and the chunks. */
export function compressUsdc(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  if (bytes.length > MAX_CHUNK) throw new RangeError(`compressUsdc: ${bytes.length} bytes exceed one block of LZ4`);
  const block = compressLz4Block(bytes);
  const out = new Uint8Array(1 + block.length);
  out.set(block, 1);
  return out;
}

/** Encodes 32-bit integers as differences in none, one, two or four bytes, and compresses them. */
export function encodeUsdcIntegers(values: ArrayLike<number>): Uint8Array<ArrayBuffer> {
  const count = values.length;
  if (count === 0) return compressUsdc(new Uint8Array(0));
  const steps = new Int32Array(count);
  for (let n = 0; n < count; n++) steps[n] = (values[n] - (n > 0 ? values[n - 1] : 0)) | 0;
  const common = mostCommon(steps);
  const codeBytes = Math.ceil(count / 4);
  const data = new Uint8Array(4 + codeBytes + 4 * count);
  const view = new DataView(data.buffer);
  view.setInt32(0, common, true);
  let at = 4 + codeBytes;
  steps.forEach((step, n) => {
    const code = step === common ? 0 : step === (step << 24) >> 24 ? 1 : step === (step << 16) >> 16 ? 2 : 3;
    data[4 + (n >> 2)] |= code << (2 * (n & 3));
    if (code === 1) view.setInt8(at, step);
    else if (code === 2) view.setInt16(at, step, true);
    else if (code === 3) view.setInt32(at, step, true);
    at += code === 3 ? 4 : code;
  });
  return compressUsdc(data.subarray(0, at));
}

/** The most common value; of several, the largest. */
function mostCommon(values: Int32Array): number {
  const counts = new Map<number, number>();
  let [best, most] = [0, 0];
  for (const value of values) {
    const count = (counts.get(value) ?? 0) + 1;
    counts.set(value, count);
    if (count > most || (count === most && value > best)) [best, most] = [value, count];
  }
  return best;
}
