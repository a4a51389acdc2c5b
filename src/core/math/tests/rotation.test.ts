// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quaternionFromAxisAngle } from '../quaternion.ts';
import { makeRandom, type Random } from '../random.ts';
import { nearestRotationInto } from '../rotation.ts';
import { svd3ProperInto } from '../svd3.ts';

const IDENTITY3 = [1, 0, 0, 0, 1, 0, 0, 0, 1];

function nearestRotation(m: ArrayLike<number>): Float64Array {
  const out = new Float64Array(9);
  nearestRotationInto(m, out);
  return out;
}

/** a * b, column-major 3x3 */
function multiply3(a: ArrayLike<number>, b: ArrayLike<number>): number[] {
  return Array.from({ length: 9 }, (_, c) => {
    const row = c % 3;
    const col = 3 * Math.floor(c / 3);
    return a[row] * b[col] + a[row + 3] * b[col + 1] + a[row + 6] * b[col + 2];
  });
}

const transpose = (m: ArrayLike<number>): number[] => [m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]];
const inner = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((sum, x, c) => sum + x * b[c], 0);
const distance = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Math.max(...Array.from(a, (x, c) => Math.abs(x - b[c])));

function det3(m: ArrayLike<number>): number {
  return m[0] * (m[4] * m[8] - m[7] * m[5]) - m[3] * (m[1] * m[8] - m[7] * m[2]) + m[6] * (m[1] * m[5] - m[4] * m[2]);
}

function turn(axis: number[], angle: number): number[] {
  const q = [0, 0, 0, 0];
  quaternionFromAxisAngle(axis, angle, q);
  const [x, y, z, w] = q;
  return [
    ...[1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)],
    ...[2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)],
    ...[2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)],
  ];
}

function randomRotation(random: Random): number[] {
  const axis = [random.normal(), random.normal(), random.normal()];
  return turn(axis, 2 * Math.PI * random.next());
}

/** U diag(s) Vᵀ for random rotations, and the rotation U Vᵀ */
function shaped(random: Random, s: number[]): { m: number[]; r: number[] } {
  const u = randomRotation(random);
  const v = randomRotation(random);
  const us = u.map((x, c) => x * s[Math.floor(c / 3)]);
  return { m: multiply3(us, transpose(v)), r: multiply3(u, transpose(v)) };
}

function expectRotation(r: ArrayLike<number>, tolerance = 1e-14): void {
  expect(distance(multiply3(transpose(r), r), IDENTITY3)).toBeLessThan(tolerance);
  expect(Math.abs(det3(r) - 1)).toBeLessThan(tolerance);
}

const entry = fc.double({ min: -1, max: 1, noNaN: true });
const matrix = fc.array(entry, { minLength: 9, maxLength: 9 });

