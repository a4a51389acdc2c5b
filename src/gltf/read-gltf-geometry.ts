// SPDX-License-Identifier: MIT
import type { GLTF } from '@gltf-transform/core';
import { determinant3, invertAffine, transformDirection, transformPoint } from '../math/mat4.ts';
import type { Mesh, MeshAttribute, MeshPart } from '../model/mesh.ts';
import { TYPE_SIZE } from './check-gltf-data.ts';
import { fail, label } from './gltf-fields.ts';
import type { GltfPiece } from './list-gltf-pieces.ts';
import type { GltfAccessors } from './make-gltf-accessors.ts';
import { readGltfTriangles } from './read-gltf-triangles.ts';

/**
 * Joins the pieces into one mesh in rest space. Normals and tangents turn along (normals by the inverse transpose) and come out
 * at unit length; every other attribute rides along as it is. Morph weights at rest are not applied: these are the base shapes.
 */
export function readGltfGeometry(
  json: GLTF.IGLTF,
  pieces: GltfPiece[],
  restMatrices: Float64Array[],
  accessors: GltfAccessors,
  name: string,
): Mesh {
  const last = pieces[pieces.length - 1];
  const vertexCount = last.vertexStart + last.vertexCount;
  const positions = new Float32Array(vertexCount * 3);
  const lists = pieces.map((piece) => readGltfTriangles(json, piece, accessors));
  const triangles = new Uint32Array(lists.reduce((sum, list) => sum + list.length, 0));
  const attributesOf = (piece: GltfPiece): Record<string, number> =>
    json.meshes![piece.mesh].primitives[piece.primitive].attributes;
  const normals = pieces.every((piece) => attributesOf(piece).NORMAL !== undefined)
    ? new Float32Array(vertexCount * 3)
    : undefined;

  let triangleStart = 0;
  const parts = pieces.map((piece, p): MeshPart => {
    const attributes = attributesOf(piece);
    const start = piece.vertexStart * 3;
    const source = accessors.floats(attributes.POSITION);
    for (let c = 0; c < source.length; c += 3) transformPoint(restMatrices[p], source, positions, 0, c, start + c);
    for (let c = start; c < start + source.length; c++) {
      if (!Number.isFinite(positions[c]))
        fail(
          'value',
          `vertex ${Math.floor((c - start) / 3)} of mesh ${labelOf(json, piece)} has a position that is not finite`,
        );
    }
    if (normals) turnNormalsInto(accessors.floats(attributes.NORMAL), restMatrices[p], normals, start);
    for (let c = 0; c < lists[p].length; c++) triangles[triangleStart * 3 + c] = lists[p][c] + piece.vertexStart;
    const triangleCount = lists[p].length / 3;
    const part: MeshPart = {
      name: partName(json, piece),
      vertexStart: piece.vertexStart,
      vertexCount: piece.vertexCount,
      triangleStart,
      triangleCount,
      material: materialName(json, piece),
    };
    triangleStart += triangleCount;
    return part;
  });
  return { name, positions, triangles, normals, attributes: readAttributes(), parts };

  function readAttributes(): MeshAttribute[] {
    const sizes = new Map<string, number>();
    for (const piece of pieces) {
      for (const [semantic, index] of Object.entries(attributesOf(piece))) {
        const { type } = json.accessors![index];
        if (semantic === 'POSITION' || semantic === 'NORMAL' || /^(JOINTS|WEIGHTS)_/.test(semantic)) continue;
        if (!type.startsWith('MAT')) sizes.set(semantic, Math.max(sizes.get(semantic) ?? 0, TYPE_SIZE[type]));
      }
    }
    return [...sizes].map(([semantic, size]) => {
      // Where a part lacks it: colours are white and opaque, all else is zero.
      const values = new Float32Array(vertexCount * size);
      if (semantic.startsWith('COLOR_')) values.fill(1);
      pieces.forEach((piece, p) => {
        const index = attributesOf(piece)[semantic];
        if (index === undefined || json.accessors![index].type.startsWith('MAT')) return;
        const own = TYPE_SIZE[json.accessors![index].type];
        const source = accessors.floats(index);
        for (let i = 0; i < piece.vertexCount; i++)
          for (let c = 0; c < own; c++) values[(piece.vertexStart + i) * size + c] = source[i * own + c];
        if (semantic === 'TANGENT' && own === 4) turnTangentsInPlace(values, restMatrices[p], piece);
      });
      return { name: semantic, size, values };
    });
  }
}

function turnNormalsInto(source: Float32Array, m: Float64Array, out: Float32Array, start: number): void {
  const inverse = new Float64Array(16);
  const turn = new Float64Array(16);
  // A flattened part has no inverse; its normals turn as directions do.
  if (invertAffine(m, inverse))
    for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) turn[4 * c + r] = inverse[4 * r + c];
  else turn.set(m);
  for (let c = 0; c < source.length; c += 3) {
    transformDirection(turn, source, out, 0, c, start + c);
    normalizeInPlace(out, start + c);
  }
}

function turnTangentsInPlace(values: Float32Array, m: Float64Array, piece: GltfPiece): void {
  const hand = determinant3(m) < 0 ? -1 : 1;
  for (let i = piece.vertexStart; i < piece.vertexStart + piece.vertexCount; i++) {
    transformDirection(m, values, values, 0, i * 4, i * 4);
    normalizeInPlace(values, i * 4);
    values[i * 4 + 3] *= hand;
  }
}

/** A vector without direction becomes the z axis: files do hold zero normals, and consumers rely on unit length. */
function normalizeInPlace(v: Float32Array, o: number): void {
  const length = Math.hypot(v[o], v[o + 1], v[o + 2]);
  const scale = length > 0 && Number.isFinite(length) ? 1 / length : 0;
  for (let c = 0; c < 3; c++) v[o + c] = scale > 0 ? v[o + c] * scale : c === 2 ? 1 : 0;
}

/** The mesh as a message names it. */
export function labelOf(json: GLTF.IGLTF, piece: GltfPiece): string {
  return label(json.meshes![piece.mesh].name, piece.mesh);
}

function partName(json: GLTF.IGLTF, piece: GltfPiece): string {
  const mesh = json.meshes![piece.mesh];
  const name = json.nodes![piece.node].name || mesh.name || `mesh ${piece.mesh}`;
  return mesh.primitives.length > 1 ? `${name} ${piece.primitive}` : name;
}

function materialName(json: GLTF.IGLTF, piece: GltfPiece): string {
  const { material } = json.meshes![piece.mesh].primitives[piece.primitive];
  return material === undefined ? '' : json.materials![material].name || `material ${material}`;
}
