// SPDX-License-Identifier: MIT
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCompute } from '../../../../core/compute/make-compute.ts';
import type { Compute } from '../../../../core/kernels/compute.ts';
import { makeSkin } from '../../../../core/model/skin/skin.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import { measureFarthest } from '../../shared/measure-farthest.ts';
import { fitGiven } from '../fit-given.ts';
import { ssdrByError } from '../ssdr-by-error.ts';

describe('fitGiven', () => {
  let compute: Compute;
  const { clip, skeleton, skin, motion } = makeSample('creature', { resolution: 800, frames: 16, seed: 1 });
  if (!skeleton || !skin || !motion) throw new Error('the creature has a truth');
  beforeAll(async () => {
    compute = await makeCompute({ threads: 1 });
  });
  afterAll(() => compute.dispose());

  it('solves the weights of given bones, and keeps the bones', async () => {
    const result = await fitGiven(compute, clip, { skeleton, motion });
    expect(result.eRms).toBeLessThan(0.05);
    expect(result.model.skeleton).toBe(skeleton);
    for (let e = 0; e < motion.matrices.length; e++)
      expect(result.model.motions[0].matrices[e]).toBeCloseTo(motion.matrices[e], 9);
  });

  it('solves the motion of given weights, and keeps the weights', async () => {
    const result = await fitGiven(compute, clip, { skeleton, skin });
    expect(result.eRms).toBeLessThan(1);
    for (let i = 0; i + 1 < skin.rowStart.length; i++) {
      const row = new Map<number, number>();
      for (let e = skin.rowStart[i]; e < skin.rowStart[i + 1]; e++) row.set(skin.boneIndices[e], skin.weights[e]);
      const solved = result.model.skin;
      for (let e = solved.rowStart[i]; e < solved.rowStart[i + 1]; e++)
        expect(solved.weights[e]).toBeCloseTo(row.get(solved.boneIndices[e]) ?? 0, 5);
    }
  });

  it('lowers the largest error with norm max, and keeps given parts', async () => {
    // one weight per vertex cannot follow the soft creature
    const influences = 1;
    const plain = await fitGiven(compute, clip, { skeleton, motion }, { influences });
    const bones = await fitGiven(compute, clip, { skeleton, motion }, { influences, norm: 'max' });
    expect(measureFarthest(clip, bones.model)).toBeLessThanOrEqual(measureFarthest(clip, plain.model));
    for (let e = 0; e < motion.matrices.length; e++)
      expect(bones.model.motions[0].matrices[e]).toBeCloseTo(motion.matrices[e], 9);
    const rigid = plain.model.skin;
    const mean = await fitGiven(compute, clip, { skeleton, skin: rigid });
    const largest = await fitGiven(compute, clip, { skeleton, skin: rigid }, { norm: 'max' });
    expect(measureFarthest(clip, largest.model)).toBeLessThan(0.97 * measureFarthest(clip, mean.model));
    expect(largest.model.skin).toEqual(mean.model.skin);
  });

  it('starts the motion of given weights from a given motion', async () => {
    const { eRms } = await fitGiven(compute, clip, { skeleton, skin, start: motion }, { iterations: 1 });
    expect(eRms).toBeLessThan(0.05);
  });

  it('respects the maximum number of iterations', async () => {
    const { iterations, status } = await fitGiven(compute, clip, { skeleton, skin }, { iterations: 2, tolerance: 0 });
    expect([iterations, status]).toEqual([2, 'max-iterations']);
  });

  it('solves all weights except locked ones', async () => {
    const locked = Uint8Array.from({ length: skin.rowStart.length - 1 }, (_, i) => i % 2);
    const half = await fitGiven(compute, clip, { skeleton, skin, locked });
    expect(half.eRms).toBeLessThan(0.05);
  });

  it('keeps given motion also if some weights are given', async () => {
    const locked = Uint8Array.from({ length: skin.rowStart.length - 1 }, (_, i) => i % 2);
    const result = await fitGiven(compute, clip, { skeleton, motion, skin, locked });
    expect(result.eRms).toBeLessThan(0.05);
    for (let e = 0; e < motion.matrices.length; e++)
      expect(result.model.motions[0].matrices[e]).toBeCloseTo(motion.matrices[e], 9);
  });

  it('includes the error of locked vertices with either support rule', async () => {
    // Everything is locked to one bone, so that no rule changes a weight.
    const vertexCount = skin.rowStart.length - 1;
    const one = makeSkin(new Uint32Array(vertexCount), new Float64Array(vertexCount).fill(1), 1);
    const solve = (support: 'exchange' | 'effect') => fitGiven(compute, clip, { skin: one }, { support });
    const [exchange, effect] = [await solve('exchange'), await solve('effect')];
    expect(exchange.eRms).toBeGreaterThan(1);
    expect(effect.eRms).toBeCloseTo(exchange.eRms, 6);
  });

  it('throws on inconsistent input', async () => {
    await expect(fitGiven(compute, clip, {})).rejects.toThrow('motion or weights must be given');
    await expect(fitGiven(compute, clip, { motion, skin })).rejects.toThrow('motion and weights are both');
    const short = {
      ...motion,
      times: motion.times.slice(1),
      matrices: motion.matrices.slice(16 * skeleton.names.length),
    };
    await expect(fitGiven(compute, clip, { motion: short })).rejects.toThrow(
      'the given motion has 15 frames, the clip has 16',
    );
  });

  it('finds a number of bones with which every vertex is within a distance', async () => {
    const small = makeSample('quadruped', { resolution: 300, frames: 5 }).clip;
    const coarse = await ssdrByError(compute, small, { kind: 'max', limit: 0.06 }, { iterations: 4 });
    const fractions: number[] = [];
    const onProgress = ({ fraction }: { fraction: number }) => void fractions.push(fraction);
    const fine = await ssdrByError(compute, small, { kind: 'max', limit: 0.03 }, { iterations: 4, onProgress });
    expect(fractions).toEqual([...fractions].sort((a, b) => a - b));
    expect(fractions.at(-1)).toBeLessThanOrEqual(1);
    expect(fine.model.skeleton.names.length).toBeGreaterThan(coarse.model.skeleton.names.length);
    await expect(ssdrByError(compute, small, { kind: 'max', limit: 0 })).rejects.toThrow('must be positive');
  });
});
