// SPDX-License-Identifier: MIT
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCompute } from '../../../core/compute/make-compute.ts';
import { callBoneProducts } from '../../../core/kernels/bones/bone-products.ts';
import type { Compute } from '../../../core/kernels/compute.ts';
import type { Trajectories } from '../../../core/kernels/matrices/trajectories.ts';
import { makeRandom } from '../../../core/math/random.ts';
import { type Adjacency, makeAdjacency } from '../../../core/mesh/topology/adjacency.ts';
import { rigidClusters } from '../../../fit/clusters/rigid-clusters.ts';
import { normalizeClip } from '../../../fit/skin/normalize-clip.ts';
import { SkinFit } from '../../../fit/skin/skin-fit.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { listCandidates } from '../list-candidates.ts';
import { roundLargest } from '../round-largest.ts';
import { roundWeights } from '../round-weights.ts';

const OPTIONS = { influences: 3, transforms: 'rigid', ridge: 1e-9, sweeps: 2, support: 'exchange' } as const;
const BONES = 5;

describe('weights in steps', () => {
  let compute: Compute;
  let points: Trajectories;
  let neighbours: Adjacency;
  beforeAll(async () => {
    compute = await makeCompute({ threads: 1 });
    const { clip } = makeSample('quadruped', { resolution: 300, frames: 12 });
    const { trajectories, weld } = normalizeClip(compute, clip);
    points = trajectories;
    neighbours = makeAdjacency(
      weld.pointCount,
      clip.mesh.triangles.map((v) => weld.pointOfVertex[v]),
    );
  });
  afterAll(() => compute.dispose());

  const solve = async (): Promise<SkinFit> => {
    const fit = new SkinFit(compute, points, BONES, OPTIONS);
    await rigidClusters(compute, points, fit.bones, BONES, makeRandom(4));
    await fit.alternate(5);
    await compute.runAll([callBoneProducts(fit.bones, BONES, fit.products)]);
    return fit;
  };

  /** Residuals of a vertex for weights by bone, x y z per frame. */
  const residualOf = (fit: SkinFit, i: number, weightOf: (bone: number) => number): Float64Array => {
    const rows = 3 * points.frameCount;
    const [rest, posed, bones] = [points.rest.view(), points.posed.view(), fit.bones.view()];
    return Float64Array.from({ length: rows }, (_, row) => {
      let value = -posed[i * rows + row];
      for (let j = 0; j < BONES; j++) {
        const o = row * 4 * BONES + 4 * j;
        const [x, y, z] = rest.subarray(3 * i, 3 * i + 3);
        value += weightOf(j) * (bones[o] * x + bones[o + 1] * y + bones[o + 2] * z + bones[o + 3]);
      }
      return value;
    });
  };
  const rowOf = (fit: SkinFit, i: number): number[] => {
    const row = new Array<number>(BONES).fill(0);
    for (let e = 3 * i; e < 3 * i + 3; e++) row[fit.weights.bones.view()[e]] += fit.weights.weights.view()[e];
    return row;
  };
  const squareOf = (residual: Float64Array): number => residual.reduce((sum, x) => sum + x * x, 0);
  const largestOf = (residual: Float64Array): number => {
    let largest = 0;
    for (let o = 0; o < residual.length; o += 3)
      largest = Math.max(largest, Math.hypot(...residual.subarray(o, o + 3)));
    return largest;
  };

  it('are whole numbers of steps that sum to one, at most as many as before, with the error they report', async () => {
    const fit = await solve();
    roundWeights(fit, 7, neighbours);
    for (let i = 0; i < points.vertexCount; i++) {
      const row = rowOf(fit, i);
      expect(row.reduce((sum, w) => sum + w)).toBeCloseTo(1, 12);
      expect(row.filter((w) => w > 0).length).toBeLessThanOrEqual(3);
      for (const w of row) expect(w * 7).toBeCloseTo(Math.round(w * 7), 9);
      expect(fit.weights.errors.view()[i]).toBeCloseTo(squareOf(residualOf(fit, i, (j) => row[j])), 8);
    }
  });

  it('have at most 1.02 times the error of the best steps of the same bones, by exhaustive search', async () => {
    const fit = await solve();
    const steps = 5;
    const listFor = listCandidates(fit, neighbours);
    roundWeights(fit, steps, neighbours);
    let best = 0;
    for (let i = 0; i < points.vertexCount; i += 7) {
      let least = Number.POSITIVE_INFINITY;
      const row = new Array<number>(BONES).fill(0);
      const allowed = listFor(i);
      const visit = (j: number, left: number): void => {
        if (row.slice(0, j).filter((n) => n > 0).length > 3) return;
        if (j === BONES - 1) {
          row[j] = left;
          if (row.filter((n) => n > 0).length <= 3 && row.every((n, bone) => n === 0 || allowed.includes(bone)))
            least = Math.min(least, squareOf(residualOf(fit, i, (bone) => row[bone] / steps)));
          return;
        }
        for (row[j] = 0; row[j] <= left; row[j]++) visit(j + 1, left - row[j]);
        row[j] = 0;
      };
      visit(0, steps);
      best += least;
    }
    let found = 0;
    for (let i = 0; i < points.vertexCount; i += 7) found += fit.weights.errors.view()[i];
    expect(found).toBeLessThanOrEqual(1.02 * best);
  });

  it('lower the largest distance where it is above a bound, and change nothing elsewhere', async () => {
    const fit = await solve();
    roundWeights(fit, 17, neighbours);
    const before = Array.from({ length: points.vertexCount }, (_, i) => rowOf(fit, i));
    const distances = before.map((row, i) => largestOf(residualOf(fit, i, (j) => row[j])));
    const bound = [...distances].sort((a, b) => a - b)[Math.floor(0.8 * distances.length)];
    roundLargest(fit, 17, bound, neighbours);
    let lowered = 0;
    before.forEach((row, i) => {
      const after = rowOf(fit, i);
      if (distances[i] < 0.999 * bound) expect(after).toEqual(row);
      const distance = largestOf(residualOf(fit, i, (j) => after[j]));
      expect(distance).toBeLessThanOrEqual(distances[i] * (1 + 1e-9));
      if (distance < 0.99 * distances[i]) lowered++;
      for (const w of after) expect(w * 17).toBeCloseTo(Math.round(w * 17), 9);
    });
    expect(lowered).toBeGreaterThan(0);
  });
});
