// SPDX-License-Identifier: MIT
// How binary USD compresses: LZ4 in chunks, and integers as differences in one, two or four bytes (two, four or eight for 64-bit ones), the most common
// difference in none, before LZ4.
import { FormatError } from '../../../core/model/errors.ts';
import { decompressLz4Block } from './lz4-block.ts';

/** LZ4 cannot expand a byte to more than this many; announced sizes beyond are lies. */
const MAX_EXPANSION = 255;

/**
 * Decompresses chunks of LZ4 to at most `size` bytes.
 * @param least bytes that must be there; beyond what LZ4 can hold, the block is refused before memory is allocated
 */
export function decompressUsdc(bytes: Uint8Array, size: number, least = size): Uint8Array<ArrayBuffer> {
  const most = bytes.length * MAX_EXPANSION;
  if (least > most)
    throw new FormatError('usd', 'length', `a compressed block of ${bytes.length} bytes announces ${least} bytes`);
  const out = new Uint8Array(Math.min(size, most));
  const chunks = bytes[0] ?? 0;
  if (chunks === 0) return out.subarray(0, decompressLz4Block(bytes.subarray(1), out, 'usd'));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 1;
  let to = 0;
  for (let n = 0; n < chunks; n++) {
    const length = at + 4 <= bytes.length ? view.getInt32(at, true) : -1;
    at += 4;
    if (length < 0 || at + length > bytes.length)
      throw new FormatError('usd', 'truncated', 'a compressed block ends before its last chunk');
    to += decompressLz4Block(bytes.subarray(at, at + length), out.subarray(to), 'usd');
    at += length;
  }
  return out.subarray(0, to);
}

/** Decodes compressed 32-bit integers. */
export function decodeUsdcIntegers(bytes: Uint8Array, count: number): Int32Array<ArrayBuffer> {
  const codeBytes = Math.ceil(count / 4);
  // a constant difference takes no bytes of its own
  const data = decompressUsdc(bytes, 4 + codeBytes + 4 * count, 4 + codeBytes);
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  if (count === 0) return new Int32Array(0);
  const truncated = (): never => {
    throw new FormatError('usd', 'truncated', `compressed integers end before the last of ${count}`);
  };
  if (data.length < 4 + codeBytes) truncated();
  const out = new Int32Array(count);
  const common = view.getInt32(0, true);
  let at = 4 + codeBytes;
  let value = 0;
  for (let n = 0; n < count; n++) {
    const code = (data[4 + (n >> 2)] >> (2 * (n & 3))) & 3;
    const size = code === 3 ? 4 : code;
    if (at + size > data.length) truncated();
    const step =
      code === 0
        ? common
        : code === 1
          ? view.getInt8(at)
          : code === 2
            ? view.getInt16(at, true)
            : view.getInt32(at, true);
    at += size;
    value = (value + step) | 0;
    out[n] = value;
  }
  return out;
}

/** Decodes compressed 64-bit integers; they must be exact as doubles. */
export function decodeUsdcLongIntegers(bytes: Uint8Array, count: number): Float64Array<ArrayBuffer> {
  const codeBytes = Math.ceil(count / 4);
  const data = decompressUsdc(bytes, 8 + codeBytes + 8 * count, 8 + codeBytes);
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  if (count === 0) return new Float64Array(0);
  const truncated = (): never => {
    throw new FormatError('usd', 'truncated', `compressed integers end before the last of ${count}`);
  };
  if (data.length < 8 + codeBytes) truncated();
  const out = new Float64Array(count);
  const common = view.getBigInt64(0, true);
  let at = 8 + codeBytes;
  let value = 0n;
  for (let n = 0; n < count; n++) {
    const code = (data[8 + (n >> 2)] >> (2 * (n & 3))) & 3;
    const size = code === 0 ? 0 : 1 << code;
    if (at + size > data.length) truncated();
    const step =
      code === 0
        ? common
        : code === 1
          ? BigInt(view.getInt16(at, true))
          : code === 2
            ? BigInt(view.getInt32(at, true))
            : view.getBigInt64(at, true);
    at += size;
    value += step;
    out[n] = Number(value);
  }
  return out;
}
