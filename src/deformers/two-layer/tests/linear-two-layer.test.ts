// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeCompute } from '../../../core/compute/make-compute.ts';
import { makeRandom } from '../../../core/math/random.ts';
import type { LinearTwoLayer } from '../../../core/model/deformed/two-layer.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import { makeSkin, type Skin } from '../../../core/model/skin/skin.ts';
import { makeLinearBlend } from '../../linear-blend/make-linear-blend.ts';
import { makeLinearTwoLayer } from '../linear-two-layer.ts';
import { createLinearTwoLayerRuntime } from '../linear-two-layer-runtime.ts';

const [VERTICES, VIRTUAL, BONES] = [203, 30, 7];

function makeModel(): { model: LinearTwoLayer; product: Skin; bones: Float64Array } {
  const random = makeRandom(4);
  const positions = Float32Array.from({ length: 3 * VERTICES }, () => random.normal());
  const triangles = Uint32Array.from({ length: 3 * (VERTICES - 2) }, (_, c) => Math.floor(c / 3) + (c % 3));
  const draw = (rows: number, width: number, count: number): Skin => {
    const ids = Array.from({ length: rows * width }, () => random.below(count));
    return makeSkin(
      ids,
      ids.map(() => 0.05 + random.next()),
      width,
    );
  };
  const virtualBones = draw(VIRTUAL, 5, BONES);
  const skin = draw(VERTICES, 2, VIRTUAL);
  const full = new Float64Array(VERTICES * BONES);
  for (let i = 0; i < VERTICES; i++)
    for (let e = skin.rowStart[i]; e < skin.rowStart[i + 1]; e++) {
      const k = skin.boneIndices[e];
      for (let f = virtualBones.rowStart[k]; f < virtualBones.rowStart[k + 1]; f++)
        full[i * BONES + virtualBones.boneIndices[f]] += skin.weights[e] * virtualBones.weights[f];
    }
  const ids = Array.from({ length: VERTICES * BONES }, (_, e) => e % BONES);
  const bones = new Float64Array(16 * BONES);
  for (let j = 0; j < BONES; j++) {
    for (let c = 0; c < 4; c++)
      for (let r = 0; r < 3; r++) bones[16 * j + 4 * c + r] = random.normal() + (c === r ? 1 : 0);
    bones[16 * j + 15] = 1;
  }
  const names = Array.from({ length: BONES }, (_, j) => `b${j}`);
  const skeleton = { names, parents: new Int32Array(BONES).fill(-1), bindMatrices: new Float64Array(16 * BONES) };
  const mesh = makeMesh(positions, triangles);
  return {
    model: { kind: 'linear-two-layer', mesh, skeleton, virtualBones, skin },
    product: makeSkin(ids, full, BONES),
    bones,
  };
}

const farthest = (a: Float32Array, b: Float32Array): number =>
  a.reduce((max, x, c) => Math.max(max, Math.abs(x - b[c])), 0);

describe('a skin in two layers', () => {
  it('equals linear blend skinning by the product of its layers, also for normals', () => {
    const { model, product, bones } = makeModel();
    const [p1, n1, p2, n2] = Array.from({ length: 4 }, () => new Float32Array(3 * VERTICES));
    makeLinearTwoLayer(model).deformInto({ bones }, p1, n1);
    makeLinearBlend(model.mesh, product, BONES).deformInto({ bones }, p2, n2);
    expect(farthest(p1, p2)).toBeLessThan(2e-5);
    expect(farthest(n1, n2)).toBeLessThan(1e-3);
  });

  for (const kind of ['wasm', 'typescript'] as const) {
    it(`gives the same result in real time, for one pose or many, by ${kind}`, async () => {
      const { model, bones } = makeModel();
      const compute = await makeCompute({ kind, threads: 1 });
      const runtime = await createLinearTwoLayerRuntime(model, { compute });
      const deformer = makeLinearTwoLayer(model);
      const positions = new Float32Array(3 * VERTICES);
      const other = bones.map((x, c) => (c % 16 === 12 ? x + 1 : x));
      const shapes = await runtime.deformMany([{ bones }, { bones: other }]);
      for (const [k, pose] of [bones, other].entries()) {
        deformer.deformInto({ bones: pose }, positions);
        expect(farthest(shapes.positions.slice(3 * VERTICES * k, 3 * VERTICES * (k + 1)), positions)).toBeLessThan(
          5e-5,
        );
      }
      deformer.deformInto({ bones }, positions);
      expect(farthest((await runtime.deform({ bones })).positions.slice(0, 3 * VERTICES), positions)).toBeLessThan(
        5e-5,
      );
      await expect(runtime.deform({ bones: new Float64Array(16) })).rejects.toThrow('the pose has 1 bones, expected 7');
      runtime.dispose();
      compute.dispose();
    });
  }
});
