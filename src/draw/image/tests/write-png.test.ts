// SPDX-License-Identifier: MIT
import { inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../../../core/math/random.ts';
import { drawDisc } from '../../scene/shapes.ts';
import { type Image, makeImage } from '../image.ts';
import { drawText } from '../text.ts';
import { writePng } from '../write-png.ts';

/** Decodes a PNG of 8 bits per channel, RGB or RGBA, checking its structure on the way. */
function readPng(file: Uint8Array): Image {
  const view = new DataView(file.buffer, file.byteOffset);
  expect([...file.subarray(0, 8)]).toEqual([137, 80, 78, 71, 13, 10, 26, 10]);
  const chunks: Record<string, Uint8Array> = {};
  let offset = 8;
  while (offset < file.length) {
    const length = view.getUint32(offset);
    const type = String.fromCharCode(...file.subarray(offset + 4, offset + 8));
    chunks[type] = file.subarray(offset + 8, offset + 8 + length);
    expect(view.getUint32(offset + 8 + length)).toBe(crc32(file.subarray(offset + 4, offset + 8 + length)));
    offset += 12 + length;
  }
  expect(Object.keys(chunks)).toEqual(['IHDR', 'IDAT', 'IEND']);
  const header = new DataView(chunks.IHDR.buffer, chunks.IHDR.byteOffset);
  const width = header.getUint32(0);
  const height = header.getUint32(4);
  const channels = chunks.IHDR[9] === 6 ? 4 : 3;
  const rows = inflateSync(chunks.IDAT); // checks the Adler sum
  const stride = width * channels;
  expect(rows.length).toBe(height * (stride + 1));
  const pixels = new Uint8Array(width * height * 4).fill(255);
  const at = (y: number, n: number) =>
    y < 0 || n < 0 ? 0 : pixels[(y * width + Math.floor(n / channels)) * 4 + (n % channels)];
  for (let y = 0; y < height; y++) {
    const filter = rows[y * (stride + 1)];
    for (let n = 0; n < stride; n++) {
      const [left, up, corner] = [at(y, n - channels), at(y - 1, n), n < channels ? 0 : at(y - 1, n - channels)];
      const p = left + up - corner;
      const order = [left, up, corner];
      const nearest = order.reduce((best, v) => (Math.abs(p - v) < Math.abs(p - best) ? v : best), left);
      const guess = [0, left, up, (left + up) >> 1, nearest][filter];
      pixels[(y * width + Math.floor(n / channels)) * 4 + (n % channels)] = rows[y * (stride + 1) + 1 + n] + guess;
    }
  }
  return { width, height, pixels };
}

/** Compares many bytes faster than the matchers do. */
function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

/** Bit by bit, unlike the table that is tested. */
function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

describe('writePng', () => {
  it('gives back the same pixels when decoded by zlib', () => {
    const image = makeImage(97, 61, [0.9, 0.9, 0.95]);
    drawDisc(image, 40, 30, 20, [0.8, 0.2, 0.1]);
    drawText(image, 'Ossify 0123', 5, 50, { size: 16 });
    const back = readPng(writePng(image));
    expect([back.width, back.height]).toEqual([97, 61]);
    expect(isSame(back.pixels, image.pixels)).toBe(true);
  });

  it('keeps transparency', () => {
    const image = makeImage(20, 10, [1, 1, 1], 0);
    drawDisc(image, 10, 5, 4, [0.1, 0.5, 0.9], 0.5);
    expect(isSame(readPng(writePng(image)).pixels, image.pixels)).toBe(true);
  });

  it('writes any pixels, the smallest image and noise included', () => {
    const random = makeRandom(3);
    for (const [width, height] of [
      [1, 1],
      [1, 40],
      [300, 200],
    ]) {
      const pixels = Uint8Array.from({ length: width * height * 4 }, () => random.below(256));
      expect(isSame(readPng(writePng({ width, height, pixels })).pixels, pixels)).toBe(true);
    }
  });

  it('makes plain areas small', () => {
    expect(writePng(makeImage(1000, 1000, [0.5, 0.6, 0.7])).length).toBeLessThan(8000);
  });

  it('rejects pixels that do not match the size', () => {
    expect(() => writePng({ width: 2, height: 2, pixels: new Uint8Array(12) })).toThrow('need 16 bytes, got 12');
  });
});