describe('nearestRotationInto', () => {
  it('returns a proper rotation for any finite matrix', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 9, maxLength: 9 }),
        (m) => {
          expectRotation(nearestRotation(m));
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('returns a proper rotation for matrices of small integers, where ties and rank loss are common', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -2, max: 2 }), { minLength: 9, maxLength: 9 }), (m) => {
        expectRotation(nearestRotation(m));
      }),
      { numRuns: 3000 },
    );
  });

  it('is at least as good as any other rotation, near or far', () => {
    const random = makeRandom(3);
    fc.assert(
      fc.property(matrix, (m) => {
        const r = nearestRotation(m);
        const best = inner(r, m);
        for (let n = 0; n < 20; n++) {
          expect(inner(randomRotation(random), m)).toBeLessThanOrEqual(best + 1e-13);
          const near = turn([random.normal(), random.normal(), random.normal()], 1e-3 * random.normal());
          expect(inner(multiply3(near, r), m)).toBeLessThanOrEqual(best + 1e-13);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('finds the rotation a matrix was made from, as accurately as the matrix says it', () => {
    const random = makeRandom(5);
    for (let n = 0; n < 4000; n++) {
      const b = 10 ** (-3 * random.next());
      const c = b * (2 * random.next() - 1);
      const { m, r } = shaped(random, [1, b, c]);
      // an entry's rounding error turns the answer by itself over b + c
      expect(distance(nearestRotation(m), r)).toBeLessThan(Math.max(1e-14, 1e-15 / (b + c)));
    }
  });

  it('agrees with the singular values on both sides of the switch between its two ways', () => {
    const random = makeRandom(6);
    const u = new Float64Array(9);
    const s = new Float64Array(3);
    const v = new Float64Array(9);
    for (let n = 0; n < 3000; n++) {
      const { m } = shaped(random, [1, 0.5, -0.5 + 0.02 * random.next()]);
      svd3ProperInto(m, u, s, v);
      expect(distance(nearestRotation(m), multiply3(u, transpose(v)))).toBeLessThan(1e-12);
    }
  });

  it('is accurate to 1e-12 for equal and nearly equal singular values', () => {
    const random = makeRandom(7);
    for (const gap of [0, 1e-16, 1e-12, 1e-8, 1e-4]) {
      for (const s of [
        [1, 1 - gap, 1 - 2 * gap],
        [1, 1, 1 - gap],
        [1, 1 - gap, 0.1],
        [1, 0.4, 0.4 - gap],
        [1, 1 - gap, -0.3],
        [1, 1, gap],
      ]) {
        for (let n = 0; n < 50; n++) {
          const { m, r } = shaped(random, s);
          expect(distance(nearestRotation(m), r)).toBeLessThan(1e-12);
        }
      }
    }
  });

  it('turns with the matrix: R(QM) = Q R(M) and R(MQ) = R(M) Q', () => {
    const random = makeRandom(8);
    for (let n = 0; n < 1000; n++) {
      const { m } = shaped(random, [1, 0.2 + 0.8 * random.next(), 0.2 * (2 * random.next() - 1) * 0.9]);
      const q = randomRotation(random);
      const r = nearestRotation(m);
      expect(distance(nearestRotation(multiply3(q, m)), multiply3(q, r))).toBeLessThan(1e-12);
      expect(distance(nearestRotation(multiply3(m, q)), multiply3(r, q))).toBeLessThan(1e-12);
    }
  });

  it('does not depend on the scale of the matrix, from 1e-300 to 1e300', () => {
    const random = makeRandom(9);
    for (let n = 0; n < 200; n++) {
      const { m, r } = shaped(random, [1, 0.7, n % 2 ? 0.3 : -0.3]);
      for (const scale of [1e-300, 1e-200, 1e-30, 1e-12, 1e12, 1e30, 1e200, 1e300]) {
        expect(distance(nearestRotation(m.map((x) => x * scale)), r)).toBeLessThan(1e-13);
      }
    }
  });

  it('returns half turns, where a quaternion has no real part', () => {
    for (const axis of [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
      [1, 1, 0],
      [1, -2, 3],
    ]) {
      for (const angle of [Math.PI, Math.PI - 1e-9, Math.PI + 1e-9]) {
        const r = turn(axis, angle);
        expect(distance(nearestRotation(r), r)).toBeLessThan(1e-15);
        expect(distance(nearestRotation(r.map((x) => 5 * x)), r)).toBeLessThan(1e-15);
      }
    }
  });

  it('flips the smallest singular direction of a reflection', () => {
    expect(distance(nearestRotation([3, 0, 0, 0, 2, 0, 0, 0, -1]), IDENTITY3)).toBeLessThan(1e-15);
    expect(distance(nearestRotation([3, 0, 0, 0, -1, 0, 0, 0, 2]), IDENTITY3)).toBeLessThan(1e-15);
    const minusIdentity = nearestRotation(IDENTITY3.map((x) => -x));
    expectRotation(minusIdentity);
    expect(inner(minusIdentity, IDENTITY3)).toBeCloseTo(-1, 12);
    expect(nearestRotation(IDENTITY3.map((x) => -x))).toEqual(minusIdentity);
  });

  it('gives the unique answer for a flat patch (rank two)', () => {
    const random = makeRandom(10);
    for (let n = 0; n < 500; n++) {
      const { m, r } = shaped(random, [1, 0.05 + random.next(), 0]);
      expect(distance(nearestRotation(m), r)).toBeLessThan(1e-12);
    }
  });

  it('gives the smallest turn between the two directions of a rank-one matrix', () => {
    const random = makeRandom(11);
    for (let n = 0; n < 300; n++) {
      const axis = [random.normal(), random.normal(), random.normal()];
      const v = randomRotation(random).slice(0, 3);
      const across = [
        axis[1] * v[2] - axis[2] * v[1],
        axis[2] * v[0] - axis[0] * v[2],
        axis[0] * v[1] - axis[1] * v[0],
      ];
      const angle = n < 200 ? random.next() * 3.1 : Math.PI - 10 ** (-10 * random.next());
      const r = turn(across, angle);
      const u = [0, 1, 2].map((c) => r[c] * v[0] + r[c + 3] * v[1] + r[c + 6] * v[2]);
      const m = Array.from({ length: 9 }, (_, c) => 4 * u[c % 3] * v[Math.floor(c / 3)]);
      // near a half turn the axis is known as well as the directions differ from opposite
      expect(distance(nearestRotation(m), r)).toBeLessThan(1e-14 + 1e-15 / (Math.PI - angle));
    }
    const opposite = nearestRotation([-2, 0, 0, 0, 0, 0, 0, 0, 0]);
    expectRotation(opposite);
    expect(opposite[0]).toBe(-1);
  });

  it('gives the identity for zero and for what is not finite', () => {
    expect([...nearestRotation(new Array(9).fill(0))]).toEqual(IDENTITY3);
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      for (let c = 0; c < 9; c++) {
        const m = [...IDENTITY3];
        m[c] = bad;
        expect([...nearestRotation(m)]).toEqual(IDENTITY3);
      }
    }
  });

  it('reads and writes at offsets, in place', () => {
    const random = makeRandom(12);
    const { m, r } = shaped(random, [2, 1, 0.5]);
    const inPlace = [7, ...m, 7];
    nearestRotationInto(inPlace, inPlace, 1, 1);
    expect(distance(inPlace.slice(1, 10), r)).toBeLessThan(1e-14);
    expect([inPlace[0], inPlace[10]]).toEqual([7, 7]);
    const flat = [0, 0, 1, 0, 0, 0, 0, 0, 0];
    nearestRotationInto(flat, flat);
    expectRotation(flat);
  });
});
