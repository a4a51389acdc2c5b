// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { composeEuler, eulerOf } from '../../../../core/math/euler.ts';
import type { JointRange } from '../../../../fit/poses/ranges-of-motion.ts';
import { hopfGrid } from '../hopf-grid.ts';
import { listJointRotations } from '../joint-rotations.ts';

const DEGREE = Math.PI / 180;
const still = [0, 0] as const;
const rangeOf = (...degrees: [number, number][]): JointRange => ({
  rotation: degrees.map(([low, high]) => [low * DEGREE, high * DEGREE]) as never,
  translation: [still, still, still],
});

describe('eulerOf', () => {
  it('is the inverse of composeEuler within a quarter turn about y', () => {
    const angle = fc.double({ min: -3.1, max: 3.1, noNaN: true });
    const tilt = fc.double({ min: -1.5, max: 1.5, noNaN: true });
    fc.assert(
      fc.property(angle, tilt, angle, (x, y, z) => {
        const found = eulerOf(composeEuler(x, y, z));
        [x, y, z].forEach((value, c) => {
          expect(Math.abs(found[c] - value)).toBeLessThan(1e-7);
        });
      }),
    );
  });
});

describe('listJointRotations', () => {
  const grid = hopfGrid(1);

  it('keeps those of the grid within a quarter turn about each axis', () => {
    const list = listJointRotations(grid, rangeOf([-90, 90], [-90, 90], [-90, 90]));
    expect(list.length / 4).toBeGreaterThan(100);
    for (let o = 0; o < list.length; o += 4)
      for (const angle of eulerOf(list, o)) expect(Math.abs(angle)).toBeLessThanOrEqual(90 * DEGREE + 1e-6);
  });

  it('keeps all rotations for an unlimited range', () => {
    expect(listJointRotations(grid, rangeOf([-180, 180], [-180, 180], [-180, 180])).length).toBe(grid.length);
  });

  it('makes a lattice for a hinge, with its ends and without the rest pose', () => {
    const list = listJointRotations(grid, rangeOf([0, 0], [0, 0], [-10, 130]));
    const angles = Array.from({ length: list.length / 4 }, (_, n) => eulerOf(list, 4 * n));
    expect(angles.length).toBeGreaterThan(40);
    for (const [x, y] of angles) {
      expect(x).toBeCloseTo(0, 9);
      expect(y).toBeCloseTo(0, 9);
    }
    const turns = angles.map(([, , z]) => z / DEGREE);
    expect(Math.min(...turns)).toBeCloseTo(-10, 6);
    expect(Math.max(...turns)).toBeCloseTo(130, 6);
    expect(turns.every((z) => Math.abs(z) > 1e-9)).toBe(true);
  });

  it('returns none for a fixed joint', () => {
    expect(listJointRotations(grid, rangeOf([0, 0], [0, 0], [0, 0])).length).toBe(0);
  });
});
