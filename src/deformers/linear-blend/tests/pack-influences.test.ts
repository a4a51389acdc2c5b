// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeSkin } from '../../../core/model/skin/skin.ts';
import { FLOAT_STEPS, packInfluences, roundToSteps } from '../pack-influences.ts';

describe('roundToSteps', () => {
  it.each([255, 65535, FLOAT_STEPS])(
    'makes weights whole numbers that sum to %i, each within a few steps of its share',
    (steps) => {
      const weight = fc.double({ min: 0, max: 1, noNaN: true });
      fc.assert(
        fc.property(fc.array(weight, { minLength: 1, maxLength: 12 }), (list) => {
          const row = Float64Array.from(list);
          const sum = row.reduce((a, b) => a + b, 0);
          fc.pre(sum > 1e-3);
          expect(roundToSteps(row, steps)).toBe(true);
          expect(row.reduce((a, b) => a + b, 0)).toBe(steps);
          row.forEach((x, e) => {
            expect(Number.isInteger(x)).toBe(true);
            expect(x).toBeGreaterThanOrEqual(0);
            expect(Math.abs(x - (list[e] / sum) * steps)).toBeLessThanOrEqual(list.length);
          });
        }),
      );
    },
  );

  it('says when there is nothing to round', () => {
    expect(roundToSteps(Float64Array.of(0, -1, Number.NaN), 255)).toBe(false);
  });
});

describe('packInfluences', () => {
  it('gives 32-bit weights that sum to exactly one, in sets of four, with joint zero where unused', () => {
    const weights = [0.1, 0.2, 0.3, 0.15, 0.25, 1 / 3, 1 / 3, 1 / 3, 0, 0];
    const skin = makeSkin([0, 1, 2, 3, 4, 300, 1, 2, 0, 0], weights, 5);
    const packed = packInfluences(skin, 301, 0, 2, 2);
    expect(packed.joints[0]).toBeInstanceOf(Uint16Array);
    for (let i = 0; i < 2; i++) {
      let sum = 0;
      for (const set of packed.weights) for (let c = 0; c < 4; c++) sum = Math.fround(sum + set[i * 4 + c]);
      expect(sum).toBe(1);
    }
    expect([...packed.joints[0]]).toEqual([2, 4, 1, 3, 1, 2, 300, 0]);
    expect([...packed.joints[1]]).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
  });

  it('refuses a bone that is not there', () => {
    expect(() => packInfluences(makeSkin([7], [1], 1), 3, 0, 1, 1)).toThrow('vertex 0 names bone 7 of 3');
  });
});
