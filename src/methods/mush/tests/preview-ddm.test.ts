// SPDX-License-Identifier: MIT
import { beforeAll, describe, expect, it } from 'vitest';
import { makeCompute } from '../../../core/compute/make-compute.ts';
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import { poseOf } from '../../../core/model/clip/motion.ts';
import type { DdmVariant } from '../../../core/model/deformed/direct-delta-mush.ts';
import { makeDdm } from '../../../deformers/direct-delta-mush/make-ddm.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { type DdmPrecompute, makeDdmPrecompute } from '../make-ddm-precompute.ts';

describe('a preview of one pose', () => {
  const sample = makeSample('creature', { resolution: 500, frames: 6 });
  const { mesh } = sample.clip;
  const { diagonal } = measureBounds(mesh.positions);
  const farthest = (a: Float32Array, b: Float32Array): number =>
    a.reduce((max, x, c) => Math.max(max, Math.abs(x - b[c])), 0);

  let precompute: DdmPrecompute;
  beforeAll(async () => {
    const compute = await makeCompute({ threads: 1 });
    precompute = await makeDdmPrecompute(mesh, sample.skeleton!, sample.skin!, { compute, lambda: 20 });
  });

  it.each([0, 1, 2, 3, 4, 5] as DdmVariant[])('is the shape of variant %i with all entries kept', async (variant) => {
    let moved = 0;
    for (const [frame, kappa, alpha] of [
      [2, 1, 0.9],
      [2, 8, 0.9],
      [2, 8, 0.2],
      [4, 20, 0.5],
    ]) {
      const bones = poseOf(sample.motion!, frame).slice();
      const options = { kappa, alpha, variant };
      const shown = await precompute.preview(bones, options);
      const model = await precompute.model({ ...options, threshold: 0 });
      const expected = new Float32Array(mesh.positions.length);
      makeDdm(model).deformInto({ bones }, expected);
      expect(farthest(shown, expected) / diagonal).toBeLessThan(1e-6);
      moved = Math.max(moved, farthest(shown, mesh.positions) / diagonal);
    }
    expect(moved).toBeGreaterThan(0.01);
  });

  it('supports a map of alpha, and rejects what the model rejects', async () => {
    const plain = await makeDdmPrecompute(mesh, sample.skeleton!, sample.skin!, { iterations: 4, lambda: 20 });
    const bones = poseOf(sample.motion!, 3);
    const alpha = Float32Array.from({ length: mesh.positions.length / 3 }, (_, i) => (i % 7) / 10);
    const expected = new Float32Array(mesh.positions.length);
    makeDdm(await plain.model({ alpha, threshold: 0 })).deformInto({ bones }, expected);
    expect(farthest(await plain.preview(bones, { alpha }), expected) / diagonal).toBeLessThan(1e-6);
    await expect(plain.preview(bones, { alpha: 2 })).rejects.toThrow(/alpha must be/);
  });
});
