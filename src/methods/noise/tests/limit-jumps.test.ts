// SPDX-License-Identifier: MIT
import { expect, it } from 'vitest';
import { addNoise } from '../../../../bench/noise/add-noise.ts';
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { limitJumps } from '../limit-jumps.ts';

const { clip } = makeSample('creature', { frames: 16, resolution: 900, seed: 1 });
const sigma = 0.005 * measureBounds(clip.mesh.positions).diagonal;

it('finds most vertices that jump, and moves them near their true positions', () => {
  const jumped = addNoise(clip, { jumps: 0.01, keepRest: true });
  const { clip: limited, jumps } = limitJumps(jumped, sigma);
  const count = 0.01 * (clip.positions.length / 3);
  expect(jumps).toBeGreaterThan(0.8 * count);
  expect(jumps).toBeLessThan(1.2 * count);
  const far = (positions: Float32Array) =>
    positions.filter((x, c) => Math.abs(x - clip.positions[c]) > 8 * sigma).length;
  expect(far(limited.positions)).toBeLessThan(0.1 * far(jumped.positions));
});

it('leaves noise and bends as they are', () => {
  const noisy = addNoise(clip, { keepRest: true });
  expect(limitJumps(noisy, sigma)).toEqual({ clip: noisy, jumps: 0 });
});
