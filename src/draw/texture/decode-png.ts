// SPDX-License-Identifier: MIT
// PNG (ISO 15948): a signature, then chunks: uint32 length, four letters, data, checksum. Big-endian.
import { Unzlib } from 'fflate';
import { InputError } from '../../core/model/errors.ts';
import { MAX_TEXTURE_PIXELS, type TextureImage } from './texture.ts';

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10];
/** Numbers per pixel, by colour type. */
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** Deflate makes at most 1,032 bytes of one, and a byte has at most eight pixels. */
const PIXELS_PER_BYTE = 8 * 1032;
/** Input is decompressed in pieces, so that what is beyond the picture is noticed early. */
const PIECE = 4096;

/** First column and row, and steps, of each pass of an interlaced picture. */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
];

interface Header {
  width: number;
  height: number;
  depth: number;
  type: number;
  channels: number;
  isInterlaced: boolean;
}

/** Decodes a PNG picture of any kind to eight bits. What is missing at the end is black. */
export function decodePng(bytes: Uint8Array): TextureImage {
  if (SIGNATURE.some((byte, n) => bytes[n] !== byte)) fail('it is not PNG');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let header: Header | undefined;
  let palette = new Uint8Array();
  let opacity = new Uint8Array();
  const data: Uint8Array[] = [];
  for (let at = 8; at + 8 <= bytes.length; ) {
    const length = view.getUint32(at);
    const kind = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    const chunk = bytes.subarray(at + 8, Math.min(bytes.length, at + 8 + length));
    if (kind === 'IHDR') header = readHeader(chunk, bytes.length);
    else if (kind === 'PLTE') palette = Uint8Array.from(chunk);
    else if (kind === 'tRNS') opacity = Uint8Array.from(chunk);
    else if (kind === 'IDAT') data.push(chunk);
    else if (kind === 'IEND') break;
    at += 12 + length;
  }
  if (!header || data.length === 0) fail('it has no picture');
  if (header.type === 3 && palette.length < 3) fail('it has no palette');
  const passes = header.isInterlaced ? PASSES : [[0, 0, 1, 1]];
  const sizes = passes.map(([x, y, dx, dy]) => ({
    ...{ x, y, dx, dy },
    columns: Math.max(0, Math.ceil((header.width - x) / dx)),
    rows: Math.max(0, Math.ceil((header.height - y) / dy)),
  }));
  const strideOf = (columns: number): number => Math.ceil((columns * header.channels * header.depth) / 8);
  const total = sizes.reduce((sum, { columns, rows }) => sum + (columns > 0 ? rows * (1 + strideOf(columns)) : 0), 0);
  const packed = inflate(data, total);
  const pixels = new Uint8ClampedArray(4 * header.width * header.height);
  const expand = makeExpander(header, palette, opacity);
  let start = 0;
  for (const { x, y, dx, dy, columns, rows } of sizes) {
    if (columns === 0) continue;
    const stride = strideOf(columns);
    const step = Math.max(1, (header.channels * header.depth) >> 3);
    unfilter(packed, start, { rows, stride, step });
    for (let r = 0; r < rows; r++)
      for (let c = 0; c < columns; c++)
        expand(packed, start + r * (stride + 1) + 1, c, pixels, 4 * ((y + r * dy) * header.width + x + c * dx));
    start += rows * (stride + 1);
  }
  return { width: header.width, height: header.height, pixels };
}

function readHeader(chunk: Uint8Array, byteLength: number): Header {
  if (chunk.length < 13) fail('its header is incomplete');
  const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  const [width, height] = [view.getUint32(0), view.getUint32(4)];
  const [depth, type] = [chunk[8], chunk[9]];
  const channels = CHANNELS[type] ?? 0;
  const isDepth = type === 0 ? [1, 2, 4, 8, 16] : type === 3 ? [1, 2, 4, 8] : [8, 16];
  if (channels === 0 || !isDepth.includes(depth)) fail('its colours are of an unknown kind');
  if (width < 1 || height < 1 || width * height > MAX_TEXTURE_PIXELS)
    fail(`it has ${width} x ${height} pixels; at most ${MAX_TEXTURE_PIXELS} are drawn`);
  if (width * height > PIXELS_PER_BYTE * byteLength) fail('it claims more pixels than its bytes can hold');
  return { width, height, depth, type, channels, isInterlaced: chunk[12] === 1 };
}

