// SPDX-License-Identifier: MIT
import { unzlibSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { InputError } from '../../../core/model/errors.ts';
import { type Image, makeImage } from '../image.ts';
import { writeApng } from '../write-apng.ts';

/** Chunks of a PNG: type and data. */
function listChunks(bytes: Uint8Array): { type: string; data: Uint8Array }[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const chunks = [];
  for (let at = 8; at < bytes.length; at += 12 + view.getUint32(at)) {
    const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    chunks.push({ type, data: bytes.slice(at + 8, at + 8 + view.getUint32(at)) });
  }
  return chunks;
}

/** A dark picture of 4 x 3 pixels with one bright pixel. */
function pictureOf(bright: number): Image {
  const image = makeImage(4, 3);
  for (let p = 0; p < 12; p++) image.pixels.set(p === bright ? [255, 248, 0, 255] : [8, 8, 8, 255], 4 * p);
  return image;
}

describe('writeApng', () => {
  it('stores the first frame whole, and the changed rectangle of the others', () => {
    const chunks = listChunks(writeApng([pictureOf(0), pictureOf(5)], { fps: 10 }));
    expect(chunks.map(({ type }) => type)).toEqual(['IHDR', 'acTL', 'PLTE', 'fcTL', 'IDAT', 'fcTL', 'fdAT', 'IEND']);
    expect([...chunks[2].data]).toEqual([8, 8, 8, 255, 255, 0]);
    expect([...unzlibSync(chunks[4].data)]).toEqual([0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    const control = new DataView(chunks[5].data.buffer);
    expect([4, 8, 12, 16].map((at) => control.getUint32(at))).toEqual([2, 2, 0, 0]);
    expect([control.getUint16(20), control.getUint16(22)]).toEqual([1, 10]);
    expect([...unzlibSync(chunks[6].data.subarray(4))]).toEqual([0, 0, 0, 0, 0, 1]);
  });

  it('refuses frames of different sizes, and none', () => {
    expect(() => writeApng([])).toThrow(InputError);
    expect(() => writeApng([pictureOf(0), makeImage(2, 2)])).toThrow(InputError);
  });
});
