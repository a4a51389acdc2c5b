// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeTextureLevels } from '../make-texture-levels.ts';
import { sampleTextureInto } from '../sample-texture.ts';

/** Red 0, 255 above 255, 0. */
const image = {
  width: 2,
  height: 2,
  pixels: Uint8ClampedArray.from([0, 0, 0, 255, 255, 0, 0, 255, 255, 0, 0, 255, 0, 0, 0, 255]),
};
const MAP = { wrap: ['repeat', 'repeat'], isNearest: false, offset: [0, 0], rotation: 0, scale: [1, 1] } as const;

function redAt(u: number, v: number, map: Partial<Parameters<typeof sampleTextureInto>[1]> = {}): number {
  const out = new Float64Array(4);
  sampleTextureInto(image, { ...MAP, ...map }, u, v, out);
  expect(out[3]).toBeCloseTo(1, 12);
  return out[0];
}

describe('sampleTextureInto', () => {
  it('mixes four pixels, or takes the nearest', () => {
    expect(redAt(0.25, 0.25)).toBe(0);
    expect(redAt(0.75, 0.25)).toBe(1);
    expect(redAt(0.5, 0.25)).toBeCloseTo(0.5, 12);
    expect(redAt(0.45, 0.25, { isNearest: true })).toBe(0);
    expect(redAt(0.55, 0.25, { isNearest: true })).toBe(1);
  });

  it('repeats, mirrors and clamps', () => {
    const at = (u: number, wrap: 'repeat' | 'mirror' | 'clamp') =>
      redAt(u, 0.25, { wrap: [wrap, 'repeat'], isNearest: true });
    expect([1.25, 1.75, -0.25, -1.25].map((u) => at(u, 'repeat'))).toEqual([0, 1, 1, 1]);
    expect([1.25, 1.75, -0.25, 2.25].map((u) => at(u, 'mirror'))).toEqual([1, 0, 0, 0]);
    expect([1.25, 5, -0.25, -7].map((u) => at(u, 'clamp'))).toEqual([1, 1, 0, 0]);
  });

  it('applies scale, rotation and offset, and survives UVs that are not finite', () => {
    const near = { isNearest: true };
    expect(redAt(0.25, 0.25, { ...near, offset: [0.5, 0] })).toBe(1);
    expect(redAt(0.5, 0.5, { ...near, scale: [0.5, 0.5] })).toBe(0);
    expect(redAt(0.25, 0.25, { ...near, rotation: Math.PI / 2, offset: [0, 0] })).toBe(1);
    expect(redAt(Number.NaN, 0)).toBe(1);
    expect(redAt(1e300, 0)).toBe(1);
  });
});

describe('makeTextureLevels', () => {
  it('halves down to one pixel, the mean of all', () => {
    const levels = makeTextureLevels(image);
    expect(levels.map(({ width, height }) => [width, height])).toEqual([
      [2, 2],
      [1, 1],
    ]);
    expect(levels[1].pixels[0]).toBeCloseTo(128, -1);
    const wide = { width: 5, height: 1, pixels: new Uint8ClampedArray(20).fill(9) };
    expect(makeTextureLevels(wide).map(({ width }) => width)).toEqual([5, 2, 1]);
  });
});
