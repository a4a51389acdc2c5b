// SPDX-License-Identifier: MIT
import { unzlibSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { pngFromTga } from '../png-from-tga.ts';

describe('Targa images', () => {
  const header = (kind: number, width: number, height: number, bits: number, order: number): number[] => [
    ...[0, kind === 1 ? 1 : 0, kind, 0, 0, kind === 1 ? 2 : 0, 0, kind === 1 ? 24 : 0, 0, 0, 0, 0],
    ...[width, 0, height, 0, bits, order],
  ];
  /** Rows of a PNG with their filters. */
  const rowsOf = (png: Uint8Array | undefined): number[] => {
    const length = new DataView(png!.buffer).getUint32(33);
    return [...unzlibSync(png!.subarray(41, 41 + length))];
  };

  it('become PNG from the top, red first', () => {
    const plain = Uint8Array.from([...header(2, 1, 2, 24, 0), 1, 2, 3, 4, 5, 6]);
    expect(rowsOf(pngFromTga(plain))).toEqual([0, 6, 5, 4, 0, 3, 2, 1]);
    const fromTop = Uint8Array.from([...header(2, 1, 2, 32, 0x20), 1, 2, 3, 9, 4, 5, 6, 8]);
    expect(rowsOf(pngFromTga(fromTop))).toEqual([0, 3, 2, 1, 9, 0, 6, 5, 4, 8]);
  });

  it('are expanded from runs and palettes', () => {
    const runs = Uint8Array.from([...header(11, 3, 1, 8, 0), 0x81, 7, 0x00, 9]);
    expect(rowsOf(pngFromTga(runs))).toEqual([0, 7, 7, 7, 7, 7, 7, 9, 9, 9]);
    const palette = Uint8Array.from([...header(1, 2, 1, 8, 0), 1, 2, 3, 4, 5, 6, 1, 0]);
    expect(rowsOf(pngFromTga(palette))).toEqual([0, 6, 5, 4, 3, 2, 1]);
  });

  it('that are cut off or claim more than they hold are none', () => {
    const whole = [...header(10, 200, 200, 24, 0), 0xff, 1, 2, 3];
    for (let n = 0; n < whole.length; n++) expect(pngFromTga(Uint8Array.from(whole.slice(0, n)))).toBeUndefined();
    expect(
      pngFromTga(
        Uint8Array.from([
          ...header(10, 255, 255, 24, 0).map((x, n) => (n === 13 || n === 15 ? 255 : x)),
          0xff,
          1,
          2,
          3,
        ]),
      ),
    ).toBeUndefined();
  });
});
