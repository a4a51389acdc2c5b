// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compose,
  determinant3,
  IDENTITY,
  invertAffine,
  makeIdentities,
  multiply,
  transformDirection,
  transformDirections,
  transformPoint,
  transformPoints,
} from '../mat4.ts';

const number = fc.integer({ min: -400, max: 400 }).map((x) => x / 100);
const vector = fc.tuple(number, number, number);
const affine = fc
  .array(number, { minLength: 12, maxLength: 12 })
  .map((a) => [a[0], a[1], a[2], 0, a[3], a[4], a[5], 0, a[6], a[7], a[8], 0, a[9], a[10], a[11], 1]);

function expectClose(a: ArrayLike<number>, b: ArrayLike<number>, tolerance: number): void {
  expect(a.length).toBe(b.length);
  for (let c = 0; c < a.length; c++) expect(Math.abs(a[c] - b[c])).toBeLessThanOrEqual(tolerance);
}

describe('transformPoints and transformDirections', () => {
  it('give the bits of one point or direction after the other, in a part of an array', () => {
    fc.assert(
      fc.property(affine, fc.array(fc.oneof(vector, fc.constant([0, -0, 0] as const)), { maxLength: 4 }), (m, list) => {
        const points = Float32Array.from([9, 9, 9, ...list.flat()]);
        for (const [one, all] of [
          [transformPoint, transformPoints],
          [transformDirection, transformDirections],
        ] as const) {
          const expected = new Float32Array(3 * list.length + 6).fill(7);
          for (let n = 0; n < list.length; n++) one(m, points, expected, 0, 3 * n + 3, 3 * n + 6);
          const found = new Float32Array(3 * list.length + 6).fill(7);
          all(m, points, found, 3, 6, list.length);
          expect(new Uint32Array(found.buffer)).toEqual(new Uint32Array(expected.buffer));
        }
      }),
    );
  });
});

describe('multiply', () => {
  it('chains transforms: (a b) p = a (b p)', () => {
    fc.assert(
      fc.property(affine, affine, vector, (a, b, p) => {
        const ab = new Float64Array(16);
        multiply(a, b, ab);
        const once = [0, 0, 0];
        const twice = [0, 0, 0];
        transformPoint(ab, p, once);
        transformPoint(b, p, twice);
        transformPoint(a, twice, twice);
        expectClose(once, twice, 1e-11);
      }),
    );
  });

  it('may write over either source, at offsets', () => {
    fc.assert(
      fc.property(affine, affine, (a, b) => {
        const expected = new Float64Array(16);
        multiply(a, b, expected);
        const overA = Float64Array.from([...a, ...b]);
        multiply(overA, overA, overA, 0, 16, 0);
        expect(overA.slice(0, 16)).toEqual(expected);
        const overB = Float64Array.from([...a, ...b]);
        multiply(overB, overB, overB, 0, 16, 16);
        expect(overB.slice(16)).toEqual(expected);
      }),
    );
  });
});

describe('invertAffine', () => {
  it('undoes a transform', () => {
    fc.assert(
      fc.property(affine, vector, (m, p) => {
        fc.pre(Math.abs(determinant3(m)) > 0.05);
        const inverse = new Float64Array(16);
        expect(invertAffine(m, inverse)).toBe(true);
        const out = [0, 0, 0];
        transformPoint(m, p, out);
        transformPoint(inverse, out, out);
        expectClose(out, p, 1e-9);
      }),
    );
  });

  it('rejects a singular matrix and leaves the destination alone', () => {
    const out = [...IDENTITY];
    expect(invertAffine([1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 5, 5, 5, 1], out)).toBe(false);
    expect(out).toEqual(IDENTITY);
  });
});

describe('compose', () => {
  it('scales, then turns, then moves', () => {
    // a quarter turn about z takes x to y
    const m = new Float64Array(16);
    compose([10, 20, 30], [0, 0, Math.SQRT1_2, Math.SQRT1_2], [2, 3, 4], m);
    const out = [0, 0, 0];
    transformPoint(m, [1, 1, 1], out);
    expectClose(out, [10 - 3, 20 + 2, 30 + 4], 1e-14);
    transformDirection(m, [1, 0, 0], out);
    expectClose(out, [0, 2, 0], 1e-14);
    expect(determinant3(m)).toBeCloseTo(24, 12);
  });

  it('makes the identity of nothing', () => {
    const m = new Float64Array(16);
    compose([0, 0, 0], [0, 0, 0, 1], [1, 1, 1], m);
    expect([...m]).toEqual(IDENTITY);
    expect([...makeIdentities(2)]).toEqual([...IDENTITY, ...IDENTITY]);
  });
});
