// SPDX-License-Identifier: MIT
// Deflate comes from fflate: Node's zlib is not in browsers, and the browser's CompressionStream is asynchronous and differs between engines; the same picture must
// give the same bytes everywhere.
import { zlibSync } from 'fflate';
import { InputError } from '../../core/model/errors.ts';
import type { Image } from './image.ts';

/** The first bytes of every PNG. */
export const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** Deflate level. The 28 pictures of docs/ and the demo take 5.21 MB and 2.2 s at level 6, 5.17 MB and 2.9 s at 7, 5.07 MB and 9.1 s at 9. */
const LEVEL = 7;

/**
 * Bytes of a PNG file. An image without transparency is written without its alpha channel.
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises';
 * import { renderView, writePng } from 'ossify/draw';
 *
 * await writeFile('mesh.png', writePng(renderView({ positions, triangles })));
 * ```
 */
export function writePng(image: Image): Uint8Array<ArrayBuffer> {
  const { width, height, pixels } = image;
  if (pixels.length !== width * height * 4) {
    throw new InputError(
      'writePng',
      `${width} x ${height} pixels need ${width * height * 4} bytes, got ${pixels.length}`,
    );
  }
  const hasAlpha = pixels.some((value, n) => (n & 3) === 3 && value !== 255);
  const channels = hasAlpha ? 4 : 3;
  const bytes = new Uint8Array(width * height * channels);
  for (let p = 0; p < width * height; p++)
    for (let c = 0; c < channels; c++) bytes[p * channels + c] = pixels[p * 4 + c];
  return encodePng(width, height, bytes, { bitDepth: 8, hasAlpha });
}

/**
 * Bytes of a PNG file from unfiltered rows.
 * @param bytes height x width x channels x bytes of a channel, big-endian
 */
export function encodePng(
  width: number,
  height: number,
  bytes: Uint8Array,
  { bitDepth, hasAlpha }: { bitDepth: 8 | 16; hasAlpha: boolean },
): Uint8Array<ArrayBuffer> {
  const rows = filterRows(bytes, height, (hasAlpha ? 4 : 3) * (bitDepth / 8));
  const data = zlibSync(rows, { level: LEVEL });

  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header[8] = bitDepth;
  header[9] = hasAlpha ? 6 : 2;

  const chunks = [chunkOf('IHDR', header), chunkOf('IDAT', data), chunkOf('IEND', new Uint8Array(0))];
  const file = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, SIGNATURE.length));
  file.set(SIGNATURE);
  let offset = SIGNATURE.length;
  for (const chunk of chunks) {
    file.set(chunk, offset);
    offset += chunk.length;
  }
  return file;
}

/** Each row after its filter number, filtered by whichever gives the smallest sum of absolute differences. */
function filterRows(bytes: Uint8Array, height: number, channels: number): Uint8Array {
  const stride = bytes.length / height;
  const out = new Uint8Array(height * (stride + 1));
  let above: Uint8Array = new Uint8Array(stride);
  const trials = [0, 1, 2, 3, 4].map(() => new Uint8Array(stride));
  const sums = [0, 0, 0, 0, 0];
  for (let y = 0; y < height; y++) {
    const row = bytes.subarray(y * stride, (y + 1) * stride);
    sums.fill(0);
    for (let n = 0; n < stride; n++) {
      const left = n >= channels ? row[n - channels] : 0;
      const up = above[n];
      const corner = n >= channels ? above[n - channels] : 0;
      trials[0][n] = row[n];
      trials[1][n] = row[n] - left;
      trials[2][n] = row[n] - up;
      trials[3][n] = row[n] - ((left + up) >> 1);
      trials[4][n] = row[n] - paeth(left, up, corner);
      for (let t = 0; t < 5; t++) sums[t] += trials[t][n] < 128 ? trials[t][n] : 256 - trials[t][n];
    }
    let best = 0;
    for (let t = 1; t < 5; t++) if (sums[t] < sums[best]) best = t;
    out[y * (stride + 1)] = best;
    out.set(trials[best], y * (stride + 1) + 1);
    above = row;
  }
  return out;
}

/** The neighbour closest to left + up - corner, in that order among equals. */
function paeth(left: number, up: number, corner: number): number {
  const toLeft = Math.abs(up - corner);
  const toUp = Math.abs(left - corner);
  const toCorner = Math.abs(left + up - 2 * corner);
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

const CRC_TABLE = makeCrcTable();

/** A chunk: length, type, data and check sum. */
export function chunkOf(type: string, data: Uint8Array): Uint8Array {
  const chunk = new Uint8Array(12 + data.length);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, data.length);
  for (let n = 0; n < 4; n++) chunk[4 + n] = type.charCodeAt(n);
  chunk.set(data, 8);
  let crc = 0xffffffff;
  for (let n = 4; n < 8 + data.length; n++) crc = CRC_TABLE[(crc ^ chunk[n]) & 255] ^ (crc >>> 8);
  view.setUint32(8 + data.length, ~crc >>> 0);
  return chunk;
}

function makeCrcTable(): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, n) => {
    let c = n;
    for (let bit = 0; bit < 8; bit++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
    return c;
  });
}
