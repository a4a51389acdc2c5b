// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../../../../core/math/random.ts';
import { listMotionCells } from '../list-motion-cells.ts';
import type { Group } from '../rigid-moments.ts';

/** Groups of one vertex that move by some vectors in the last of two frames. */
function makeGroups(shifts: readonly (readonly number[])[]): Group[] {
  return shifts.map((shift, n) => ({
    pieces: [n],
    moments: { count: 1, rest: new Float64Array(4), posed: new Float64Array(26) },
    motion: Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, ...shift),
    error: 0,
    isAlive: true,
    pairs: 0,
  }));
}

const randomShifts = (count: number): number[][] => {
  const random = makeRandom(3);
  return Array.from({ length: count }, () => [random.normal(), random.normal(), random.normal()]);
};

describe('listMotionCells', () => {
  it('puts every group in one cell, and no more than fit into each', () => {
    const groups = makeGroups(randomShifts(1000));
    for (const seed of [0, 1, 2]) {
      const cells = listMotionCells(groups, 60, seed);
      expect(cells.flat().sort((p, q) => p - q)).toEqual(Array.from(groups.keys()));
      expect(Math.max(...cells.map(({ length }) => length))).toBeLessThanOrEqual(60);
      for (const cell of cells) expect(cell).toEqual([...cell].sort((p, q) => p - q));
    }
  });

  it('keeps all groups together, in their order, where they fit', () => {
    expect(listMotionCells(makeGroups(randomShifts(5)), 5, 7)).toEqual([[0, 1, 2, 3, 4]]);
  });

  it('separates motions that are far apart', () => {
    const groups = makeGroups(Array.from({ length: 40 }, (_, n) => [n % 2 === 0 ? 0 : 100, 0.01 * n, 0]));
    for (const cell of listMotionCells(groups, 20, 1)) expect(new Set(cell.map((n) => n % 2)).size).toBe(1);
  });

  it('cuts at other places with another seed', () => {
    const groups = makeGroups(randomShifts(300));
    expect(listMotionCells(groups, 60, 1)).not.toEqual(listMotionCells(groups, 60, 2));
  });

  it('cuts groups without any motion as well', () => {
    const cells = listMotionCells(makeGroups(new Array<number[]>(100).fill([0, 0, 0])), 30, 0);
    expect(cells.flat()).toHaveLength(100);
    expect(Math.max(...cells.map(({ length }) => length))).toBeLessThanOrEqual(30);
  });
});
