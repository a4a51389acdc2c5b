// SPDX-License-Identifier: MIT
// The steps of fitting on a real problem: none may raise the error, and each must help.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCompute } from '../../../core/compute/make-compute.ts';
import type { Compute } from '../../../core/kernels/compute.ts';
import type { Trajectories } from '../../../core/kernels/matrices/trajectories.ts';
import { makeRandom } from '../../../core/math/random.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { rigidClusters } from '../../clusters/rigid-clusters.ts';
import { correctRest } from '../../rest/correct-rest.ts';
import { normalizeClip } from '../normalize-clip.ts';
import { reduceTrajectories } from '../reduce-trajectories.ts';
import { relocateBones } from '../relocate-bones.ts';
import { SkinFit } from '../skin-fit.ts';

const OPTIONS = { influences: 3, transforms: 'rigid', ridge: 1e-9, sweeps: 2, support: 'exchange' } as const;

describe('SkinFit', () => {
  let compute: Compute;
  let points: Trajectories;
  beforeAll(async () => {
    compute = await makeCompute({ threads: 1 });
    points = normalizeClip(compute, makeSample('quadruped', { resolution: 600, frames: 50 }).clip).trajectories;
  });
  afterAll(() => compute.dispose());

  const start = async (bones: number): Promise<SkinFit> => {
    const fit = new SkinFit(compute, points, bones, OPTIONS);
    await rigidClusters(compute, points, fit.bones, bones, makeRandom(4));
    await fit.solveWeights('cold');
    return fit;
  };

  it('starts from clusters that are not empty', async () => {
    const fit = new SkinFit(compute, points, 30, OPTIONS);
    const { labels } = await rigidClusters(compute, points, fit.bones, 30, makeRandom(1));
    expect(new Set(labels).size).toBe(30);
  });

  it('lowers the error with every iteration', async () => {
    const fit = await start(10);
    const errors = [fit.error];
    await fit.alternate(15, () => {
      errors.push(fit.error);
      return false;
    });
    for (let n = 1; n < errors.length; n++) expect(errors[n]).toBeLessThanOrEqual(errors[n - 1] * (1 + 1e-9));
    expect(errors[15]).toBeLessThan(0.7 * errors[0]);
  });

  it('restores a saved state, bit for bit', async () => {
    const fit = await start(6);
    const saved = fit.save();
    await fit.alternate(3);
    fit.restore(saved);
    expect(fit.save()).toEqual(saved);
  });

  it('relocates bones only if that lowers the error', async () => {
    const fit = await start(10);
    await fit.alternate(10);
    const before = fit.error;
    await relocateBones(fit, makeRandom(2), { tries: 10, failures: 10 });
    expect(fit.error).toBeLessThanOrEqual(before);
  });

  it('corrects the rest pose to the optimum: no small move of a vertex is better', async () => {
    const fit = await start(5);
    await fit.alternate(2);
    const before = fit.error;
    const rest = points.rest.view().slice();
    correctRest(fit);
    const measure = async () => {
      await fit.solveWeights('warm');
      return fit.error;
    };
    const corrected = points.rest.view().slice();
    const weights = fit.save();
    const after = await measure();
    expect(after).toBeLessThan(before);
    // with weights held, the corrected position is a minimum: compare by plain evaluation of one vertex
    const evaluate = (i: number, x: number, y: number, z: number): number => {
      let error = 0;
      const rows = 3 * points.frameCount;
      for (let row = 0; row < rows; row++) {
        let e = -points.posed.view()[i * rows + row];
        for (let a = i * 3; a < i * 3 + 3; a++) {
          const o = row * 20 + 4 * weights.boneIndices[a];
          e +=
            weights.weights[a] *
            (weights.bones[o] * x + weights.bones[o + 1] * y + weights.bones[o + 2] * z + weights.bones[o + 3]);
        }
        error += e * e;
      }
      return error;
    };
    for (let i = 0; i < points.vertexCount; i += 37) {
      const [x, y, z] = corrected.subarray(3 * i, 3 * i + 3);
      const minimum = evaluate(i, x, y, z);
      for (const [dx, dy, dz] of [
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
        [-1, -1, 1],
      ]) {
        expect(minimum).toBeLessThanOrEqual(evaluate(i, x + 1e-3 * dx, y + 1e-3 * dy, z + 1e-3 * dz) + 1e-9);
      }
    }
    points.rest.view().set(rest);
  });

  it('finds nearly the same fit through a basis of the trajectories', async () => {
    const full = await start(8);
    await full.alternate(8);
    const reduced = await reduceTrajectories(compute, points, 0.01 * full.error, makeRandom(3));
    expect(reduced).toBeDefined();
    if (!reduced) return;
    expect(reduced.rank).toBeLessThan(75);
    // orthonormal rows, and the tail as promised
    const basis = reduced.basis.view();
    const rows = 3 * points.frameCount;
    for (let a = 0; a < reduced.rank; a += 5) {
      for (let b = 0; b <= a; b += 5) {
        let dot = 0;
        for (let c = 0; c < rows; c++) dot += basis[a * rows + c] * basis[b * rows + c];
        expect(dot).toBeCloseTo(a === b ? 1 : 0, 9);
      }
    }
    let total = 0;
    let held = 0;
    for (const x of points.posed.view()) total += x * x;
    for (const x of reduced.coordinates.view()) held += x * x;
    expect(total - held).toBeLessThanOrEqual(0.0101 * full.error);
    const other = await start(8);
    points.reduced = reduced;
    await other.alternate(8);
    points.reduced = undefined;
    await other.solveWeights('warm');
    expect(other.error).toBeLessThan(1.1 * full.error);
  });
});
