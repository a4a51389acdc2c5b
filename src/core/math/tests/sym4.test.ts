// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../random.ts';
import {
  addOuterSym4,
  addRowTimesSym4,
  addScaledSym4,
  addSecondSym4,
  addSym4,
  centroidSym4Into,
  determinantSym4,
  dotSym4,
  dotSym4TableInto,
  outerSym4Into,
  productsSym4Into,
  SYM4_11,
  SYM4_FIRST,
  SYM4_INDEX,
  SYM4_SECOND,
  SYM4_SIZE,
  translateSym4,
} from '../sym4.ts';

const random = makeRandom(4);
const drawPoint = (): [number, number, number] => [random.normal(), random.normal(), random.normal()];

/** Weighted points, and their moments as a full 4x4 matrix. */
function drawMoments(count: number): { points: [number, number, number][]; weights: number[]; full: number[][] } {
  const points = Array.from({ length: count }, drawPoint);
  const weights = points.map(() => 0.1 + random.next());
  const full = sumOuter(points, weights);
  return { points, weights, full };
}

function sumOuter(points: [number, number, number][], weights: number[]): number[][] {
  const full = Array.from({ length: 4 }, () => [0, 0, 0, 0]);
  points.forEach((point, n) => {
    const u = [...point, 1];
    for (let r = 0; r < 4; r++) for (let c = 0; c < 4; c++) full[r][c] += weights[n] * u[r] * u[c];
  });
  return full;
}

function pack(full: number[][]): Float64Array {
  const a = new Float64Array(SYM4_SIZE);
  for (let r = 0; r < 4; r++) for (let c = 0; c < 4; c++) a[SYM4_INDEX[r][c]] = full[r][c];
  return a;
}

function expectClose(a: ArrayLike<number>, b: ArrayLike<number>): void {
  expect(a.length).toBe(b.length);
  for (let c = 0; c < a.length; c++) expect(a[c]).toBeCloseTo(b[c], 10);
}

/** By permutations. */
function determinant(m: number[][]): number {
  if (m.length === 1) return m[0][0];
  return m[0].reduce((sum, value, c) => {
    const minor = m.slice(1).map((row) => row.filter((_, other) => other !== c));
    return sum + (c % 2 === 0 ? 1 : -1) * value * determinant(minor);
  }, 0);
}

describe('sym4', () => {
  it('stores the upper triangle of a symmetric 4x4 row by row', () => {
    const seen: number[] = [];
    for (let r = 0; r < 4; r++)
      for (let c = r; c < 4; c++) {
        seen.push(SYM4_INDEX[r][c]);
        expect(SYM4_INDEX[c][r]).toBe(SYM4_INDEX[r][c]);
      }
    expect(seen).toEqual(Array.from({ length: SYM4_SIZE }, (_, n) => n));
    expect(SYM4_FIRST).toEqual([0, 1, 2].map((r) => SYM4_INDEX[r][3]));
    expect(SYM4_SECOND).toEqual([0, 1, 2].flatMap((r) => [0, 1, 2].slice(r).map((c) => SYM4_INDEX[r][c])));
    expect(SYM4_11).toBe(SYM4_INDEX[3][3]);
  });

  it('sums weighted outer products', () => {
    const { points, weights, full } = drawMoments(7);
    const a = new Float64Array(SYM4_SIZE + 2);
    points.forEach(([x, y, z], n) => {
      addOuterSym4(weights[n], x, y, z, a, 2);
    });
    expectClose(a.subarray(2), pack(full));
    outerSym4Into(...points[0], a, 2);
    expectClose(a.subarray(2), pack(sumOuter([points[0]], [1])));
  });

  it('evaluates quadratics by one dot product, also over a table of matrices', () => {
    const matrices = Array.from({ length: 3 }, () => drawMoments(5).full);
    const u = [...drawPoint(), 1];
    const q = new Float64Array(SYM4_SIZE);
    productsSym4Into(u[0], u[1], u[2], q);
    const expected = matrices.map((m) =>
      m.reduce((s, row, r) => s + row.reduce((t, v, c) => t + v * u[r] * u[c], 0), 0),
    );
    const table = new Float64Array(1 + 3 * SYM4_SIZE);
    matrices.forEach((m, l) => {
      const a = pack(m);
      expect(dotSym4(a, 0, q)).toBeCloseTo(expected[l], 10);
      for (let c = 0; c < SYM4_SIZE; c++) table[1 + 3 * c + l] = a[c];
    });
    const out = new Float64Array(4);
    dotSym4TableInto(table, 1, 3, q, out, 1);
    expectClose(out.subarray(1), expected);
  });

  it('adds matrices', () => {
    const a = pack(drawMoments(3).full);
    const b = pack(drawMoments(3).full);
    const sum = a.slice();
    addSym4(b, 0, sum);
    addScaledSym4(-0.5, a, 0, sum);
    expectClose(
      sum,
      a.map((value, c) => 0.5 * value + b[c]),
    );
    const second = new Float64Array(6);
    addSecondSym4(a, 0, second);
    expectClose(
      second,
      SYM4_SECOND.map((c) => a[c]),
    );
  });

  it('translates moments as the points are moved, and finds their centroid', () => {
    const { points, weights, full } = drawMoments(6);
    const shift = drawPoint();
    const a = pack(full);
    translateSym4(a, 0, ...shift);
    const moved = points.map(([x, y, z]): [number, number, number] => [x + shift[0], y + shift[1], z + shift[2]]);
    expectClose(a, pack(sumOuter(moved, weights)));
    const center = new Float64Array(3);
    const total = weights.reduce((sum, w) => sum + w, 0);
    const both = new Float64Array(2 * SYM4_SIZE);
    both.set(a.map((value) => 0.25 * value));
    both.set(
      a.map((value) => 0.75 * value),
      SYM4_SIZE,
    );
    expect(centroidSym4Into(both, 0, both.length, center)).toBeCloseTo(total, 10);
    expectClose(
      center,
      [0, 1, 2].map((r) => moved.reduce((sum, point, n) => sum + weights[n] * point[r], 0) / total),
    );
  });

  it('multiplies rows from the left', () => {
    const { full } = drawMoments(4);
    const row = Float64Array.from([...drawPoint(), 0.3]);
    const out = new Float64Array(12).fill(1);
    addRowTimesSym4(row, pack(full), 0, out, 2);
    const product = [0, 1, 2, 3].map((c) => row.reduce((sum, value, r) => sum + value * full[r][c], 0));
    expectClose(
      [2, 5, 8, 11].map((n) => out[n] - 1),
      product,
    );
    expect([0, 1, 3, 4, 6, 7, 9, 10].every((n) => out[n] === 1)).toBe(true);
  });

  it('has the determinant of the full matrix, and 0 without weight', () => {
    const { full } = drawMoments(8);
    expect(determinantSym4(pack(full))).toBeCloseTo(determinant(full), 8);
    expect(determinantSym4(new Float64Array(SYM4_SIZE))).toBe(0);
  });
});
