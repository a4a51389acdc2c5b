// SPDX-License-Identifier: MIT
// A skinned body of boxes, one per bone, for tests.

import type { SkinnedModel } from '../../../core/model/asset.ts';
import { makeAsset } from '../../../core/model/make-asset.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import { makeSkin } from '../../../core/model/skin/skin.ts';
import { shapeOfNodes } from '../../../fit/anatomy/index.ts';
import { type JointRow, makeNodes } from '../../../fit/anatomy/tests/make-body.ts';
import { writeGlb } from '../../../formats/gltf/index.ts';

const FRAMES = 20;

/** @param turned the joint that turns by up to 60° about the z axis */
export async function makeBodyGlb(rows: readonly JointRow[], turned: string): Promise<Uint8Array> {
  const { names, parents, joints } = shapeOfNodes(makeNodes(rows));
  const positions: number[] = [];
  const triangles: number[] = [];
  const bones: number[] = [];
  const addBox = (bone: number, from: number[], to: number[], r: number): void => {
    const start = positions.length / 3;
    for (let corner = 0; corner < 8; corner++) {
      const way = [0, 1, 2].map((c) =>
        (corner >> c) & 1 ? Math.max(from[c], to[c]) + r : Math.min(from[c], to[c]) - r,
      );
      positions.push(...way);
      bones.push(bone);
    }
    const faces = [
      0, 1, 3, 0, 3, 2, 4, 7, 5, 4, 6, 7, 0, 5, 1, 0, 4, 5, 2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3,
    ];
    triangles.push(...faces.map((v) => start + v));
  };
  const at = (j: number): number[] => [...joints.subarray(3 * j, 3 * j + 3)];
  parents.forEach((parent, j) => {
    if (parent >= 0) addBox(parent, at(parent), at(j), 0.02);
  });
  const mesh = makeMesh(Float32Array.from(positions), Uint32Array.from(triangles));
  const count = names.length;
  const bindMatrices = new Float64Array(16 * count);
  for (let j = 0; j < count; j++) bindMatrices.set([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, ...at(j), 1], 16 * j);
  const place = names.indexOf(turned);
  const isBelow = (j: number): boolean => j === place || (j >= 0 && parents[j] >= 0 && isBelow(parents[j]));
  const matrices = new Float64Array(16 * count * FRAMES);
  for (let k = 0; k < FRAMES; k++) {
    const angle = (Math.PI / 3) * (k / (FRAMES - 1));
    const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
    const [x, y] = at(place);
    const turn = [cos, sin, 0, 0, -sin, cos, 0, 0, 0, 0, 1, 0, x - cos * x + sin * y, y - sin * x - cos * y, 0, 1];
    for (let j = 0; j < count; j++)
      matrices.set(isBelow(j) ? turn : [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], 16 * (k * count + j));
  }
  const times = Float64Array.from({ length: FRAMES }, (_, k) => k / 30);
  const model: SkinnedModel = {
    ...{ kind: 'skin', mesh, skeleton: { names: [...names], parents, bindMatrices } },
    ...{
      skin: makeSkin(
        bones,
        bones.map(() => 1),
        1,
      ),
      motions: [{ name: 'move', times, matrices }],
    },
  };
  return writeGlb(makeAsset(model, { name: 'body', metresPerUnit: 1 }), { kind: 'skin', model });
}
