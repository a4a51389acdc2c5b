// SPDX-License-Identifier: MIT
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCompute } from '../../../../core/compute/make-compute.ts';
import type { Compute } from '../../../../core/kernels/compute.ts';
import { reserveTrajectories } from '../../../../core/kernels/matrices/trajectories.ts';
import { SkinFit } from '../../../../fit/skin/skin-fit.ts';
import { makeJointTree } from '../../joints/joint-tree.ts';
import { findHips } from '../find-hips.ts';
import { findRoot } from '../find-root.ts';

let compute: Compute;
beforeAll(async () => {
  compute = await makeCompute({ threads: 1 });
});
afterAll(() => {
  compute.dispose();
});

interface Limb {
  /** Ends of the axis, along x and along y. */
  from: [number, number];
  to: [number, number];
  radius: number;
  /** Rings of the tube. */
  rings: number;
  /** Rotation about z in the second frame, radians. */
  turn: number;
  /** Place of the axis along z. */
  z?: number;
}

const SIDES = 8;

/** One tube per bone; the first frame is the rest pose. */
function makeBody(limbs: readonly Limb[]): { fit: SkinFit; triangles: Uint32Array } {
  const positions: number[] = [];
  const triangles: number[] = [];
  const labels: number[] = [];
  limbs.forEach(({ from, to, radius, rings, z = 0 }, j) => {
    const first = labels.length;
    const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
    const length = Math.hypot(dx, dy);
    for (let ring = 0; ring < rings; ring++) {
      const part = ring / (rings - 1);
      for (let side = 0; side < SIDES; side++) {
        const angle = (2 * Math.PI * side) / SIDES;
        const out = radius * Math.cos(angle);
        positions.push(
          from[0] + part * dx - (out * dy) / length,
          from[1] + part * dy + (out * dx) / length,
          z + radius * Math.sin(angle),
        );
        labels.push(j);
        if (ring === 0) continue;
        const [a, b] = [first + ring * SIDES + side, first + ring * SIDES + ((side + 1) % SIDES)];
        triangles.push(a, b, a - SIDES, b, b - SIDES, a - SIDES);
      }
    }
  });
  const trajectories = reserveTrajectories(compute, labels.length, 2);
  trajectories.rest.view().set(positions);
  const fit = new SkinFit(compute, trajectories, limbs.length, {
    ...{ influences: 1, transforms: 'rigid', ridge: 1e-9, sweeps: 1, support: 'exchange' },
  });
  const bones = fit.bones.view();
  limbs.forEach(({ turn }, j) => {
    for (let k = 0; k < 2; k++) {
      const [c, s] = k === 0 ? [1, 0] : [Math.cos(turn), Math.sin(turn)];
      [c, -s, 0, s, c, 0, 0, 0, 1].forEach((value, e) => {
        bones[((3 * k + Math.floor(e / 3)) * limbs.length + j) * 4 + (e % 3)] = value;
      });
    }
  });
  fit.weights.bones.view().set(labels);
  fit.weights.weights.view().fill(1);
  return { fit, triangles: Uint32Array.from(triangles) };
}

const limb = (from: [number, number], to: [number, number], radius: number, rings = 4, turn = 0.5): Limb => ({
  ...{ from, to, radius, rings, turn },
});
/** Pelvis, belly and chest in a row, a leg of two bones below pelvis and chest, and a head. */
const animal = (turns: { pelvis: number; belly: number; chest: number }, footRings = 4): Limb[] => [
  limb([0, 2], [1, 2], 0.4, 4, turns.pelvis),
  limb([1, 2], [2, 2], 0.4, 4, turns.belly),
  limb([2, 2], [3, 2], 0.4, 4, turns.chest),
  limb([0.2, 2], [0.2, 1], 0.15),
  limb([0.2, 1], [0.2, 0], 0.1),
  limb([2.8, 2], [2.8, 1], 0.15),
  limb([2.8, 1], [2.8, 0], 0.1, footRings, 0),
  limb([3, 2], [4, 2.5], 0.25),
];
const LINKS = [
  [0, 1],
  [1, 2],
  [0, 3],
  [3, 4],
  [2, 5],
  [5, 6],
  [2, 7],
];
const find = (limbs: readonly Limb[], first = 4): number => {
  const { fit, triangles } = makeBody(limbs);
  const edges = LINKS.map(([a, b]) => ({ a, b, joint: [0, 0, 0] as const }));
  return findRoot(fit, makeJointTree(limbs.length, edges, first), triangles);
};

describe('findRoot', () => {
  it('finds a bone of the trunk, whichever bone was the root before', () => {
    const limbs = animal({ pelvis: 0.3, belly: 0.1, chest: 0.3 });
    for (let first = 0; first < limbs.length; first++) expect(find(limbs, first)).toBe(1);
  });

  it('does not prefer a foot that has most of the vertices and does not rotate', () => {
    expect([0, 1, 2]).toContain(find(animal({ pelvis: 0.3, belly: 0.2, chest: 0.3 }, 200)));
  });

  it('finds the bone of the trunk that rotates least', () => {
    expect(find(animal({ pelvis: 0.4, belly: 0.3, chest: 0.1 }))).toBe(2);
    expect(find(animal({ pelvis: 0.4, belly: 0.1, chest: 0.3 }))).toBe(1);
  });
});

/** Pelvis, chest, two legs, two arms, and a head that leans forward. */
const BIPED: readonly Limb[] = [
  limb([0, 2], [0, 3], 0.4),
  limb([0, 3], [0, 4.2], 0.4),
  limb([-0.5, 2], [-0.5, 0], 0.2),
  limb([0.5, 2], [0.5, 0], 0.2),
  limb([-0.5, 4], [-2, 4], 0.15),
  limb([0.5, 4], [2, 4], 0.15),
  { ...limb([0, 4.3], [0, 5], 0.35), z: 0.4 },
];
const BIPED_LINKS = [
  [0, 1],
  [0, 2],
  [0, 3],
  [1, 4],
  [1, 5],
  [1, 6],
];
const hipsOf = (limbs: readonly Limb[], links: readonly (readonly number[])[], first = 0): number | undefined => {
  const { fit, triangles } = makeBody(limbs);
  const edges = links.map(([a, b]) => ({ a, b, joint: [0, 0, 0] as const }));
  return findHips(fit, makeJointTree(limbs.length, edges, first), triangles);
};

describe('findHips', () => {
  it('finds the bone that the legs hang on, whichever bone was the root before', () => {
    for (let first = 0; first < BIPED.length; first++) expect(hipsOf(BIPED, BIPED_LINKS, first)).toBe(0);
  });

  it('finds none where a leg has no partner', () => {
    const limbs = [...BIPED, limb([-1.2, 2], [-1.2, 0], 0.2)];
    expect(hipsOf(limbs, [...BIPED_LINKS, [0, 7]])).toBeUndefined();
  });

  it('finds none without legs', () => {
    const limbs = BIPED.filter((_, j) => j !== 2 && j !== 3);
    const links = [
      [0, 1],
      [1, 2],
      [1, 3],
      [1, 4],
    ];
    expect(hipsOf(limbs, links)).toBeUndefined();
  });
});
