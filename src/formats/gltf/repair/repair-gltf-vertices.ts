// SPDX-License-Identifier: MIT
// Numbers of vertices that glTF does not allow, but that viewers show or do not look at. A position that is not finite and belongs to a triangle is refused:
// what the surface was cannot be known.
import { type Accessor, type Document, type Primitive, Primitive as PrimitiveClass } from '@gltf-transform/core';
import { quoteName } from '../../../core/model/plain-text.ts';
import { fail, label } from '../../../deformers/layout/index.ts';
import { jsonAccessor } from '../document/gltf-json.ts';
import { findNotFinite, floatsOf, integersOf, zeroNotFinite } from '../document/read-accessor.ts';
import { readGltfTriangles } from '../read/read-gltf-triangles.ts';
import type { GltfRepairs } from './gltf-repairs.ts';
import { findBadDirection, repairNormals, repairTangents } from './repair-directions.ts';
import type { SourcePatch } from './source-patch.ts';

/** Less than a step of 16-bit colours; Draco decodes one as up to 1.2e-7 more (ShaderBall2.glb of three.js). */
const COLOR_ROUNDING = 1e-5;

/** A primitive that uses an accessor. */
interface Use {
  primitive: Primitive;
  /** Name of the primitive in messages. */
  where: string;
  mesh: string;
  /** Accessor of its first set of joints. */
  joints?: number;
}

/** An accessor, how primitives use it, and by which ones. */
interface Attribute {
  index: number;
  accessor: Accessor;
  semantic: string;
  isMorph: boolean;
  uses: Use[];
}

/** Repairs weights, normals, tangents, positions of vertices without triangles, displacements, and other attributes. */
export function repairGltfVertices(document: Document, patch: SourcePatch, repairs: GltfRepairs): void {
  for (const attribute of listAttributes(document, patch)) {
    const { semantic, accessor, isMorph } = attribute;
    if (accessor.getType().startsWith('MAT') || !accessor.getArray()) continue;
    // integers are always finite; a normal of integers can still be zero
    const isFloat = accessor.getArray() instanceof Float32Array;
    if (!isFloat && (isMorph || semantic !== 'NORMAL')) continue;
    const repaired = isMorph ? repairNumbers(attribute, repairs) : repairAttribute(attribute, patch, repairs);
    if (repaired) patch.replace(attribute.index, repaired);
  }
}

function listAttributes(document: Document, patch: SourcePatch): Attribute[] {
  const accessors = document.getRoot().listAccessors();
  const found = new Map<number, Attribute>();
  const meshes = document.getRoot().listMeshes();
  patch.json.meshes?.forEach((mesh, m) => {
    const primitives = meshes[m].listPrimitives();
    const name = `mesh ${label(mesh.name, m)}`;
    mesh.primitives.forEach((stored, p) => {
      const where = mesh.primitives.length > 1 ? `primitive ${p} of ${name}` : name;
      const use = { primitive: primitives[p], where, mesh: name, joints: stored.attributes.JOINTS_0 };
      const add = (semantic: string, index: number, isMorph: boolean): void => {
        const known = found.get(index);
        if (known) known.uses.push(use);
        else found.set(index, { index, accessor: accessors[index], semantic, isMorph, uses: [use] });
      };
      for (const [semantic, index] of Object.entries(stored.attributes)) add(semantic, index, false);
      for (const target of stored.targets ?? [])
        for (const [semantic, index] of Object.entries(target)) add(semantic, index, true);
    });
  });
  return [...found.values()];
}

function repairAttribute(attribute: Attribute, patch: SourcePatch, repairs: GltfRepairs): Float32Array | undefined {
  const { semantic } = attribute;
  if (semantic === 'POSITION') return repairPositions(attribute, patch, repairs);
  if (semantic === 'NORMAL') return repairDirections(attribute, repairs, 3);
  if (semantic === 'TANGENT' && attribute.accessor.getElementSize() === 4)
    return repairDirections(attribute, repairs, 4);
  if (semantic.startsWith('WEIGHTS_')) return repairWeights(attribute, patch, repairs);
  return repairNumbers(attribute, repairs) ?? (semantic.startsWith('COLOR_') ? roundColors(attribute) : undefined);
}

