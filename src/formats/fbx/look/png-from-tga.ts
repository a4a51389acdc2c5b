// SPDX-License-Identifier: MIT
// Targa images, which older exporters write, as PNG: colours, greys and palettes of 8 to 32 bits, plain or run-length encoded.
import { zlibSync } from 'fflate';

const HEADER = 18;
const PNG_START = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** Pixels of the largest image, and per byte of the file: a run of 128 takes two bytes. */
const MAX_PIXELS = 2 ** 26;
const PIXELS_PER_BYTE = 64;
/** Kinds of images, without the bit of run-length encoding. */
const [PALETTE, COLOR, GREY] = [1, 2, 3];
const ENCODED = 8;

/** The header of a Targa image. */
interface TgaHeader {
  kind: number;
  isEncoded: boolean;
  width: number;
  height: number;
  /** Bytes of a pixel, and of a colour of the palette. */
  pixelBytes: number;
  colorBytes: number;
  paletteStart: number;
  paletteCount: number;
  dataStart: number;
  isFromTop: boolean;
}

/** Converts a Targa image to PNG; undefined if the bytes are none that is known, or are cut off. */
export function pngFromTga(bytes: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  const header = readHeader(bytes);
  if (!header) return undefined;
  const { width, height, pixelBytes, isFromTop } = header;
  const pixels = header.isEncoded
    ? expandRuns(bytes.subarray(header.dataStart), width * height, pixelBytes)
    : bytes.subarray(header.dataStart, header.dataStart + width * height * pixelBytes);
  if (!pixels || pixels.length < width * height * pixelBytes) return undefined;
  const channels = header.colorBytes === 4 ? 4 : 3;
  // each row of a PNG begins with its filter
  const rows = new Uint8Array(height * (1 + width * channels));
  for (let y = 0; y < height; y++) {
    const from = (isFromTop ? y : height - 1 - y) * width;
    let to = y * (1 + width * channels) + 1;
    for (let x = 0; x < width; x++, to += channels) writePixel(bytes, header, pixels, from + x, rows, to);
  }
  return packPng(width, height, channels, rows);
}

function readHeader(bytes: Uint8Array): TgaHeader | undefined {
  if (bytes.length < HEADER) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const kind = bytes[2] & ~ENCODED;
  const [width, height] = [view.getUint16(12, true), view.getUint16(14, true)];
  const pixelBytes = bytes[16] / 8;
  const hasPalette = bytes[1] === 1;
  const paletteCount = hasPalette ? view.getUint16(5, true) : 0;
  const paletteBytes = bytes[7] / 8;
  const paletteStart = HEADER + bytes[0];
  const isKnown =
    (kind === COLOR && (pixelBytes === 3 || pixelBytes === 4)) ||
    (kind === GREY && pixelBytes === 1) ||
    (kind === PALETTE && pixelBytes === 1 && hasPalette && (paletteBytes === 3 || paletteBytes === 4));
  const count = width * height;
  if (!isKnown || bytes[1] > 1 || count === 0 || count > MAX_PIXELS || count > PIXELS_PER_BYTE * bytes.length)
    return undefined;
  const dataStart = paletteStart + (hasPalette ? paletteCount * Math.ceil(paletteBytes) : 0);
  return {
    kind,
    isEncoded: (bytes[2] & ENCODED) !== 0,
    width,
    height,
    pixelBytes,
    colorBytes: kind === PALETTE ? paletteBytes : pixelBytes,
    paletteStart,
    paletteCount,
    dataStart,
    isFromTop: (bytes[17] & 0x20) !== 0,
  };
}

function expandRuns(data: Uint8Array, count: number, size: number): Uint8Array | undefined {
  const out = new Uint8Array(count * size);
  let [from, to] = [0, 0];
  while (to < out.length) {
    if (from >= data.length) return undefined;
    const head = data[from++];
    const length = Math.min(((head & 127) + 1) * size, out.length - to);
    if (head < 128) {
      if (from + length > data.length) return undefined;
      out.set(data.subarray(from, from + length), to);
      from += length;
    } else {
      if (from + size > data.length) return undefined;
      for (let n = 0; n < length; n++) out[to + n] = data[from + (n % size)];
      from += size;
    }
    to += length;
  }
  return out;
}

/** Writes red, green, blue and perhaps alpha of a pixel; Targa stores blue first. */
function writePixel(
  bytes: Uint8Array,
  { kind, colorBytes, paletteStart, paletteCount }: TgaHeader,
  pixels: Uint8Array,
  pixel: number,
  out: Uint8Array,
  to: number,
): void {
  if (kind === GREY) {
    out.fill(pixels[pixel], to, to + 3);
    return;
  }
  const isPalette = kind === PALETTE;
  const source = isPalette ? bytes : pixels;
  const from = isPalette ? paletteStart + Math.min(pixels[pixel], paletteCount - 1) * colorBytes : pixel * colorBytes;
  for (let c = 0; c < 3; c++) out[to + c] = source[from + 2 - c];
  if (colorBytes === 4) out[to + 3] = source[from + 3];
}

function packPng(width: number, height: number, channels: number, rows: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = new Uint8Array(13);
  const view = new DataView(head.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  // 8 bits; 2 is colour, 6 colour and alpha
  head.set([8, channels === 4 ? 6 : 2], 8);
  const chunks = [
    makeChunk('IHDR', head),
    makeChunk('IDAT', zlibSync(rows, { level: 6 })),
    makeChunk('IEND', new Uint8Array(0)),
  ];
  const out = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, PNG_START.length));
  out.set(PNG_START);
  let at = PNG_START.length;
  for (const chunk of chunks) {
    out.set(chunk, at);
    at += chunk.length;
  }
  return out;
}

function makeChunk(name: string, data: Uint8Array): Uint8Array {
  const out = new Uint8Array(12 + data.length);
  const view = new DataView(out.buffer);
  view.setUint32(0, data.length);
  for (let n = 0; n < 4; n++) out[4 + n] = name.charCodeAt(n);
  out.set(data, 8);
  view.setUint32(8 + data.length, checksum(out.subarray(4, 8 + data.length)));
  return out;
}

/** Cyclic redundancy check of 32 bits, as PNG has it. */
function checksum(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let n = 0; n < 8; n++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
