// SPDX-License-Identifier: MIT
// Browsers decode PNG to 8 bits. This reads the files of writePng16: 16 bits, four channels, not interlaced.
import { FormatError } from '../../../core/model/errors.ts';

const PIXEL = 8;

/** Decodes a PNG with 16 bits per channel and four channels. */
export async function readPng16(
  bytes: Uint8Array,
): Promise<{ width: number; height: number; texels: Uint16Array<ArrayBuffer> }> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 33 || view.getUint32(0) !== 0x89504e47)
    throw new FormatError('png', 'magic', 'it is not a PNG', 0);
  const [width, height] = [view.getUint32(16), view.getUint32(20)];
  if (bytes[24] !== 16 || bytes[25] !== 6 || bytes[28] !== 0)
    throw new FormatError('png', 'value', 'it must have 16 bits, four channels and no interlacing', 24);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let at = 8; at + 12 <= bytes.length; at += 12 + view.getUint32(at)) {
    const end = at + 8 + view.getUint32(at);
    if (end > bytes.length) throw new FormatError('png', 'truncated', 'the file ends within a chunk', at);
    if (view.getUint32(at + 4) === 0x49444154) parts.push(bytes.slice(at + 8, end));
  }
  const stream = new Blob(parts).stream().pipeThrough(new DecompressionStream('deflate'));
  const rows = new Uint8Array(await new Response(stream).arrayBuffer());
  if (rows.length !== height * (width * PIXEL + 1))
    throw new FormatError('png', 'truncated', `${width} x ${height} texels need more data than the file has`);
  return { width, height, texels: unfilter(rows, width, height) };
}

/** Undoes the filters of the rows, in place, and joins the bytes. */
function unfilter(rows: Uint8Array, width: number, height: number): Uint16Array<ArrayBuffer> {
  const stride = width * PIXEL;
  const texels = new Uint16Array(width * height * 4);
  for (let y = 0; y < height; y++) {
    const start = y * (stride + 1) + 1;
    const filter = rows[start - 1];
    for (let n = 0; n < stride; n++) {
      const left = n >= PIXEL ? rows[start + n - PIXEL] : 0;
      const up = y > 0 ? rows[start + n - stride - 1] : 0;
      const corner = y > 0 && n >= PIXEL ? rows[start + n - stride - 1 - PIXEL] : 0;
      const guess = [0, left, up, (left + up) >> 1, 0][filter] ?? 0;
      rows[start + n] += filter === 4 ? paeth(left, up, corner) : guess;
    }
    for (let c = 0; c < width * 4; c++)
      texels[y * width * 4 + c] = (rows[start + 2 * c] << 8) | rows[start + 2 * c + 1];
  }
  return texels;
}

/** The neighbour closest to left + up - corner, in that order among equals. */
function paeth(left: number, up: number, corner: number): number {
  const [toLeft, toUp] = [Math.abs(up - corner), Math.abs(left - corner)];
  const toCorner = Math.abs(left + up - 2 * corner);
  return toLeft <= toUp && toLeft <= toCorner ? left : toUp <= toCorner ? up : corner;
}
