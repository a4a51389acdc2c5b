// SPDX-License-Identifier: MIT
import { afterAll, expect, it } from 'vitest';
import { addNoise } from '../../../../bench/noise/add-noise.ts';
import { makeCompute } from '../../../core/compute/make-compute.ts';
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import { frameOf } from '../../../core/model/clip/clip.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { buildRest } from '../build-rest.ts';

const { clip } = makeSample('creature', { frames: 20, resolution: 900, seed: 1 });
const compute = await makeCompute();
afterAll(() => compute.dispose());
const sigma = 0.005 * measureBounds(clip.mesh.positions).diagonal;

function measureApart(a: Float32Array, b: Float32Array): number {
  return Math.sqrt(a.reduce((sum, x, c) => sum + (x - b[c]) ** 2, 0) / a.length);
}

it('builds the shape of a frame with less than half of its noise', async () => {
  const { positions, frame } = await buildRest(compute, addNoise(clip), sigma);
  expect(measureApart(positions, frameOf(clip, frame))).toBeLessThan(0.5 * sigma);
});

it('does not depend on the order of the frames', async () => {
  const noisy = addNoise(clip);
  const stride = clip.mesh.positions.length;
  const positions = noisy.positions.slice(stride);
  const turned = new Float32Array(noisy.positions.length);
  turned.set(positions);
  turned.set(frameOf(noisy, 0), positions.length);
  const [a, b] = [
    await buildRest(compute, noisy, sigma),
    await buildRest(compute, { ...noisy, positions: turned }, sigma),
  ];
  expect((b.frame + 1) % 20).toBe(a.frame);
  expect(measureApart(a.positions, b.positions)).toBeLessThan(1e-4 * sigma);
});

it('leaves out frames in which a vertex jumped', async () => {
  const { positions, frame } = await buildRest(compute, addNoise(clip, { jumps: 0.01 }), sigma);
  const truth = frameOf(clip, frame);
  const far = positions.filter((x, c) => Math.abs(x - truth[c]) > 4 * sigma).length;
  expect(far).toBeLessThan(0.001 * positions.length);
});
