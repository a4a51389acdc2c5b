// SPDX-License-Identifier: MIT
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCompute } from '../../../../core/compute/make-compute.ts';
import type { Compute } from '../../../../core/kernels/compute.ts';
import { makeRandom } from '../../../../core/math/random.ts';
import { makeAdjacency } from '../../../../core/mesh/topology/adjacency.ts';
import { pointTriangles } from '../../../../core/mesh/topology/weld.ts';
import { normalizeBones, normalizeClip } from '../../../../fit/skin/normalize-clip.ts';
import { SkinFit } from '../../../../fit/skin/skin-fit.ts';
import { SmoothWeightSolver } from '../../../../fit/skin/smooth-weight-solver.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import { dropBones } from '../../prune/drop-bones.ts';
import { mergeStiff } from '../../prune/merge-stiff.ts';
import { removeBones } from '../../prune/remove-bones.ts';
import { jointTopology } from '../joint-topology.ts';
import { measureGap, pairGapInto } from '../pair-joints.ts';
import { softPasses } from '../soft-passes.ts';

let compute: Compute;
beforeAll(async () => {
  compute = await makeCompute({ threads: 1 });
});
afterAll(() => {
  compute.dispose();
});

const sample = makeSample('bar-bend', { resolution: 150, frames: 6, seed: 0 });
const TRUE_BONES = sample.skeleton!.names.length;

/** A fit with the true bones of a bar; the first of them again, as often as asked for, each time turned a little differently. */
async function start(more = 0, influences = 4) {
  const normalized = normalizeClip(compute, sample.clip);
  const { trajectories } = normalized;
  const boneCount = TRUE_BONES + more;
  const fit = new SkinFit(compute, trajectories, boneCount, {
    ...{ influences, transforms: 'rigid', ridge: 1e-9, sweeps: 2, support: 'exchange' },
  });
  const known = normalizeBones(normalized, sample.motion!.matrices, TRUE_BONES);
  const bones = fit.bones.view();
  for (let row = 0; row < 3 * trajectories.frameCount; row++) {
    for (let j = 0; j < boneCount; j++) {
      const from = (row * TRUE_BONES + (j < TRUE_BONES ? j : 0)) * 4;
      bones.set(known.subarray(from, from + 4), (row * boneCount + j) * 4);
    }
  }
  await fit.solveWeights('cold');
  const adjacency = makeAdjacency(
    trajectories.vertexCount,
    pointTriangles(sample.clip.mesh.triangles, normalized.weld),
  );
  return { fit, adjacency, size: 2 };
}

/** Mean squared difference of a vertex's weights from the mean of its neighbours'. */
function measureRoughness(fit: SkinFit, { rowStart, neighbours }: ReturnType<typeof makeAdjacency>): number {
  const { boneCount, weights, trajectories } = fit;
  const influences = weights.influences;
  const [ids, values] = [weights.bones.view(), weights.weights.view()];
  const dense = new Float64Array(trajectories.vertexCount * boneCount);
  for (let e = 0; e < values.length; e++) dense[Math.floor(e / influences) * boneCount + ids[e]] += values[e];
  let sum = 0;
  for (let i = 0; i < trajectories.vertexCount; i++) {
    const count = rowStart[i + 1] - rowStart[i];
    for (let j = 0; j < boneCount; j++) {
      let mean = 0;
      for (let n = rowStart[i]; n < rowStart[i + 1]; n++) mean += dense[neighbours[n] * boneCount + j] / count;
      sum += (dense[i * boneCount + j] - mean) ** 2;
    }
  }
  return sum / trajectories.vertexCount;
}

