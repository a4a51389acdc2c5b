// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeCompute } from '../../../core/compute/make-compute.ts';
import type { Compute } from '../../../core/kernels/compute.ts';
import { makeRandom } from '../../../core/math/random.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { rigidClusters } from '../../clusters/rigid-clusters.ts';
import { normalizeClip } from '../../skin/normalize-clip.ts';
import { SkinFit } from '../../skin/skin-fit.ts';
import { type DistanceNorm, refineNorm } from '../refine-norm.ts';

const { clip } = makeSample('quadruped', { resolution: 400, frames: 8 });

/** A settled fit of six bones, refined; distances by vertex and frame, before and after. */
async function refine(
  compute: Compute,
  norm: DistanceNorm,
  {
    transforms = 'rigid',
    keepRest = false,
  }: { transforms?: 'rigid' | 'similarity' | 'affine'; keepRest?: boolean } = {},
) {
  return compute.scope(async (memory) => {
    const { trajectories } = normalizeClip(memory, clip);
    const fit = new SkinFit(memory, trajectories, 6, {
      ...{ influences: 4, transforms, ridge: 1e-9, sweeps: 2, support: 'exchange' },
    });
    await rigidClusters(memory, trajectories, fit.bones, 6, makeRandom(0));
    await fit.alternate(12);
    const rest = trajectories.rest.view().slice();
    const before = { error: fit.error, distances: listDistances(fit) };
    const result = await refineNorm(fit, { norm, keepRest });
    const isKept = trajectories.rest.view().every((x, c) => x === rest[c]);
    return {
      ...result,
      before,
      error: fit.error,
      distances: listDistances(fit),
      isKept,
      weights: fit.weights.weights.view().slice(),
    };
  });
}

function listDistances({ trajectories, weights, bones, boneCount }: SkinFit): Float64Array {
  const { vertexCount, frameCount } = trajectories;
  const [u, v, t] = [trajectories.rest.view(), trajectories.posed.view(), bones.view()];
  const [ids, ws] = [weights.bones.view(), weights.weights.view()];
  return Float64Array.from({ length: vertexCount * frameCount }, (_, n) => {
    const [i, k] = [Math.floor(n / frameCount), n % frameCount];
    let square = 0;
    for (let r = 0; r < 3; r++) {
      let e = -v[3 * n + r];
      for (let a = 4 * i; a < 4 * i + 4; a++) {
        const o = 4 * ((3 * k + r) * boneCount + ids[a]);
        e += ws[a] * (t[o] * u[3 * i] + t[o + 1] * u[3 * i + 1] + t[o + 2] * u[3 * i + 2] + t[o + 3]);
      }
      square += e * e;
    }
    return Math.sqrt(square);
  });
}

const sum = (distances: Float64Array, p: number) => distances.reduce((total, d) => total + d ** p, 0);

describe('refineNorm', () => {
  it('lowers the largest distance, and keeps the mean square within 15 %', async () => {
    const compute = await makeCompute({ threads: 1 });
    for (const transforms of ['rigid', 'similarity', 'affine'] as const) {
      const { farthestBefore, farthest, before, error, distances } = await refine(compute, 'max', { transforms });
      expect(farthestBefore).toBeCloseTo(Math.max(...before.distances), 10);
      expect(farthest).toBeCloseTo(Math.max(...distances), 10);
      expect(farthest).toBeLessThan(0.8 * farthestBefore);
      expect(Math.sqrt(error)).toBeLessThan(1.15 * Math.sqrt(before.error));
    }
    compute.dispose();
  });

  it.each([1, 4, 8])('lowers the norm %i', async (p) => {
    const compute = await makeCompute({ threads: 1 });
    const { before, distances } = await refine(compute, p);
    expect(sum(distances, p)).toBeLessThan(sum(before.distances, p));
    compute.dispose();
  });

  it('keeps weights convex, and the rest pose when told to', async () => {
    const compute = await makeCompute({ threads: 1 });
    const { weights, isKept } = await refine(compute, 'max', { keepRest: true });
    expect(isKept).toBe(true);
    for (let i = 0; i < weights.length; i += 4) {
      const row = weights.subarray(i, i + 4);
      expect(Math.min(...row)).toBeGreaterThanOrEqual(0);
      expect(row.reduce((total, w) => total + w)).toBeCloseTo(1, 10);
    }
    compute.dispose();
  });

  it('gives the same result with the TypeScript kernels', async () => {
    const [wasm, plain] = await Promise.all([makeCompute({ threads: 1 }), makeCompute({ kind: 'typescript' })]);
    const [a, b] = [await refine(wasm, 4), await refine(plain, 4)];
    expect(a.farthest / b.farthest).toBeCloseTo(1, 4);
    wasm.dispose();
    plain.dispose();
  });
});