/** Decompresses up to a number of bytes; what comes after them is left out, and what is missing is zero. */
function inflate(data: readonly Uint8Array[], total: number): Uint8Array {
  const out = new Uint8Array(total);
  let filled = 0;
  const stream = new Unzlib((piece) => {
    const used = piece.subarray(0, total - filled);
    out.set(used, filled);
    filled += used.length;
  });
  try {
    for (const chunk of data)
      for (let at = 0; at < chunk.length && filled < total; at += PIECE) stream.push(chunk.subarray(at, at + PIECE));
  } catch {
    if (filled === 0) fail('it does not decompress');
  }
  return out;
}

/** Undoes the filters of rows: none, left, above, mean, Paeth. */
function unfilter(
  bytes: Uint8Array,
  start: number,
  { rows, stride, step }: { rows: number; stride: number; step: number },
): void {
  for (let r = 0; r < rows; r++) {
    const row = start + r * (stride + 1);
    const filter = bytes[row];
    const above = row - stride - 1;
    for (let n = 1; n <= stride; n++) {
      const a = n > step ? bytes[row + n - step] : 0;
      const b = r > 0 ? bytes[above + n] : 0;
      const c = r > 0 && n > step ? bytes[above + n - step] : 0;
      if (filter === 1) bytes[row + n] += a;
      else if (filter === 2) bytes[row + n] += b;
      else if (filter === 3) bytes[row + n] += (a + b) >> 1;
      else if (filter === 4) bytes[row + n] += paeth(a, b, c);
    }
  }
}

function paeth(a: number, b: number, c: number): number {
  const [da, db, dc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
  return da <= db && da <= dc ? a : db <= dc ? b : c;
}

type Expand = (row: Uint8Array, start: number, column: number, out: Uint8ClampedArray, at: number) => void;

/** Writes a pixel of a row as red, green, blue and opacity. */
function makeExpander({ depth, type, channels }: Header, palette: Uint8Array, opacity: Uint8Array): Expand {
  const top = 2 ** Math.min(depth, 8) - 1;
  const read = (row: Uint8Array, start: number, n: number): number => {
    if (depth === 8) return row[start + n];
    if (depth === 16) return row[start + 2 * n];
    const bit = n * depth;
    return (row[start + (bit >> 3)] >> (8 - depth - (bit & 7))) & top;
  };
  // a colour that is transparent: its numbers have two bytes
  const clear = type === 0 || type === 2 ? [...opacity].filter((_, n) => n % 2 === (depth === 16 ? 0 : 1)) : [];
  return (row, start, column, out, at) => {
    const first = read(row, start, column * channels);
    if (type === 3) {
      for (let c = 0; c < 3; c++) out[at + c] = palette[3 * first + c] ?? 0;
      out[at + 3] = opacity[first] ?? 255;
      return;
    }
    const isGrey = type === 0 || type === 4;
    const values = isGrey ? [first, first, first] : [0, 1, 2].map((c) => read(row, start, column * channels + c));
    for (let c = 0; c < 3; c++) out[at + c] = (values[c] * 255) / top;
    const isClear = clear.length >= (isGrey ? 1 : 3) && values.every((value, c) => value === clear[isGrey ? 0 : c]);
    out[at + 3] = type >= 4 ? read(row, start, column * channels + channels - 1) : isClear ? 0 : 255;
  };
}

function fail(fault: string): never {
  throw new InputError('image', fault);
}
