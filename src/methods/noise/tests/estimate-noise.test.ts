// SPDX-License-Identifier: MIT
import { expect, it } from 'vitest';
import { addNoise } from '../../../../bench/noise/add-noise.ts';
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { estimateNoise } from '../estimate-noise.ts';

const { clip } = makeSample('creature', { frames: 16, resolution: 900, seed: 1 });
const { diagonal } = measureBounds(clip.mesh.positions);

it.each([0.001, 0.005])('estimates noise of %f of the size within a tenth', (ratio) => {
  expect(Math.abs(estimateNoise(addNoise(clip, { ratio })) / (ratio * diagonal) - 1)).toBeLessThan(0.1);
});

it('finds almost none in smooth motions, with bones or without', () => {
  for (const name of ['creature', 'sheet', 'quadruped'] as const) {
    const clean = makeSample(name, { frames: 16, resolution: 900 }).clip;
    expect(estimateNoise(clean) / measureBounds(clean.mesh.positions).diagonal, name).toBeLessThan(2e-4);
  }
});

it('is not misled by vertices that jump', () => {
  const found = estimateNoise(addNoise(clip, { jumps: 0.002 })) / diagonal;
  expect(found).toBeGreaterThan(0.004);
  expect(found).toBeLessThan(0.008);
});

it('is zero with fewer than six frames', () => {
  expect(estimateNoise(addNoise(makeSample('bar-bend', { frames: 5, resolution: 200 }).clip))).toBe(0);
});
