// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeCompute } from '../../../core/compute/make-compute.ts';
import { makeIdentities } from '../../../core/math/mat4.ts';
import { makeRandom } from '../../../core/math/random.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import { makeSkin } from '../../../core/model/skin/skin.ts';
import { fillDefaults } from '../../../core/options/fill-defaults.ts';
import { SolveMonitor } from '../../../core/progress/solve-monitor.ts';
import { makeLinearBlend } from '../../../deformers/linear-blend/make-linear-blend.ts';
import { convertRig } from '../convert-rig.ts';
import { HELPER_OPTIONS } from '../options.ts';
import { takeApart } from '../solve.ts';

const COUNT = 24;

/** Two chains of two joints. Their roots do not turn in training poses, so that a vertex may have the weights of either. */
function makeSource() {
  const random = makeRandom(3);
  const positions = Float32Array.from({ length: 3 * COUNT }, () => random.next());
  const triangles = Uint32Array.from({ length: 3 * (COUNT - 2) }, (_, c) => Math.floor(c / 3) + (c % 3));
  const mesh = makeMesh(positions, triangles);
  const names = ['left', 'left end', 'right', 'right end'];
  const skeleton = { names, parents: Int32Array.of(-1, 0, -1, 2), bindMatrices: makeIdentities(4) };
  const bones = Uint32Array.from({ length: 2 * COUNT }, (_, e) => (e % 2 === 0 ? 2 * (Math.floor(e / 2) % 2) : 1));
  const weights = Float64Array.from({ length: 2 * COUNT }, (_, e) => (e % 2 === 0 ? 0.75 : 0.25));
  const skin = makeSkin(bones, weights, 2);
  return { name: 'chains', mesh, skeleton, skin, deformer: makeLinearBlend(mesh, skin, 4) };
}

describe('a source that is plain linear blend skinning', () => {
  it('keeps its weights, which others may equal only while joints rotate', async () => {
    const compute = await makeCompute({ threads: 1 });
    const source = makeSource();
    const settings = (options: object) =>
      takeApart(fillDefaults(HELPER_OPTIONS, { samples: 6, iterations: 1, ...options }));
    const run = () => ({ compute, monitor: new SolveMonitor({}) });
    const { model, status, poses, rmse } = await convertRig(run(), { source }, settings({ helpers: 1 }));
    expect([status, model.controllers.length]).toEqual(['converged', 0]);
    expect(model.skin.boneIndices).toEqual(source.skin.boneIndices);
    model.skin.weights.forEach((weight, e) => {
      expect(weight).toBeCloseTo(source.skin.weights[e], 6);
    });
    expect(poses).toBeGreaterThan(0);
    expect(rmse.joints).toBeLessThan(1e-6);
    // fewer weights than the source has are solved
    const fewer = await convertRig(run(), { source }, settings({ helpers: 0, influences: 1 }));
    expect(fewer.rmse.joints).toBeGreaterThan(1e-3);
    compute.dispose();
  });
});
