// SPDX-License-Identifier: MIT

import type { Skin } from '../skin/skin.ts';
import type { Mesh, MeshPart } from './mesh.ts';
import type { MeshLevel } from './mesh-level.ts';

/**
 * Makes the mesh and the weights of a level of detail: some vertices of a skinned mesh with all their attributes, and the level's positions and triangles.
 * @example
 * ```ts
 * import { cutLevel, makeLevels } from 'ossify';
 *
 * const [level] = await makeLevels(asset, { triangles: [2000] });
 * const { mesh, skin } = cutLevel(asset.mesh, asset.rig!.skin, level);
 * ```
 */
export function cutLevel(mesh: Mesh, skin: Skin, level: MeshLevel): { mesh: Mesh; skin: Skin } {
  const { vertices, positions, triangles, boneMap } = level;
  const gather = (values: Float32Array, size: number): Float32Array => {
    const out = new Float32Array(size * vertices.length);
    vertices.forEach((i, n) => {
      out.set(values.subarray(size * i, size * i + size), size * n);
    });
    return out;
  };
  const rowStart = new Uint32Array(vertices.length + 1);
  vertices.forEach((i, n) => {
    rowStart[n + 1] = rowStart[n] + skin.rowStart[i + 1] - skin.rowStart[i];
  });
  const boneIndices = new Uint32Array(rowStart[vertices.length]);
  const weights = new Float32Array(boneIndices.length);
  vertices.forEach((i, n) => {
    const [first, end] = [skin.rowStart[i], skin.rowStart[i + 1]];
    boneIndices.set(skin.boneIndices.subarray(first, end), rowStart[n]);
    weights.set(skin.weights.subarray(first, end), rowStart[n]);
  });
  return {
    mesh: {
      name: mesh.name,
      positions,
      triangles,
      ...(mesh.normals ? { normals: gather(mesh.normals, 3) } : {}),
      attributes: mesh.attributes.map(({ name, size, values }) => ({ name, size, values: gather(values, size) })),
      parts: cutParts(mesh.parts, level),
    },
    skin: { rowStart, boneIndices: boneMap ? boneIndices.map((bone) => boneMap[bone]) : boneIndices, weights },
  };
}

function cutParts(parts: readonly MeshPart[], { vertices, triangles }: MeshLevel): MeshPart[] {
  let [vertexStart, triangleStart] = [0, 0];
  return parts.map((part) => {
    const last = part.vertexStart + part.vertexCount;
    const vertexCount = vertices.reduce((sum, i) => sum + (i >= part.vertexStart && i < last ? 1 : 0), 0);
    const end = vertexStart + vertexCount;
    let triangleCount = 0;
    while (triangles[3 * (triangleStart + triangleCount)] < end) triangleCount++;
    const own = { ...part, vertexStart, vertexCount, triangleStart, triangleCount };
    vertexStart = end;
    triangleStart += triangleCount;
    return own;
  });
}
