// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../../../../core/math/random.ts';
import type { Mesh } from '../../../../core/model/mesh/mesh.ts';
import { checkSkin, makeSkin, type Skin } from '../../../../core/model/skin/skin.ts';
import { makeLinearBlend } from '../../../../deformers/linear-blend/make-linear-blend.ts';
import { makeLinearTwoLayer } from '../../../../deformers/two-layer/linear-two-layer.ts';
import { skinOfLayers } from '../skin-of-layers.ts';

describe('skinOfLayers', () => {
  it('moves every vertex like the two layers, and is a valid skin', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 31 }), (seed) => {
        const random = makeRandom(seed).next;
        const [vertexCount, virtualCount, boneCount] = [7, 5, 4];
        const skinOf = (rows: number, width: number, columns: number): Skin =>
          makeSkin(
            Array.from({ length: rows * width }, () => Math.floor(columns * random())),
            Array.from({ length: rows * width }, () => random() + 0.01),
            width,
          );
        const mesh: Mesh = {
          ...{ name: '', triangles: new Uint32Array(0), attributes: [], parts: [] },
          positions: Float32Array.from({ length: 3 * vertexCount }, () => random() - 0.5),
        };
        const skeleton = {
          names: Array.from({ length: boneCount }, (_, j) => `${j}`),
          parents: new Int32Array(boneCount).fill(-1),
          bindMatrices: new Float64Array(16 * boneCount),
        };
        const layers = {
          kind: 'linear-two-layer' as const,
          ...{ mesh, skeleton },
          virtualBones: skinOf(virtualCount, 3, boneCount),
          skin: skinOf(vertexCount, 2, virtualCount),
        };
        const plain = skinOfLayers(layers);
        checkSkin(plain, boneCount);
        const bones = Float64Array.from({ length: 16 * boneCount }, (_, c) => (c % 4 === 3 ? 0 : random() - 0.5));
        for (let j = 0; j < boneCount; j++) bones[16 * j + 15] = 1;
        const [expected, found] = [new Float32Array(3 * vertexCount), new Float32Array(3 * vertexCount)];
        makeLinearTwoLayer(layers).deformInto({ bones }, expected);
        makeLinearBlend(mesh, plain, boneCount).deformInto({ bones }, found);
        for (let c = 0; c < expected.length; c++) expect(Math.abs(found[c] - expected[c])).toBeLessThan(1e-6);
      }),
      { numRuns: 30 },
    );
  });
});
