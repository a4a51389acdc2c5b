// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { packCoefficients, packComponents, unpackComponentsInto } from './skin-correction.ts';

/** Two components of three vertices. */
const BASIS = Float32Array.of(1, -2, 3, 4, 5, -6, 7, 8, 9, 0.1, 0.2, 0.3, -0.4, 0.5, 0.6, 0, 0, 0);

describe('the layout of OSSIFY_skin_correction', () => {
  it('of version 1 is what it always was', () => {
    expect([...packComponents(BASIS, 2, 1, 2).values]).toEqual([...[4, 5, -6, 7, 8, 9], ...BASIS.subarray(12)]);
    const { values, scales } = packComponents(BASIS, 2, 1, 2, true);
    expect([...scales!]).toEqual([9, Math.fround(0.6)]);
    expect([...values]).toEqual([14563, 18204, -21845, 25485, 29126, 32767, -21845, 27306, 32767, 0, 0, 0]);
    expect([...packCoefficients(Float32Array.of(1, -1, 0.5, 0), true)]).toEqual([32767, -32767, 16384, 0]);
  });

  it.each([false, true])('comes back within half a step of its numbers, quantized: %s', (quantize) => {
    const out = new Float32Array(BASIS.length);
    for (const [start, count] of [
      [0, 1],
      [1, 2],
    ]) {
      const { values, scales } = packComponents(BASIS, 2, start, count, quantize);
      unpackComponentsInto(
        quantize ? Float32Array.from(values, (x) => x / 32767) : (values as Float32Array),
        scales,
        2,
        out,
        start,
      );
    }
    out.forEach((x, c) => {
      expect(Math.abs(x - BASIS[c])).toBeLessThanOrEqual(quantize ? (0.51 * (c < 9 ? 9 : 0.6)) / 32767 : 0);
    });
  });

  it('holds vertices that no component moves', () => {
    const { values, scales } = packComponents(new Float32Array(6), 1, 0, 2, true);
    expect([...values, ...scales!]).toEqual(new Array(7).fill(0));
  });
});
