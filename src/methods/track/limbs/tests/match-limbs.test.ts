// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeMatches } from '../../register/find-matches.ts';
import { makeScanSurface } from '../../register/make-scan-surface.ts';
import { aimLimbs } from '../aim-limbs.ts';
import { centerRings, findLimbs } from '../find-limbs.ts';
import { type LimbedSurface, matchLimbs, measureLimbGap } from '../match-limbs.ts';
import { makeSurfacePaths } from '../surface-paths.ts';

/** Angles of the legs at which they are attached to the disc. */
const ROOTS = [0.3, 1.2, 2, 3.1, 4.2, 5.2];
const AROUND = 48;
const STEPS = 12;

/**
 * A flat disc with six legs of two rows of points each, which bend in the plane.
 * @param bends angle by which each leg is turned at its root
 * @param finer factor on the points along a leg: another mesh of the same body
 * @param length of a leg
 */
function makeBug(bends: readonly number[], finer = 1, length = 0.35): LimbedSurface {
  const positions = [0, 0, 0];
  const triangles: number[] = [];
  for (let c = 0; c < AROUND; c++) {
    const angle = (2 * Math.PI * c) / AROUND;
    positions.push(0.1 * Math.cos(angle), 0.1 * Math.sin(angle), 0);
    triangles.push(0, 1 + c, 1 + ((c + 1) % AROUND));
  }
  for (const [n, root] of ROOTS.entries()) {
    const at = Math.round((root / (2 * Math.PI)) * AROUND);
    let [left, right] = [1 + at, 1 + ((at + 1) % AROUND)];
    const middle = [0, 1].map((a) => (positions[3 * left + a] + positions[3 * right + a]) / 2);
    const way = root + bends[n];
    for (let s = 1; s <= STEPS * finer; s++) {
      const along = (length * s) / (STEPS * finer);
      for (const side of [-1, 1])
        positions.push(
          middle[0] + along * Math.cos(way) - side * 0.006 * Math.sin(way),
          middle[1] + along * Math.sin(way) + side * 0.006 * Math.cos(way),
          0,
        );
      const next = positions.length / 3 - 2;
      triangles.push(left, next, right, right, next, next + 1);
      [left, right] = [next, next + 1];
    }
  }
  const surface = makeScanSurface(
    { positions: Float32Array.from(positions), triangles: Uint32Array.from(triangles) },
    { scale: 1, center: [0, 0, 0] },
  );
  const { positions: points, areas } = surface;
  return { limbs: findLimbs(makeSurfacePaths(surface)), positions: points, areas };
}

/** The leg of a limb, by where its last ring is. */
function legOf(bug: LimbedSurface, limb: number): number {
  const centers = centerRings(bug.limbs[limb], bug.positions, bug.areas);
  const angle = (Math.atan2(centers[centers.length - 3], centers[centers.length - 4]) + 2 * Math.PI) % (2 * Math.PI);
  return ROOTS.findIndex((root) => Math.abs(root - angle) < 0.4);
}

const STILL = [0, 0, 0, 0, 0, 0];

describe('findLimbs', () => {
  it('finds each leg once, in any pose and with any mesh', () => {
    for (const bug of [makeBug(STILL), makeBug([0.4, -0.3, 0.5, 0.2, -0.4, 0.1]), makeBug(STILL, 2)]) {
      expect(bug.limbs.length).toBe(ROOTS.length);
      for (const { ringCount, rings } of bug.limbs) expect(Math.max(...rings)).toBeLessThan(ringCount);
    }
    const legs = makeBug(STILL).limbs.map((_, n) => legOf(makeBug(STILL), n));
    expect(legs.sort()).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('has no limbs whose extremities are too near to one another', () => {
    expect(makeBug(STILL, 1, 0.2).limbs.length).toBe(ROOTS.length);
    expect(makeBug(STILL, 1, 0.03).limbs).toEqual([]);
  });
});

describe('matchLimbs', () => {
  // all legs swing forward by more than half of the angle between them: the nearest leg is the next one
  const swung = makeBug([0.6, 0.6, 0.6, 0.6, 0.6, 0.6], 2);
  const still = makeBug(STILL);

  it('pairs legs by their roots although their tips are nearer to other legs', () => {
    const pairs = matchLimbs(still, swung);
    expect(new Set(pairs).size).toBe(ROOTS.length);
    const shifted = { ...swung, positions: makeBug(STILL, 2).positions };
    for (const [n, m] of pairs.entries()) expect(legOf(shifted, m)).toBe(legOf(still, n));
    expect(measureLimbGap(still, swung, pairs)).toBeGreaterThan(0.05);
    expect(measureLimbGap(still, shifted, pairs)).toBeLessThan(0.01);
  });

  it('leaves a limb alone if the frame has none for it', () => {
    const pairs = matchLimbs(still, { ...swung, limbs: swung.limbs.slice(0, 2) });
    expect(pairs.filter((m) => m >= 0).length).toBe(2);
    expect([...matchLimbs(still, { ...swung, limbs: [] })]).toEqual([-1, -1, -1, -1, -1, -1]);
  });

  it('aims the points of a leg at the leg of its pair', () => {
    const pairs = matchLimbs(still, swung);
    const aimed = aimLimbs(makeMatches(0), still, swung, pairs);
    expect(aimed.count).toBeGreaterThan(0);
    const moved = { ...still, positions: still.positions.slice() };
    for (let m = 0; m < aimed.count; m++)
      for (let a = 0; a < 3; a++)
        if (aimed.normals[3 * m + a] === 1) moved.positions[3 * aimed.corners[3 * m] + a] = aimed.targets[3 * m + a];
    expect(measureLimbGap(moved, swung, pairs)).toBeLessThan(1e-6);
  });
});
