// SPDX-License-Identifier: MIT
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCompute } from '../../../../core/compute/make-compute.ts';
import type { Compute } from '../../../../core/kernels/compute.ts';
import { reserveTrajectories } from '../../../../core/kernels/matrices/trajectories.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import { centerJoints } from '../../joints/center-joints.ts';
import { makeJointTree } from '../../joints/joint-tree.ts';
import type { JointSprings } from '../../joints/strict-joints.ts';
import { isInside, listInside, listOutside, placeInside } from '../place-inside.ts';

let compute: Compute;
beforeAll(async () => {
  compute = await makeCompute({ kind: 'typescript' });
});
afterAll(() => {
  compute.dispose();
});

/** A tube along x, as the solver sees it. */
function makeTube() {
  const { mesh } = makeSample('tube-swell', { resolution: 1000, frames: 1, seed: 0 }).clip;
  const trajectories = reserveTrajectories(compute, mesh.positions.length / 3, 1);
  trajectories.rest.view().set(mesh.positions);
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  mesh.positions.forEach((x, e) => {
    low[e % 3] = Math.min(low[e % 3], x);
    high[e % 3] = Math.max(high[e % 3], x);
  });
  const size = Math.hypot(...[0, 1, 2].map((r) => high[r] - low[r]));
  const middle = [0, 1, 2].map((r) => (low[r] + high[r]) / 2);
  return { trajectories, mesh, size, low, high, middle };
}

function makeSprings(boneCount: number, block: number[]): JointSprings {
  return {
    anchors: new Float64Array(3 * boneCount),
    relative: 0,
    absolute: 0.1,
    hinges: false,
    factors: new Float64Array(boneCount).fill(1),
    size: 1,
    blocks: Float64Array.from({ length: 9 * boneCount }, (_, e) => block[e % 9]),
  };
}

