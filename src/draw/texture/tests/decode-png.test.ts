// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { zlibSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { InputError } from '../../../core/model/errors.ts';
import { writePng } from '../../image/write-png.ts';
import { decodeImage } from '../decode-image.ts';
import { decodePng } from '../decode-png.ts';

const u32 = (n: number): number[] => [(n >>> 24) & 255, (n >>> 16) & 255, (n >>> 8) & 255, n & 255];

interface Parts {
  width: number;
  height: number;
  depth: number;
  type: number;
  /** Each a filter and the bytes of the row. */
  rows: number[][];
  palette?: number[];
  opacity?: number[];
  isInterlaced?: boolean;
}

function makePng({ width, height, depth, type, rows, palette, opacity, isInterlaced }: Parts): Uint8Array {
  const chunk = (name: string, data: readonly number[]): number[] => [
    ...u32(data.length),
    ...[...name].map((letter) => letter.charCodeAt(0)),
    ...data,
    ...u32(0),
  ];
  return Uint8Array.from([
    ...[0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10],
    ...chunk('IHDR', [...u32(width), ...u32(height), depth, type, 0, 0, isInterlaced ? 1 : 0]),
    ...(palette ? chunk('PLTE', palette) : []),
    ...(opacity ? chunk('tRNS', opacity) : []),
    ...chunk('IDAT', [...zlibSync(Uint8Array.from(rows.flat()))]),
    ...chunk('IEND', []),
  ]);
}

const pixelsOf = (parts: Parts): number[] => [...decodePng(makePng(parts)).pixels];

describe('decodePng', () => {
  it('reads what writePng writes', async () => {
    const pixels = Uint8Array.from({ length: 4 * 9 * 5 }, (_, n) => (n % 4 === 3 ? 255 : (n * 37) % 256));
    const image = await decodeImage(writePng({ width: 9, height: 5, pixels }));
    expect(image).toEqual({ width: 9, height: 5, pixels: Uint8ClampedArray.from(pixels) });
  });

  it('reads every kind of colour', () => {
    const size = { width: 2, height: 1 };
    expect(pixelsOf({ ...size, depth: 1, type: 0, rows: [[0, 0b01000000]] })).toEqual([
      0, 0, 0, 255, 255, 255, 255, 255,
    ]);
    expect(pixelsOf({ ...size, depth: 4, type: 0, rows: [[0, 0x3f]] })).toEqual([51, 51, 51, 255, 255, 255, 255, 255]);
    expect(pixelsOf({ ...size, depth: 16, type: 0, rows: [[0, 7, 99, 200, 1]] })).toEqual([
      7, 7, 7, 255, 200, 200, 200, 255,
    ]);
    expect(pixelsOf({ ...size, depth: 8, type: 4, rows: [[0, 10, 20, 30, 40]] })).toEqual([
      10, 10, 10, 20, 30, 30, 30, 40,
    ]);
    const palette = [1, 2, 3, 4, 5, 6];
    expect(pixelsOf({ ...size, depth: 2, type: 3, rows: [[0, 0b01000000]], palette, opacity: [9] })).toEqual([
      4, 5, 6, 255, 1, 2, 3, 9,
    ]);
    const clear = [0, 1, 0, 2, 0, 3];
    expect(pixelsOf({ ...size, depth: 8, type: 2, rows: [[0, 1, 2, 3, 4, 5, 6]], opacity: clear })).toEqual([
      1, 2, 3, 0, 4, 5, 6, 255,
    ]);
  });

  it('undoes every filter', () => {
    const grey = { width: 3, height: 2, depth: 8, type: 0 };
    const red = (rows: number[][]): number[] => pixelsOf({ ...grey, rows }).filter((_, n) => n % 4 === 0);
    expect(
      red([
        [1, 5, 5, 5],
        [0, 1, 2, 3],
      ]),
    ).toEqual([5, 10, 15, 1, 2, 3]);
    expect(
      red([
        [0, 1, 2, 3],
        [2, 10, 10, 10],
      ]),
    ).toEqual([1, 2, 3, 11, 12, 13]);
    expect(
      red([
        [0, 4, 8, 12],
        [3, 10, 10, 10],
      ]),
    ).toEqual([4, 8, 12, 12, 20, 26]);
    expect(
      red([
        [0, 4, 8, 12],
        [4, 1, 1, 1],
      ]),
    ).toEqual([4, 8, 12, 5, 9, 13]);
  });

  it('puts the pixels of interlaced pictures in their places', () => {
    // passes of a 3 x 3 picture: one pixel, none, none, one, two, three, and the middle row
    const rows = [
      [0, 11],
      [0, 13],
      [0, 31, 33],
      [0, 12],
      [0, 32],
      [0, 21, 22, 23],
    ];
    const red = pixelsOf({ width: 3, height: 3, depth: 8, type: 0, rows, isInterlaced: true }).filter(
      (_, n) => n % 4 === 0,
    );
    expect(red).toEqual([11, 12, 13, 21, 22, 23, 31, 32, 33]);
  });

  it('refuses pictures that claim more pixels than their bytes can hold, and other files', async () => {
    const rows = [[0, 0]];
    expect(() => decodePng(makePng({ width: 4000, height: 4000, depth: 1, type: 0, rows }))).toThrow(
      'more pixels than',
    );
    expect(() => decodePng(makePng({ width: 2 ** 30, height: 2, depth: 1, type: 0, rows }))).toThrow('at most');
    await expect(decodeImage(Uint8Array.of(1, 2, 3))).rejects.toThrow('neither PNG nor JPEG');
  });

  it('gives an InputError or a picture for any mutation', () => {
    const rows = Array.from({ length: 6 }, (_, r) => [r % 5, ...Array.from({ length: 21 }, (_, n) => n * r)]);
    const seed = makePng({ width: 7, height: 6, depth: 8, type: 2, rows });
    const edit = fc.tuple(fc.nat(), fc.nat(255));
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 6 }), (edits) => {
        const bytes = seed.slice();
        for (const [at, value] of edits) bytes[at % bytes.length] = value;
        try {
          const { width, height, pixels } = decodePng(bytes);
          expect(pixels.length).toBe(4 * width * height);
        } catch (error) {
          expect(error).toBeInstanceOf(InputError);
        }
      }),
      { numRuns: 300 },
    );
  });
});
