// SPDX-License-Identifier: MIT
import type { Document, Primitive } from '@gltf-transform/core';
import {
  determinant3,
  invertAffine,
  transformDirection,
  transformDirections,
  transformPoints,
} from '../../../core/math/mat4.ts';
import { coordinateFault } from '../../../core/model/mesh/coordinate-limit.ts';
import type { Mesh, MeshAttribute, MeshPart } from '../../../core/model/mesh/mesh.ts';
import { fail } from '../../../deformers/layout/index.ts';
import { attributeOf } from '../document/gltf-graph.ts';
import { type GltfPiece, vertexCountOfPieces } from '../document/pieces/list-gltf-pieces.ts';
import { findOutOfRange, floatsOf } from '../document/read-accessor.ts';
import { readGltfTriangles } from './read-gltf-triangles.ts';

/**
 * Joins the pieces into one mesh in rest space. Normals (by the inverse transpose) and tangents are transformed and have unit length; every
 * other attribute is copied. Morph weights at rest are not applied: these are the base shapes.
 */
export function readGltfGeometry(
  document: Document,
  pieces: readonly GltfPiece[],
  restMatrices: readonly Float64Array[],
  name: string,
): Mesh {
  const vertexCount = vertexCountOfPieces(pieces);
  const positions = new Float32Array(vertexCount * 3);
  const lists = pieces.map(readGltfTriangles);
  const triangles = new Uint32Array(lists.reduce((sum, list) => sum + list.length, 0));
  const normals = pieces.every(({ primitive }) => primitive.getAttribute('NORMAL'))
    ? new Float32Array(vertexCount * 3)
    : undefined;
  const materialNames = new Map(
    document
      .getRoot()
      .listMaterials()
      .map((material, m) => [material, material.getName() || `material ${m}`]),
  );

  let triangleStart = 0;
  const parts = pieces.map((piece, p): MeshPart => {
    const { primitive, vertexStart } = piece;
    const start = vertexStart * 3;
    const source = floatsOf(attributeOf(primitive, 'POSITION'));
    transformPoints(restMatrices[p], source, positions, 0, start);
    const wrong = findOutOfRange(positions.subarray(start, start + source.length));
    if (wrong >= 0) {
      const fault = coordinateFault(positions[start + wrong]);
      fail('value', `vertex ${Math.floor(wrong / 3)} of mesh ${piece.label} has a position that is ${fault}`);
    }
    if (normals) turnNormalsInto(floatsOf(attributeOf(primitive, 'NORMAL')), restMatrices[p], normals, start);
    const triangleCount = lists[p].length / 3;
    const own = triangles.subarray(triangleStart * 3, (triangleStart + triangleCount) * 3);
    own.set(lists[p]);
    if (vertexStart > 0) for (let c = 0; c < own.length; c++) own[c] += vertexStart;
    const material = primitive.getMaterial();
    const part: MeshPart = {
      name: piece.name,
      vertexStart,
      vertexCount: piece.vertexCount,
      triangleStart,
      triangleCount,
      material: material ? (materialNames.get(material) ?? '') : '',
    };
    triangleStart += triangleCount;
    return part;
  });
  const attributes = readAttributes(pieces, restMatrices, vertexCount);
  return { name, positions, triangles, normals, attributes, parts };
}

/** Attributes of the mesh, with the number of components of each; matrices are ignored. */
function listCarried(primitive: Primitive): [semantic: string, size: number][] {
  return primitive.listSemantics().flatMap((semantic): [string, number][] => {
    const accessor = attributeOf(primitive, semantic);
    const isOwn = semantic === 'POSITION' || semantic === 'NORMAL' || /^(JOINTS|WEIGHTS)_/.test(semantic);
    return isOwn || accessor.getType().startsWith('MAT') ? [] : [[semantic, accessor.getElementSize()]];
  });
}

function readAttributes(
  pieces: readonly GltfPiece[],
  restMatrices: readonly Float64Array[],
  vertexCount: number,
): MeshAttribute[] {
  const attributes = new Map<string, MeshAttribute>();
  const sizes = new Map<string, number>();
  const carried = pieces.map(({ primitive }) => listCarried(primitive));
  for (const list of carried)
    for (const [semantic, size] of list) sizes.set(semantic, Math.max(sizes.get(semantic) ?? 0, size));
  for (const [name, size] of sizes) {
    // If a part lacks it: colours are white and opaque, others zero.
    const values = new Float32Array(vertexCount * size);
    if (name.startsWith('COLOR_')) values.fill(1);
    attributes.set(name, { name, size, values });
  }
  pieces.forEach((piece, p) => {
    for (const [semantic, own] of carried[p]) {
      const attribute = attributes.get(semantic);
      if (!attribute) continue;
      const { size, values } = attribute;
      const source = floatsOf(attributeOf(piece.primitive, semantic));
      if (own === size) values.set(source, piece.vertexStart * size);
      else
        for (let i = 0; i < piece.vertexCount; i++)
          for (let c = 0; c < own; c++) values[(piece.vertexStart + i) * size + c] = source[i * own + c];
      if (semantic === 'TANGENT' && own === 4) turnTangentsInPlace(values, restMatrices[p], piece);
    }
  });
  return [...attributes.values()];
}

function turnNormalsInto(source: Float32Array, m: Float64Array, out: Float32Array, start: number): void {
  const inverse = new Float64Array(16);
  const turn = new Float64Array(16);
  // A flattened part has no inverse; its normals are transformed like directions.
  if (invertAffine(m, inverse))
    for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) turn[4 * c + r] = inverse[4 * r + c];
  else turn.set(m);
  transformDirections(turn, source, out, 0, start);
  for (let c = start; c < start + source.length; c += 3) normalizeInPlace(out, c);
}

function turnTangentsInPlace(values: Float32Array, m: Float64Array, piece: GltfPiece): void {
  const hand = determinant3(m) < 0 ? -1 : 1;
  for (let i = piece.vertexStart; i < piece.vertexStart + piece.vertexCount; i++) {
    transformDirection(m, values, values, 0, i * 4, i * 4);
    normalizeInPlace(values, i * 4);
    values[i * 4 + 3] *= hand;
  }
}

/** Replaces a zero vector by the z axis: some files have zero normals, and consumers rely on unit length. */
function normalizeInPlace(v: Float32Array, o: number): void {
  const length = Math.hypot(v[o], v[o + 1], v[o + 2]);
  const scale = length > 0 && Number.isFinite(length) ? 1 / length : 0;
  for (let c = 0; c < 3; c++) v[o + c] = scale > 0 ? v[o + c] * scale : c === 2 ? 1 : 0;
}
