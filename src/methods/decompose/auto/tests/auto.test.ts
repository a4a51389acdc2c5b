// SPDX-License-Identifier: MIT
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCompute } from '../../../../core/compute/make-compute.ts';
import type { Compute } from '../../../../core/kernels/compute.ts';
import type { SkinnedModel } from '../../../../core/model/asset.ts';
import type { Clip } from '../../../../core/model/clip/clip.ts';
import { poseOf } from '../../../../core/model/clip/motion.ts';
import { checkSkin } from '../../../../core/model/skin/skin.ts';
import { makeLinearBlend } from '../../../../deformers/linear-blend/make-linear-blend.ts';
import { measureError } from '../../../../measure/error/measure-error.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import { auto, autoByError, chooseMethod } from '../auto.ts';

/** The model played at its own frames. */
function play(clip: Clip, model: SkinnedModel): Clip {
  const deformer = makeLinearBlend(model.mesh, model.skin, model.skeleton.names.length);
  const positions = new Float32Array(clip.positions.length);
  const stride = clip.mesh.positions.length;
  for (let k = 0; k < clip.times.length; k++)
    deformer.deformInto({ bones: poseOf(model.motions[0], k) }, positions.subarray(k * stride, (k + 1) * stride));
  return { ...clip, positions };
}

describe('auto', () => {
  let compute: Compute;
  beforeAll(async () => {
    compute = await makeCompute({ threads: 1 });
  });
  afterAll(() => compute.dispose());
  const bar = makeSample('bar-bend', { resolution: 300, frames: 8 }).clip;
  /** The bar, stretched more and more along its axes. */
  const stretched = { ...bar, positions: bar.positions.slice() };
  const stride = bar.mesh.positions.length;
  for (let k = 0; k < bar.times.length; k++) {
    for (let c = 0; c < stride; c++) {
      const [x, wave] = [bar.mesh.positions[c], Math.sin(0.8 * k + (c % 3))];
      stretched.positions[k * stride + c] = x * (1 + 0.5 * wave);
    }
  }

  it('chooses rigid bones for rigid parts, and reports the reason', async () => {
    const { clip } = makeSample('creature', { resolution: 1200, frames: 24 });
    const choice = await chooseMethod(compute, clip, { bones: 20 });
    expect(choice).toMatchObject({ chosen: 'ssdr', transforms: 'rigid' });
    expect(choice.why).toMatch(
      /^SSDR with rigid bones: \d+ % of the triangles move with near-rigid parts, and in a quick trial/,
    );
  });

  it('chooses affine bones if they gain much, and solves with them', async () => {
    const result = await auto(compute, stretched, { bones: 3 });
    expect(result).toMatchObject({ chosen: 'fsd', transforms: 'affine' });
    expect(result.affineRatio).toBeLessThan(0.6);
    expect(result.warnings?.[0]).toBe(result.why);
    checkSkin(result.model.skin, 3);
    expect(result.eRms).toBeLessThan(1);
  });

  it('searches for a number of bones if an error is given', async () => {
    const result = await autoByError(compute, stretched, { kind: 'max', limit: 0.05 }, {});
    expect(result.chosen).toBe('ssdr');
    expect(result.why).toContain(`${result.transforms} bones`);
    expect(measureError(stretched, play(stretched, result.model)).max).toBeLessThanOrEqual(0.05);
  });

  it('accepts points without triangles, and is deterministic', async () => {
    const cloud = { ...bar, mesh: { ...bar.mesh, triangles: new Uint32Array(0) } };
    const choice = await chooseMethod(compute, cloud, { bones: 4 });
    expect(choice.eta).toBeUndefined();
    expect(await chooseMethod(compute, cloud, { bones: 4 })).toEqual(choice);
  });
});