/** Colours that are above one by the rounding of a decoder. */
function roundColors({ accessor }: Attribute): Float32Array | undefined {
  const values = floatsOf(accessor);
  const isRounded = (x: number): boolean => x > 1 && x < 1 + COLOR_ROUNDING;
  return values.some(isRounded) ? values.map((x) => (isRounded(x) ? 1 : x)) : undefined;
}

function repairWeights(attribute: Attribute, patch: SourcePatch, repairs: GltfRepairs): Float32Array | undefined {
  const { accessor, uses } = attribute;
  const [{ where }] = uses;
  const values = floatsOf(accessor);
  let repaired: Float32Array | undefined;
  const changed = new Set<number>();
  for (let c = 0; c < values.length; c++) {
    if (values[c] >= 0 && values[c] < Number.POSITIVE_INFINITY) continue;
    repaired ??= values.slice();
    repaired[c] = 0;
    changed.add(c >> 2);
    repairs.add('weight', `vertex ${c >> 2} of ${where}`);
  }
  if (repaired) bindLost(attribute, { weights: repaired, changed: [...changed] }, patch, repairs);
  return repaired;
}

/** Pairs of vertices that are compared in the search for the nearest ones. */
const MAX_COMPARED = 50_000_000;

/** Gives vertices without a weight left the weights and joints of the nearest vertex: the first joint of the skin may be anywhere. Weights are changed in place. */
function bindLost(
  { semantic, uses }: Attribute,
  { weights, changed }: { weights: Float32Array; changed: readonly number[] },
  patch: SourcePatch,
  repairs: GltfRepairs,
): void {
  const [{ primitive, joints, where }] = uses;
  const isOnly = semantic === 'WEIGHTS_0' && !primitive.getAttribute('WEIGHTS_1');
  if (!isOnly || joints === undefined || uses.some((use) => use.joints !== joints)) return;
  const position = primitive.getAttribute('POSITION');
  const stored = primitive.getAttribute('JOINTS_0');
  const vertexCount = weights.length / 4;
  if (position?.getCount() !== vertexCount || stored?.getCount() !== vertexCount) return;
  const isBound = (i: number): boolean => weights.subarray(4 * i, 4 * i + 4).some((weight) => weight > 0);
  const lost = changed.filter((i) => !isBound(i));
  const bound = Array.from({ length: vertexCount }, (_, i) => i).filter(isBound);
  if (lost.length === 0 || bound.length === 0 || lost.length * bound.length > MAX_COMPARED) return;
  const places = floatsOf(position);
  const rows = Uint16Array.from(integersOf(stored));
  for (const i of lost) {
    const nearest = findNearest(places, i, bound);
    weights.copyWithin(4 * i, 4 * nearest, 4 * nearest + 4);
    rows.copyWithin(4 * i, 4 * nearest, 4 * nearest + 4);
    repairs.add('lostWeights', `vertex ${i} of ${where}`);
  }
  patch.replace(joints, rows);
}

/** The first of the vertices that are nearest to one. */
function findNearest(places: Float32Array, i: number, others: readonly number[]): number {
  let [best, least] = [others[0], Number.POSITIVE_INFINITY];
  for (const j of others) {
    const [x, y, z] = [0, 1, 2].map((c) => places[3 * i + c] - places[3 * j + c]);
    const square = x * x + y * y + z * z;
    if (square < least) [best, least] = [j, square];
  }
  return best;
}

