// SPDX-License-Identifier: MIT
import { afterAll, describe, expect, it } from 'vitest';
import { makeCompute } from '../../../../core/compute/make-compute.ts';
import { reserveBoneProducts } from '../../../../core/kernels/bones/bone-products.ts';
import type { Compute } from '../../../../core/kernels/compute.ts';
import {
  reserveTrajectories,
  squareTrajectories,
  type Trajectories,
} from '../../../../core/kernels/matrices/trajectories.ts';
import { makeRandom } from '../../../../core/math/random.ts';
import { makeConvexBones } from '../convex-bones.ts';
import { chooseInfluences, solveVertexWeights } from '../vertex-weights.ts';

const [VERTICES, FRAMES, BONES] = [12, 5, 6];
const random = makeRandom(9);
const compute: Compute = await makeCompute({ threads: 1, kind: 'typescript' });
afterAll(() => compute.dispose());

function makeProblem(): { points: Trajectories; bones: Float64Array } {
  const points = reserveTrajectories(compute, VERTICES, FRAMES);
  for (const array of [points.rest, points.posed]) {
    const view = array.view();
    for (let e = 0; e < view.length; e++) view[e] = random.normal();
  }
  squareTrajectories(points);
  return { points, bones: Float64Array.from({ length: 12 * FRAMES * BONES }, () => random.normal()) };
}

const pathOf = (points: Trajectories, bones: Float64Array, i: number, j: number, count = BONES) => {
  const u = points.rest.view().subarray(3 * i, 3 * i + 3);
  return Float64Array.from({ length: 3 * FRAMES }, (_, row) => {
    const o = row * 4 * count + 4 * j;
    return bones[o] * u[0] + bones[o + 1] * u[1] + bones[o + 2] * u[2] + bones[o + 3];
  });
};
const errorOf = (
  points: Trajectories,
  bones: Float64Array,
  i: number,
  ids: ArrayLike<number>,
  w: ArrayLike<number>,
  count = BONES,
) => {
  const b = points.posed.view().subarray(i * 3 * FRAMES, (i + 1) * 3 * FRAMES);
  const sum = new Float64Array(3 * FRAMES);
  for (let e = 0; e < ids.length; e++) {
    const path = pathOf(points, bones, i, ids[e], count);
    for (let row = 0; row < sum.length; row++) sum[row] += w[e] * path[row];
  }
  return sum.reduce((total, x, row) => total + (x - b[row]) ** 2, 0);
};

describe('chooseInfluences', () => {
  it('chooses the bones with the lowest single errors, lowest first', async () => {
    const { points, bones } = makeProblem();
    const resident = compute.float64(bones.length);
    resident.view().set(bones);
    const chosen = await chooseInfluences(compute, points, resident, BONES, reserveBoneProducts(compute, BONES), 3);
    for (let i = 0; i < VERTICES; i++) {
      const order = Array.from({ length: BONES }, (_, j) => j).sort(
        (p, q) => errorOf(points, bones, i, [p], [1]) - errorOf(points, bones, i, [q], [1]),
      );
      expect([...chosen.subarray(3 * i, 3 * i + 3)]).toEqual(order.slice(0, 3));
    }
  });
});

describe('solveVertexWeights', () => {
  const chosen = Uint32Array.from({ length: VERTICES * 3 }, (_, e) => (e % 3) + (e % 2));

  it.each([
    ['nnls', 0, 0],
    ['bounded', 0.25, -0.25],
    ['tsvd', 0, -100],
  ] as const)('%s finds weights that sum to one and that no change within its bounds betters', (rule, delta, bound) => {
    const { points, bones } = makeProblem();
    const { weights, error } = solveVertexWeights(points, bones, BONES, chosen, rule, delta);
    let total = 0;
    for (let i = 0; i < VERTICES; i++) {
      const ids = chosen.subarray(3 * i, 3 * i + 3);
      const w = [...weights.subarray(3 * i, 3 * i + 3)];
      expect(w[0] + w[1] + w[2]).toBeCloseTo(1, 9);
      for (const x of w) expect(x).toBeGreaterThanOrEqual(bound - 1e-9);
      const best = errorOf(points, bones, i, ids, w);
      total += best;
      for (let n = 0; n < 200; n++) {
        const size = n % 2 === 0 ? 1 : 0.01;
        const [p, q] = [size * random.normal(), size * random.normal()];
        const other = [w[0] + p, w[1] + q, w[2] - p - q];
        if (other.some((x) => x < bound)) continue;
        expect(errorOf(points, bones, i, ids, other)).toBeGreaterThan(best - 1e-9);
      }
    }
    expect(error).toBeCloseTo(total, 6);
  });

  it('keeps truncated weights small for equal bones', () => {
    const { points, bones } = makeProblem();
    for (let row = 0; row < 3 * FRAMES; row++)
      for (let c = 0; c < 4; c++) bones[row * 4 * BONES + 4 + c] = bones[row * 4 * BONES + c];
    const same = new Uint32Array(VERTICES * 2).map((_, e) => e % 2);
    const { weights } = solveVertexWeights(points, bones, BONES, same, 'tsvd', 0);
    for (const w of weights) expect(w).toBeCloseTo(0.5, 9);
  });
});

describe('makeConvexBones', () => {
  const chosen = Uint32Array.from({ length: VERTICES * 3 }, (_, e) => (e * 5) % BONES);

  it('replaces negative weights by non-negative ones with the same positions', () => {
    const { points, bones } = makeProblem();
    const signed = solveVertexWeights(points, bones, BONES, chosen, 'tsvd', 0);
    expect(signed.weights.some((w) => w < 0)).toBe(true);
    const convex = makeConvexBones(bones, BONES, signed);
    const { influences, weights, bones: ids } = convex.weights;
    expect(influences).toBe(4);
    for (let i = 0; i < VERTICES; i++) {
      const row = weights.subarray(i * influences, (i + 1) * influences);
      expect(row.reduce((sum, w) => sum + w, 0)).toBeCloseTo(1, 9);
      expect(Math.min(...row)).toBeGreaterThanOrEqual(0);
      const before = errorOf(
        points,
        bones,
        i,
        chosen.subarray(3 * i, 3 * i + 3),
        signed.weights.subarray(3 * i, 3 * i + 3),
      );
      const after = errorOf(
        points,
        convex.bones,
        i,
        ids.subarray(i * influences, (i + 1) * influences),
        row,
        convex.boneCount,
      );
      expect(after).toBeCloseTo(before, 6);
    }
  });

  it('does not change non-negative weights', () => {
    const { points, bones } = makeProblem();
    const given = solveVertexWeights(points, bones, BONES, chosen, 'nnls', 0);
    expect(makeConvexBones(bones, BONES, given)).toEqual({ boneCount: BONES, bones, weights: given });
  });
});