describe('smooth weights', () => {
  it('equal plain weights for a smoothness of zero, and the error is that of the data term', async () => {
    const { fit, adjacency } = await start();
    const smooth = new SmoothWeightSolver(fit.compute, fit, adjacency);
    const before = fit.error;
    await smooth.solve(0, 'warm');
    expect(fit.error).toBeCloseTo(before, 9);
    await smooth.solve(1e-3, 'warm');
    const told = fit.error;
    const weights = fit.weights.weights.view().slice();
    // solving nothing new: one weight solve from these, with all vertices kept
    const locked = compute.uint32(fit.trajectories.vertexCount);
    locked.view().fill(1);
    const kept = new SkinFit(compute, fit.trajectories, fit.boneCount, fit.options, locked);
    kept.bones.view().set(fit.bones.view());
    kept.weights.bones.view().set(fit.weights.bones.view());
    kept.weights.weights.view().set(weights);
    await kept.solveWeights('warm');
    expect(told).toBeCloseTo(kept.error, 8);
  });

  it('are smoother for a larger smoothness, and always convex with at most K per vertex', async () => {
    const { fit, adjacency } = await start(3);
    // a rough start: half of the bar's root follows each copy at random
    const random = makeRandom(3);
    const [ids, values] = [fit.weights.bones.view(), fit.weights.weights.view()];
    for (let i = 0; i < fit.trajectories.vertexCount; i++) {
      ids[4 * i] = random.below(fit.boneCount);
      values.fill(0, 4 * i, 4 * i + 4);
      values[4 * i] = 1;
    }
    await fit.solveWeights('warm');
    const smooth = new SmoothWeightSolver(fit.compute, fit, adjacency);
    let before = measureRoughness(fit, adjacency);
    for (const omega of [1e-4, 1e-2, 1]) {
      for (let n = 0; n < 4; n++) await smooth.solve(omega, 'warm');
      const now = measureRoughness(fit, adjacency);
      expect(now).toBeLessThan(before);
      before = now;
      const view = fit.weights.weights.view();
      for (let i = 0; i < fit.trajectories.vertexCount; i++) {
        const row = view.subarray(4 * i, 4 * i + 4);
        expect(row.reduce((sum, w) => sum + w, 0)).toBeCloseTo(1, 9);
        for (const w of row) expect(w).toBeGreaterThanOrEqual(0);
      }
    }
  });
});

describe('passes with soft joints', () => {
  it('reduce the gaps at joints', async () => {
    const { fit, adjacency } = await start();
    // bones that do not meet: each moved a little on its own
    const random = makeRandom(1);
    const bones = fit.bones.view();
    for (let e = 3; e < bones.length; e += 4) bones[e] += 0.01 * random.normal();
    await fit.solveWeights('cold');
    const gaps = async (): Promise<number> => {
      await fit.solveBones(0);
      const { edges } = jointTopology(fit);
      const gap = new Float64Array(10);
      let sum = 0;
      for (const { a, b, joint } of edges) {
        pairGapInto(fit.products.pairs.view(), fit.boneCount, a, b, gap);
        sum += measureGap(gap, joint);
      }
      return sum;
    };
    const before = await gaps();
    const after = await softPasses(fit, { passes: 8, smoothness: 1e-4, prune: false, jointSolver: 'soft', adjacency });
    expect(after).toBe(fit);
    expect(await gaps()).toBeLessThan(0.05 * before);
  });

  it('remove a bone with faded weights and no other', async () => {
    const { fit, adjacency } = await start(1);
    // the last bone is far from everything, so nothing follows it
    const bones = fit.bones.view();
    for (let e = 4 * TRUE_BONES + 3; e < bones.length; e += 4 * (TRUE_BONES + 1)) bones[e] += 50;
    await fit.solveWeights('cold');
    const after = await softPasses(fit, { passes: 1, smoothness: 1e-4, prune: true, jointSolver: 'soft', adjacency });
    expect(after.boneCount).toBe(TRUE_BONES);
  });
});

describe('removal of bones', () => {
  it('keeps the motions and weights of the remaining bones', async () => {
    const { fit } = await start();
    const less = dropBones(fit, (j) => j === 1);
    expect(less.boneCount).toBe(TRUE_BONES - 1);
    const [from, to] = [fit.bones.view(), less.bones.view()];
    for (let row = 0; row < 18; row++) {
      expect(to.subarray(4 * row * (TRUE_BONES - 1), 4 * row * (TRUE_BONES - 1) + 4)).toEqual(
        from.subarray(4 * row * TRUE_BONES, 4 * row * TRUE_BONES + 4),
      );
    }
    const values = less.weights.weights.view();
    for (let i = 0; i < values.length; i += 4)
      expect(values.subarray(i, i + 4).reduce((sum, w) => sum + w, 0)).toBeCloseTo(1, 12);
    expect(() => dropBones(fit, () => true)).toThrow('at least one bone');
  });

  it('by cost removes copies and keeps the bones of the motion', async () => {
    const { fit, size } = await start(4);
    const less = await removeBones(fit, { size });
    expect(less.boneCount).toBeLessThanOrEqual(TRUE_BONES);
    expect(less.boneCount).toBeGreaterThan(2);
    const rmse = Math.sqrt(less.error / (less.trajectories.vertexCount * less.trajectories.frameCount)) / size;
    expect(rmse).toBeLessThan(2e-3);
  });

  it('merges bones over joints that do not bend', async () => {
    const { fit } = await start(2);
    const less = await mergeStiff(fit, 'soft');
    expect(less.boneCount).toBe(TRUE_BONES);
  });
});