describe('positions inside the body', () => {
  it('are inside, and a joint outside is moved to the cheapest of them', () => {
    const { trajectories, mesh, size, high, middle } = makeTube();
    const inside = listInside(trajectories, mesh.triangles, size);
    const places = Array.from({ length: inside.points.length / 3 }, (_, n) => n).filter(inside.isPlace);
    expect(places.length).toBeGreaterThan(100);
    for (const n of places) {
      const [x, y, z] = inside.points.subarray(3 * n, 3 * n + 3);
      expect(isInside(inside.winding, x, y, z)).toBe(true);
    }

    const far: [number, number, number] = [high[0] + 0.2 * size, middle[1], middle[2]];
    const own: [number, number, number] = [middle[0], middle[1], middle[2]];
    const tree = makeJointTree(
      3,
      [
        { a: 0, b: 1, joint: far },
        { a: 0, b: 2, joint: own },
      ],
      0,
    );
    expect(listOutside(tree, inside.winding)).toEqual([1]);
    // the error does not care along x and much along y: the place is at the joint's own height
    const springs = makeSprings(3, [1e-6, 0, 0, 0, 100, 0, 0, 0, 1]);
    const isAnchored = new Uint8Array(3);
    const anywhere = new Float64Array(3).fill(Infinity);
    expect(placeInside({ tree, springs, isAnchored, measureReach: () => anywhere }, inside, Infinity)).toBe(1);
    expect([...isAnchored]).toEqual([0, 1, 0]);
    const [x, y, z] = springs.anchors.subarray(3, 6);
    expect(isInside(inside.winding, x, y, z)).toBe(true);
    expect(Math.abs(y - middle[1])).toBeLessThan(0.03 * size);
    expect(springs.factors[1]).toBeGreaterThan(1e3);
  });

  it('are near the blend of the bones for a joint in the wrong limb', () => {
    const { trajectories, mesh, size, low, high, middle } = makeTube();
    const inside = listInside(trajectories, mesh.triangles, size);
    const astray: [number, number, number] = [middle[0] + 0.4 * (high[0] - low[0]), middle[1], middle[2]];
    const tree = makeJointTree(2, [{ a: 0, b: 1, joint: astray }], 0);
    // a hinge along x, whose bones blend in the middle of the tube
    const springs = makeSprings(2, [1e-9, 0, 0, 0, 1, 0, 0, 0, 1]);
    springs.anchors.set(middle, 3);
    const reach = Float64Array.of(0, 0.1 * size);
    const within = (reaches: Float64Array) => ({
      ...{ tree, springs, isAnchored: new Uint8Array(2), measureReach: () => reaches },
    });
    expect(placeInside(within(new Float64Array(2).fill(Infinity)), inside, Infinity)).toBe(0);
    expect(placeInside(within(reach), inside, Infinity)).toBe(1);
    const away = [0, 1, 2].map((r) => springs.anchors[3 + r] - middle[r]);
    expect(Math.hypot(...away)).toBeLessThan(0.1 * size);
  });

  it('are not used for a joint that the motion determines, if the error may not rise', () => {
    const { trajectories, mesh, size, high, middle } = makeTube();
    const inside = listInside(trajectories, mesh.triangles, size);
    const tree = makeJointTree(2, [{ a: 0, b: 1, joint: [high[0] + 0.1 * size, middle[1], middle[2]] }], 0);
    const anywhere = new Float64Array(2).fill(Infinity);
    const placed = (stiffness: number, limit: number): number => {
      const springs = makeSprings(2, [stiffness, 0, 0, 0, stiffness, 0, 0, 0, stiffness]);
      return placeInside({ tree, springs, isAnchored: new Uint8Array(2), measureReach: () => anywhere }, inside, limit);
    };
    // the move is at least a tenth of the size
    const rise = 100 * (0.1 * size) ** 2;
    expect(placed(100, 0.5 * rise)).toBe(0);
    expect(placed(100, 100 * rise)).toBe(1);
    expect(placed(1e-3, 0.5 * rise)).toBe(1);
  });

  it('do not exist in an open sheet', () => {
    const { mesh } = makeSample('sheet', { resolution: 200, frames: 1, seed: 0 }).clip;
    const trajectories = reserveTrajectories(compute, mesh.positions.length / 3, 1);
    trajectories.rest.view().set(mesh.positions);
    const inside = listInside(trajectories, mesh.triangles, 1);
    expect(Array.from({ length: inside.points.length / 3 }, (_, n) => n).some(inside.isPlace)).toBe(false);
    const tree = makeJointTree(2, [{ a: 0, b: 1, joint: [9, 9, 9] }], 0);
    const springs = makeSprings(2, [1, 0, 0, 0, 1, 0, 0, 0, 1]);
    const joints = { tree, springs, isAnchored: new Uint8Array(2), measureReach: () => new Float64Array(2) };
    expect(placeInside(joints, inside, Infinity)).toBe(0);
  });

  it('are in the middle of a limb along the axis of a hinge', () => {
    const { trajectories, mesh, size, high, middle } = makeTube();
    const { winding } = listInside(trajectories, mesh.triangles, size);
    // a hinge about y near the skin: H is flat along y
    const off = 0.6 * (high[1] - middle[1]);
    const tree = makeJointTree(2, [{ a: 0, b: 1, joint: [middle[0], middle[1] + off, middle[2]] }], 0);
    const springs = makeSprings(2, [1, 0, 0, 0, 1e-9, 0, 0, 0, 1]);
    springs.anchors.set(tree.joints);
    const pairs = new Float64Array(40);
    const rest = trajectories.rest.view();
    for (let i = 0; i < rest.length; i += 3) {
      const h = [...rest.subarray(i, i + 3), 1];
      for (const bone of [0, 1]) {
        let p = 30 * bone;
        for (let x = 0; x < 4; x++) for (let y = x; y < 4; y++) pairs[p++] += h[x] * h[y];
      }
    }
    const shift = centerJoints(tree, springs, pairs, winding).subarray(3, 6);
    expect(Math.abs(shift[1] + off)).toBeLessThan(0.15 * (high[1] - middle[1]));
    expect(Math.hypot(shift[0], shift[2])).toBeLessThan(1e-6);
    // not where the motion says where the joint is
    const known = makeSprings(2, [1, 0, 0, 0, 1, 0, 0, 0, 1]);
    expect([...centerJoints(tree, known, pairs, winding)]).toEqual([0, 0, 0, 0, 0, 0]);
  });
});
