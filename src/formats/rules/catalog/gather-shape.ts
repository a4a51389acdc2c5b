// SPDX-License-Identifier: MIT
import type { Mesh, MeshPart } from '../../../core/model/mesh/mesh.ts';
import type { Skin } from '../../../core/model/skin/skin.ts';
import type { SceneShape } from '../../gltf/index.ts';

/**
 * A shape with some of its triangles and vertices; parts keep their places.
 * @param triangles triangleCount, 1 for those that stay
 * @param vertices vertexCount, 1 for those that stay: all corners of these triangles among them
 */
export function gatherShape(shape: SceneShape, triangles: Uint8Array, vertices: Uint8Array): SceneShape {
  const placeOf = new Uint32Array(vertices.length);
  let count = 0;
  for (let i = 0; i < vertices.length; i++) placeOf[i] = vertices[i] ? count++ : 0;
  const gather = (values: Float32Array, size: number): Float32Array => {
    const out = new Float32Array(size * count);
    for (let i = 0; i < vertices.length; i++)
      if (vertices[i]) out.set(values.subarray(size * i, size * (i + 1)), size * placeOf[i]);
    return out;
  };
  const { skin, targets } = shape;
  return {
    ...shape,
    mesh: gatherMesh(shape.mesh, triangles, vertices, { placeOf, gather }),
    ...(skin ? { skin: { ...skin, weights: gatherWeights(skin.weights, vertices) } } : {}),
    targets: targets.map((target) => ({
      ...target,
      positions: gather(target.positions, 3),
      ...(target.normals ? { normals: gather(target.normals, 3) } : {}),
    })),
  };
}

interface Gathering {
  placeOf: Uint32Array;
  gather(values: Float32Array, size: number): Float32Array;
}

function gatherMesh(mesh: Mesh, triangles: Uint8Array, vertices: Uint8Array, { placeOf, gather }: Gathering): Mesh {
  const corners: number[] = [];
  let [vertexStart, triangleStart] = [0, 0];
  const parts = mesh.parts.map((part): MeshPart => {
    const vertexCount = countIn(vertices, part.vertexStart, part.vertexCount);
    const triangleCount = countIn(triangles, part.triangleStart, part.triangleCount);
    const made = { ...part, vertexStart, vertexCount, triangleStart, triangleCount };
    vertexStart += vertexCount;
    triangleStart += triangleCount;
    return made;
  });
  for (let t = 0; t < triangles.length; t++)
    if (triangles[t]) for (let c = 3 * t; c < 3 * t + 3; c++) corners.push(placeOf[mesh.triangles[c]]);
  return {
    ...mesh,
    parts,
    triangles: Uint32Array.from(corners),
    positions: gather(mesh.positions, 3),
    ...(mesh.normals ? { normals: gather(mesh.normals, 3) } : {}),
    attributes: mesh.attributes.map((one) => ({ ...one, values: gather(one.values, one.size) })),
  };
}

function countIn(flags: Uint8Array, start: number, count: number): number {
  let sum = 0;
  for (let n = start; n < start + count; n++) sum += flags[n];
  return sum;
}

function gatherWeights({ rowStart, boneIndices, weights }: Skin, vertices: Uint8Array): Skin {
  const rows: number[] = [0];
  const kept: number[] = [];
  for (let i = 0; i < vertices.length; i++) {
    if (!vertices[i]) continue;
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) kept.push(e);
    rows.push(kept.length);
  }
  return {
    rowStart: Uint32Array.from(rows),
    boneIndices: Uint32Array.from(kept, (e) => boneIndices[e]),
    weights: Float32Array.from(kept, (e) => weights[e]),
  };
}