/** Attributes that only colour a surface, and displacements of morph targets. */
function repairNumbers(attribute: Attribute, repairs: GltfRepairs): Float32Array | undefined {
  const { accessor, semantic, isMorph, uses } = attribute;
  const values = floatsOf(accessor);
  const wrong = findNotFinite(values);
  if (wrong < 0) return undefined;
  const repaired = values.slice();
  const count = zeroNotFinite(repaired);
  const vertex = Math.floor(wrong / accessor.getElementSize());
  const what = isMorph ? '' : `${quoteName(semantic)} of `;
  repairs.add(isMorph ? 'displacement' : 'number', `${what}vertex ${vertex} of ${uses[0].where}`, count);
  return repaired;
}

function repairPositions(attribute: Attribute, patch: SourcePatch, repairs: GltfRepairs): Float32Array | undefined {
  const { accessor, uses } = attribute;
  const values = floatsOf(accessor);
  if (findNotFinite(values) < 0) return undefined;
  const isUsed = new Uint8Array(accessor.getCount());
  for (const use of uses) for (const corner of cornersOf(use, accessor.getCount())) isUsed[corner] = 1;
  const isSound = (i: number): boolean => findNotFinite(values.subarray(3 * i, 3 * i + 3)) < 0;
  const other = [...isUsed.keys()].find((i) => isUsed[i] && isSound(i));
  const [{ where }] = uses;
  const repaired = values.slice();
  for (let i = 0; i < isUsed.length; i++) {
    if (isSound(i)) continue;
    if (isUsed[i] || other === undefined)
      fail('value', `vertex ${i} of ${where} has a position that is not finite${placeInFile(attribute, patch, i)}`);
    repaired.set(values.subarray(3 * other, 3 * other + 3), 3 * i);
    repairs.add('position', `vertex ${i} of ${where}`);
  }
  return repaired;
}

/** Where the numbers of a vertex are stored, if they are stored plainly. */
function placeInFile({ index }: Attribute, { json }: SourcePatch, vertex: number): string {
  const { bufferView, byteOffset = 0, sparse } = jsonAccessor(json, index);
  const view = bufferView === undefined ? undefined : json.bufferViews?.[bufferView];
  if (!view || sparse || view.extensions) return '';
  const byte = (view.byteOffset ?? 0) + byteOffset + vertex * (view.byteStride ?? 12);
  return ` (byte ${byte} of buffer ${view.buffer})`;
}

function repairDirections({ accessor, uses }: Attribute, repairs: GltfRepairs, size: 3 | 4): Float32Array | undefined {
  const values = floatsOf(accessor);
  const isExact = accessor.getArray() instanceof Float32Array;
  if (findBadDirection(values, size, isExact) < 0) return undefined;
  const count = accessor.getCount();
  const surfaces = uses.map((use) => {
    const positions = use.primitive.getAttribute('POSITION');
    const normals = use.primitive.getAttribute('NORMAL');
    return {
      positions: positions?.getCount() === count ? floatsOf(positions) : undefined,
      normals: normals?.getCount() === count ? floatsOf(normals) : undefined,
      corners: cornersOf(use, count),
    };
  });
  const repair = size === 3 ? repairNormals : repairTangents;
  const { repaired, replaced, scaled } = repair(values, surfaces, isExact);
  const [{ where }] = uses;
  const kind = size === 3 ? 'normal' : 'tangent';
  if (replaced.length > 0) repairs.add(kind, `vertex ${replaced[0]} of ${where}`, replaced.length);
  if (scaled.length > 0) repairs.add(`${kind}Length`, `vertex ${scaled[0]} of ${where}`, scaled.length);
  return repaired;
}

/** Corners of the triangles of a primitive; none if it draws points or lines. */
function cornersOf({ primitive, mesh }: Use, vertexCount: number): ArrayLike<number> & Iterable<number> {
  if (primitive.getMode() < PrimitiveClass.Mode.TRIANGLES || primitive.getAttribute('POSITION') === null) return [];
  return Array.from(readGltfTriangles({ primitive, vertexCount, label: mesh.replace(/^mesh /, '') }));
}
