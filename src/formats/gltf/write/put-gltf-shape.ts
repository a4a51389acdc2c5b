// SPDX-License-Identifier: MIT
import type { Accessor, Document, Node, Primitive } from '@gltf-transform/core';
import { invertAffine, transformDirection } from '../../../core/math/mat4.ts';
import { InputError } from '../../../core/model/errors.ts';
import type { Mesh } from '../../../core/model/mesh/mesh.ts';
import { addAccessor, disposeUnused } from '../document/add-accessor.ts';
import { arrayOf, meshOf } from '../document/gltf-graph.ts';
import type { GltfPiece } from '../document/pieces/list-gltf-pieces.ts';
import { floatsOf } from '../document/read-accessor.ts';
import { readGltfGeometry } from '../read/read-gltf-geometry.ts';

/** An attribute of the mesh: its numbers in the file, and those to write. */
interface Change {
  semantic: 'POSITION' | 'NORMAL' | 'TANGENT';
  size: number;
  before: Float32Array;
  after: Float32Array;
}

/**
 * Gives the pieces of a document the positions, normals and tangents of a mesh, in the space of each piece. Numbers of vertices that did not change keep
 * their bits; an accessor without a change is not replaced. A primitive that several nodes draw is copied if its shapes differ. Changed in place.
 * @param mesh the mesh that was read from the document, with other positions, normals and tangents
 */
export function putGltfShape(
  document: Document,
  pieces: readonly GltfPiece[],
  restMatrices: readonly Float64Array[],
  mesh: Mesh,
): void {
  const read = readGltfGeometry(document, pieces, restMatrices, mesh.name);
  if (read.positions.length !== mesh.positions.length)
    throw new InputError(
      'writeGlb',
      `the mesh has ${mesh.positions.length / 3} vertices, the glTF that it was read from has ${read.positions.length / 3}`,
    );
  const changes = listChanges(read, mesh);
  const valuesByPiece = pieces.map((piece, p) => changes.map((change) => valuesOf(change, piece, restMatrices[p])));
  const added: Accessor[] = [];
  listOwnPrimitives(document, pieces, valuesByPiece).forEach((primitive, p) => {
    changes.forEach(({ semantic, size }, n) => {
      const stored = primitive.getAttribute(semantic);
      const values = valuesByPiece[p][n];
      if (!stored || isEqual(values, floatsOf(stored))) return;
      const same = added.find((one) => one.getElementSize() === size && isEqual(arrayOf(one), values));
      const accessor = same ?? addAccessor(document, size, values);
      if (!same) added.push(accessor);
      primitive.setAttribute(semantic, accessor);
    });
  });
  disposeUnused(document, document.getRoot().listAccessors());
}

/** The primitive of each piece. A node whose values differ from those of another node with the same mesh gets its own copy of the mesh. */
export function listOwnPrimitives(
  document: Document,
  pieces: readonly GltfPiece[],
  valuesByPiece: readonly Float32Array[][],
): Primitive[] {
  const first = new Map<Primitive, number>();
  const isOther = pieces.map(({ primitive }, p) => {
    const known = first.get(primitive);
    if (known === undefined) first.set(primitive, p);
    return known !== undefined && valuesByPiece[p].some((values, n) => !isEqual(values, valuesByPiece[known][n]));
  });
  const copies = new Map<Node, Map<Primitive, Primitive>>();
  pieces.forEach(({ node }, p) => {
    if (!isOther[p] || copies.has(node)) return;
    const shared = meshOf(node);
    const own = document.createMesh().copy(shared);
    const copyOf = new Map<Primitive, Primitive>();
    for (const primitive of shared.listPrimitives()) {
      const copy = document.createPrimitive().copy(primitive);
      own.removePrimitive(primitive).addPrimitive(copy);
      copyOf.set(primitive, copy);
    }
    node.setMesh(own);
    copies.set(node, copyOf);
  });
  return pieces.map(({ node, primitive }) => copies.get(node)?.get(primitive) ?? primitive);
}

function listChanges(read: Mesh, mesh: Mesh): Change[] {
  const changes: Change[] = [{ semantic: 'POSITION', size: 3, before: read.positions, after: mesh.positions }];
  if (read.normals && mesh.normals)
    changes.push({ semantic: 'NORMAL', size: 3, before: read.normals, after: mesh.normals });
  const tangentsOf = ({ attributes }: Mesh) =>
    attributes.find(({ name, size }) => name === 'TANGENT' && size === 4)?.values;
  const [before, after] = [tangentsOf(read), tangentsOf(mesh)];
  if (before && after) changes.push({ semantic: 'TANGENT', size: 4, before, after });
  return changes;
}

/** The stored numbers of an attribute of a piece, with those that changed replaced; the stored array itself if none did. */
function valuesOf({ semantic, size, before, after }: Change, piece: GltfPiece, matrix: Float64Array): Float32Array {
  const { primitive, vertexStart, vertexCount } = piece;
  const accessor = primitive.getAttribute(semantic);
  if (!accessor) return new Float32Array(0);
  const stored = floatsOf(accessor);
  const start = vertexStart * size;
  if (isEqual(before.subarray(start, start + vertexCount * size), after.subarray(start, start + vertexCount * size)))
    return stored;
  const back = new Float64Array(16);
  if (!invertAffine(matrix, back))
    throw new InputError('writeGlb', `mesh ${piece.label} is flattened at rest, so its shape cannot be changed`);
  // A normal n of the piece was read as the direction of back^T n, so n has the direction of matrix^T times what was read.
  const turn = semantic === 'NORMAL' ? transpose3(matrix) : back;
  const out = stored.slice();
  const vector = new Float64Array(3);
  for (let i = 0; i < vertexCount; i++) {
    const o = start + i * size;
    if (isEqual(before.subarray(o, o + 3), after.subarray(o, o + 3))) continue;
    for (let r = 0; r < 3; r++) vector[r] = semantic === 'POSITION' ? after[o + r] - before[o + r] : after[o + r];
    transformDirection(turn, vector, vector);
    const scale = semantic === 'POSITION' ? 1 : 1 / (Math.hypot(...vector) || 1);
    for (let r = 0; r < 3; r++)
      out[i * size + r] = scale * vector[r] + (semantic === 'POSITION' ? stored[i * size + r] : 0);
  }
  return out;
}

function transpose3(m: Float64Array): Float64Array {
  const out = new Float64Array(16);
  for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) out[4 * c + r] = m[4 * r + c];
  return out;
}

function isEqual(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let c = 0; c < a.length; c++) if (a[c] !== b[c]) return false;
  return true;
}
