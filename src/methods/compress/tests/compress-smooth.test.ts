// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { readRanges } from '../../../fit/poses/ranges-of-motion.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { precomputeDdm } from '../../mush/precompute-ddm.ts';
import { compressDdm } from '../compress-ddm.ts';
import { listCompressPoints } from '../compress-points.ts';
import { Responses } from '../compress-responses.ts';
import { listJoints } from '../examples/continuous-joints.ts';
import { makeLinearSpace } from '../examples/continuous-space.ts';
import { FarthestPoints, startVirtualBones } from '../objectives/compress-start.ts';
import { makePointWeights, measureSmooth, measureWeights, updateWeights } from '../objectives/update-weights.ts';
import { makeBoneMaker } from '../virtual-bones/virtual-bones.ts';

describe('the smoothness term', async () => {
  const { clip, skeleton, skin } = makeSample('bar-bend', { resolution: 150, frames: 1 });
  const ddm = await precomputeDdm(clip.mesh, skeleton!, skin!, { lambda: 20 });
  const points = listCompressPoints(ddm);
  const joints = listJoints(ddm.skeleton, points, readRanges({}, ddm.skeleton, points.height));
  const linear = new Responses(makeLinearSpace(joints), joints, points);
  const maker = makeBoneMaker(points, ddm.skeleton, 1e-3);
  const start = await startVirtualBones(new FarthestPoints(points, linear, maker, 8), 8, 5);
  // a ring of points: each has the one before and the one after
  const { pointCount } = points;
  const rowStart = Uint32Array.from({ length: pointCount + 1 }, (_, i) => 2 * i);
  const neighbors = Uint32Array.from(
    { length: 2 * pointCount },
    (_, n) => (Math.floor(n / 2) + (n % 2 ? 1 : pointCount - 1)) % pointCount,
  );
  const solve = async (strength: number) => {
    const fit = makePointWeights(pointCount, 3);
    const smooth = { strength, rowStart, neighbors };
    const totals: number[] = [];
    for (let n = 0; n < 4; n++)
      totals.push(await updateWeights(linear, start.responses, start.nearest, fit, { candidates: 8, smooth }));
    return { fit, totals, smooth };
  };

  it('is α tr(A L Aᵀ) with the Laplacian of the points', async () => {
    const { fit } = await solve(1e-4);
    const dense = Array.from({ length: pointCount }, (_, i) => {
      const row = new Float64Array(8);
      for (let a = 3 * i; a < 3 * i + 3; a++) row[fit.bones[a]] += fit.weights[a];
      return row;
    });
    let trace = 0;
    for (let k = 0; k < 8; k++) {
      for (let i = 0; i < pointCount; i++) {
        trace += 2 * dense[i][k] ** 2;
        for (let n = 2 * i; n < 2 * i + 2; n++) trace -= dense[i][k] * dense[neighbors[n]][k];
      }
    }
    expect(measureSmooth({ strength: 0.3, rowStart, neighbors }, fit)).toBeCloseTo(0.3 * trace, 9);
  });

  it('is lowered together with Eq. 11a, point by point', async () => {
    for (const strength of [1e-6, 1e-4]) {
      const { totals, fit, smooth } = await solve(strength);
      for (let n = 1; n < totals.length; n++) expect(totals[n]).toBeLessThanOrEqual(totals[n - 1] * (1 + 1e-9));
      const whole = measureWeights(linear, start.responses, fit) + measureSmooth(smooth, fit);
      expect(Math.abs(whole - totals[3])).toBeLessThan(1e-8 * whole);
    }
  });

  it('gives smoother weights for a larger error', async () => {
    const roughness = (fit: Awaited<ReturnType<typeof solve>>['fit']) =>
      measureSmooth({ strength: 1, rowStart, neighbors }, fit);
    const [none, some] = [(await solve(0)).fit, (await solve(1e-3)).fit];
    expect(roughness(some)).toBeLessThan(0.9 * roughness(none));
    expect(measureWeights(linear, start.responses, some)).toBeGreaterThan(
      measureWeights(linear, start.responses, none),
    );
  });

  it('is an option of the linear objective, relative to the error of the start', async () => {
    const base = { virtualBones: 8, influences: 3, iterations: 3, objective: 'linear' } as const;
    const plain = await compressDdm(ddm, base);
    const smooth = await compressDdm(ddm, { ...base, smoothness: 0.1 });
    expect(smooth.rmseFit).toBeGreaterThan(plain.rmseFit);
    expect(smooth.rmseFit).toBeLessThan(3 * plain.rmseFit);
    for (let n = 1; n < smooth.history.length; n++)
      expect(smooth.history[n]).toBeLessThanOrEqual(smooth.history[n - 1] * (1 + 1e-9));
    await expect(compressDdm(ddm, { ...base, smoothness: -1 })).rejects.toThrow('smoothness must be at least 0');
    await expect(compressDdm(ddm, { smoothness: 1 })).rejects.toThrow('--smoothness: requires --objective linear');
  });
});
