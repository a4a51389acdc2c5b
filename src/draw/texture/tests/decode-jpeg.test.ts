// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JPEG_PICTURES as FILES } from '../../../../fuzz/seeds/jpeg-pictures.ts';
import { InputError } from '../../../core/model/errors.ts';
import { decodeImage } from '../decode-image.ts';
import { decodeJpeg } from '../decode-jpeg.ts';

/** The pictures: red from left to right, green from top to bottom, blue 96. */
const bytesOf = (text: string) => Uint8Array.from(Buffer.from(text, 'base64'));

/** The colour of a pixel before it was compressed. */
const colorAt = (x: number, y: number): number[] => [Math.floor((x * 255) / 23), Math.floor((y * 255) / 15), 96];

function differenceOf(pixels: Uint8ClampedArray, of: (x: number, y: number) => number[]): number {
  let sum = 0;
  for (let y = 0; y < 16; y++)
    for (let x = 0; x < 24; x++)
      of(x, y).forEach((value, c) => {
        sum += Math.abs(value - pixels[4 * (24 * y + x) + c]);
      });
  return sum / (24 * 16 * 3);
}

describe('decodeJpeg', () => {
  it.each([
    ['sequential', 3],
    ['progressive', 3],
    ['subsampled', 6],
  ] as const)('decodes a picture that is %s', async (name, most) => {
    const { width, height, pixels } = await decodeImage(bytesOf(FILES[name]));
    expect([width, height]).toEqual([24, 16]);
    expect(differenceOf(pixels, colorAt)).toBeLessThan(most);
    for (let n = 3; n < pixels.length; n += 4) expect(pixels[n]).toBe(255);
  });

  it('decodes grey', () => {
    const { pixels } = decodeJpeg(bytesOf(FILES.grey));
    const grey = (x: number, y: number): number[] => {
      const [r, g, b] = colorAt(x, y);
      return Array(3).fill(0.299 * r + 0.587 * g + 0.114 * b);
    };
    expect(differenceOf(pixels, grey)).toBeLessThan(3);
  });

  it('shows what there is of a file that ends early', () => {
    const bytes = bytesOf(FILES.sequential);
    const whole = decodeJpeg(bytes).pixels;
    const { pixels } = decodeJpeg(bytes.slice(0, -40));
    expect([...pixels.subarray(0, 32)]).toEqual([...whole.subarray(0, 32)]);
  });

  it('refuses pictures that claim more pixels than their bytes can hold', () => {
    const bytes = bytesOf(FILES.sequential);
    const frame = bytes.findIndex((byte, n) => byte === 0xff && bytes[n + 1] === 0xc0);
    bytes.set([0x3f, 0xff, 0x3f, 0xff], frame + 5);
    expect(() => decodeJpeg(bytes)).toThrow(/claims more pixels|at most/);
  });

  it('gives an InputError or a picture for any mutation', () => {
    const seeds = Object.values(FILES).map(bytesOf);
    const edit = fc.tuple(fc.nat(), fc.nat(255));
    fc.assert(
      fc.property(fc.nat(3), fc.array(edit, { minLength: 1, maxLength: 6 }), (n, edits) => {
        const bytes = seeds[n].slice();
        for (const [at, value] of edits) bytes[at % bytes.length] = value;
        try {
          const { width, height, pixels } = decodeJpeg(bytes);
          expect(pixels.length).toBe(4 * width * height);
        } catch (error) {
          expect(error).toBeInstanceOf(InputError);
        }
      }),
      { numRuns: 200 },
    );
  });
});
