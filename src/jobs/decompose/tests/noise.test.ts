// SPDX-License-Identifier: MIT
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addNoise } from '../../../../bench/noise/add-noise.ts';
import { makeCompute } from '../../../core/compute/make-compute.ts';
import type { Compute } from '../../../core/kernels/compute.ts';
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import type { SkinnedModel } from '../../../core/model/asset.ts';
import { frameOf } from '../../../core/model/clip/clip.ts';
import { poseOf } from '../../../core/model/clip/motion.ts';
import { makeDeformer } from '../../../deformers/playback/make-deformer.ts';
import { measureAsymmetry } from '../../../methods/skeleton/symmetry/measure-asymmetry.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { prepareNoisy } from '../../shared/noise/prepare-noisy.ts';
import { skeleton } from '../../skeleton/extract.ts';
import { decompose } from '../decompose.ts';

let compute: Compute;
beforeAll(async () => {
  compute = await makeCompute({ threads: 2 });
});
afterAll(() => {
  compute.dispose();
});

const { clip } = makeSample('creature', { frames: 16, resolution: 900, seed: 1 });
const { diagonal } = measureBounds(clip.mesh.positions);

/** Root mean square error against the clean clip, relative to the noise. */
function measureLeft(model: SkinnedModel): number {
  const deformer = makeDeformer(model);
  const out = new Float32Array(clip.mesh.positions.length);
  let sum = 0;
  clip.times.forEach((_, k) => {
    deformer.deformInto({ bones: poseOf(model.motions[0], k) }, out);
    const truth = frameOf(clip, k);
    for (let c = 0; c < out.length; c++) sum += (out[c] - truth[c]) ** 2;
  });
  return Math.sqrt(sum / clip.positions.length) / (0.005 * diagonal);
}

it('a skeleton of noisy frames without a rest pose explains the clean frames', async () => {
  const { model, noise } = await skeleton(addNoise(clip), { compute });
  expect(noise / diagonal).toBeGreaterThan(0.0045);
  expect(measureLeft(model)).toBeLessThan(0.55);
});

it('a decomposition follows less of the noise than without its estimate', async () => {
  const { model } = await decompose(addNoise(clip), { bones: 24, compute });
  const plain = await decompose(addNoise(clip), { bones: 24, compute, noise: 0 });
  expect(measureLeft(model)).toBeLessThan(0.9 * measureLeft(plain.model));
});

it('a clean clip is not changed', async () => {
  const prepared = await prepareNoisy(compute, clip);
  expect(prepared).toEqual({ clip, noise: 0 });
  expect(prepared.clip).toBe(clip);
});

it('a clean rest pose of noisy frames is kept', async () => {
  const noisy = addNoise(clip, { keepRest: true });
  expect((await prepareNoisy(compute, noisy)).clip).toBe(noisy);
});

/** Mean distance between a shape and its mirror image, relative to the size. */
async function measureUneven(positions: Float32Array, triangles: Uint32Array): Promise<number> {
  const shape = Float64Array.from(positions);
  let center = 0;
  for (let c = 0; c < shape.length; c += 3) center += (3 * shape[c]) / shape.length;
  const { distance } = await measureAsymmetry(compute, shape, triangles, { normal: [1, 0, 0], offset: center });
  return distance / measureBounds(positions).diagonal;
}

it('the rest pose of a symmetric body is symmetric, although no frame is', async () => {
  const body = makeSample('creature', { frames: 16, resolution: 1500, seed: 5 }).clip;
  const noisy = addNoise(body);
  const { triangles } = body.mesh;
  const before = await measureUneven((await prepareNoisy(compute, noisy)).clip.mesh.positions, triangles);
  const { model } = await skeleton(noisy, { compute });
  // noise alone has about 0.002
  expect(await measureUneven(model.mesh.positions, triangles)).toBeLessThan(0.6 * before);
  const own = addNoise(body, { keepRest: true });
  const kept = await skeleton(own, { compute });
  expect(await measureUneven(kept.model.mesh.positions, triangles)).toBeLessThan(0.003);
});
