// SPDX-License-Identifier: MIT
import type { SceneTarget } from '../../gltf/index.ts';
import { fbxArray, fbxDouble, fbxNode } from '../syntax/fbx-pack.ts';
import { type FbxBuilder, fbxProperties } from './fbx-builder.ts';

/**
 * Adds the blend shapes of a geometry, also those that move nothing. Shapes of one name get a number after it.
 * @param scale factor on displacements
 * @returns by shape, its channel
 */
export function addFbxShapes(
  builder: FbxBuilder,
  geometry: number,
  targets: readonly SceneTarget[],
  scale: number,
): number[] {
  if (targets.length === 0) return [];
  const deformer = builder.add('Deformer', '', 'Deformer', 'BlendShape', [fbxNode('Version', [100])]);
  builder.connect(deformer, geometry);
  const taken = new Set<string>();
  return targets.map(({ name, positions, normals, weight }) => {
    let own = name;
    for (let n = 2; taken.has(own); n++) own = `${name} ${n}`;
    taken.add(own);
    const points = listMoved(positions);
    const rows = (list: ArrayLike<number> | undefined, factor: number): Float64Array => {
      const out = new Float64Array(3 * points.length);
      if (list)
        points.forEach((i, p) => {
          for (let c = 0; c < 3; c++) out[3 * p + c] = factor * list[3 * i + c];
        });
      return out;
    };
    const target = builder.add('Geometry', own, 'Geometry', 'Shape', [
      fbxNode('Version', [100]),
      fbxNode('Indexes', [fbxArray(Int32Array.from(points))]),
      fbxNode('Vertices', [fbxArray(rows(positions, scale))]),
      fbxNode('Normals', [fbxArray(rows(normals, 1))]),
    ]);
    const percent = fbxDouble(100 * weight);
    const channel = builder.add('Deformer', own, 'SubDeformer', 'BlendShapeChannel', [
      fbxNode('Version', [100]),
      fbxNode('DeformPercent', [percent]),
      fbxNode('FullWeights', [fbxArray(Float64Array.of(100))]),
      fbxProperties([['DeformPercent', 'Number', '', 'A', percent]]),
    ]);
    builder.connect(target, channel);
    builder.connect(channel, deformer);
    return channel;
  });
}

/** Vertices that a target moves; the first for one that moves none, since readers expect a list. */
function listMoved(positions: ArrayLike<number>): number[] {
  const points: number[] = [];
  for (let i = 0; 3 * i < positions.length; i++)
    if (positions[3 * i] !== 0 || positions[3 * i + 1] !== 0 || positions[3 * i + 2] !== 0) points.push(i);
  return points.length > 0 ? points : [0];
}
