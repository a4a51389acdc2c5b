// SPDX-License-Identifier: MIT

import { fbxArray, fbxDouble, fbxNode } from '../syntax/fbx-pack.ts';
import type { FbxWrittenMesh } from './fbx-add-meshes.ts';
import { type FbxBuilder, fbxProperties } from './fbx-builder.ts';

/** A blend shape of the whole model. */
export interface FbxWrittenShape {
  name: string;
  /** First vertex, and a displacement for it and those after it: vertexCount x 3 */
  vertexStart: number;
  displacements: ArrayLike<number>;
}

/**
 * Adds blend shapes to the meshes whose vertices they move.
 * @returns by shape, its channels
 */
export function addFbxShapes(
  builder: FbxBuilder,
  meshes: readonly FbxWrittenMesh[],
  shapes: readonly FbxWrittenShape[],
  scale: number,
): number[][] {
  const channels: number[][] = shapes.map(() => []);
  for (const { geometry, vertexStart, vertexCount } of meshes) {
    let deformer: number | undefined;
    shapes.forEach((shape, n) => {
      const from = Math.max(vertexStart, shape.vertexStart);
      const to = Math.min(vertexStart + vertexCount, shape.vertexStart + shape.displacements.length / 3);
      const points: number[] = [];
      for (let i = from; i < to; i++) {
        const o = 3 * (i - shape.vertexStart);
        if (shape.displacements[o] !== 0 || shape.displacements[o + 1] !== 0 || shape.displacements[o + 2] !== 0)
          points.push(i);
      }
      if (points.length === 0) return;
      if (deformer === undefined) {
        deformer = builder.add('Deformer', '', 'Deformer', 'BlendShape', [fbxNode('Version', [100])]);
        builder.connect(deformer, geometry);
      }
      const moves = new Float64Array(3 * points.length);
      points.forEach((i, p) => {
        for (let c = 0; c < 3; c++) moves[3 * p + c] = scale * shape.displacements[3 * (i - shape.vertexStart) + c];
      });
      const target = builder.add('Geometry', shape.name, 'Geometry', 'Shape', [
        fbxNode('Version', [100]),
        fbxNode('Indexes', [fbxArray(Int32Array.from(points, (i) => i - vertexStart))]),
        fbxNode('Vertices', [fbxArray(moves)]),
        fbxNode('Normals', [fbxArray(new Float64Array(moves.length))]),
      ]);
      const channel = builder.add('Deformer', shape.name, 'SubDeformer', 'BlendShapeChannel', [
        fbxNode('Version', [100]),
        fbxNode('DeformPercent', [fbxDouble(0)]),
        fbxNode('FullWeights', [fbxArray(Float64Array.of(100))]),
        fbxProperties([['DeformPercent', 'Number', '', 'A', fbxDouble(0)]]),
      ]);
      builder.connect(target, channel);
      builder.connect(channel, deformer);
      channels[n].push(channel);
    });
  }
  return channels;
}
