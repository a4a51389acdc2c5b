// SPDX-License-Identifier: MIT
// OSSIFY_shape_drivers in a document: added by writers, read for the bones of a rig.
import type { Document, TypedArray } from '@gltf-transform/core';
import { keyTimesOf } from '../../../core/keyframes/make-joint-motions.ts';
import { joinArrays } from '../../../core/math/join-arrays.ts';
import { IDENTITY } from '../../../core/math/mat4.ts';
import { DRIVER_OUTPUTS, type DrivenShapes, type ShapeDrivers } from '../../../core/model/deformed/shape-drivers.ts';
import { fail } from '../../../deformers/layout/index.ts';
import {
  decodeShapeDrivers,
  packShapeDrivers,
  SHAPE_EXTENSION,
  SHAPE_EXTENSION_VERSION,
  SHAPE_FIELDS,
} from '../../../deformers/shape-drivers/index.ts';
import { decodeGltfPieces, type RiggedPieces } from '../codecs/decode-gltf-pieces.ts';
import { addAccessor } from '../document/add-accessor.ts';
import { animationNamesOf } from '../document/gltf-graph.ts';
import type { GltfShape } from '../write/place-gltf-shapes.ts';
import { makeArraysExtension } from './gltf-arrays-extension.ts';

export const GltfShapeExtension = makeArraysExtension(SHAPE_EXTENSION, 'ShapeDrivers', SHAPE_FIELDS);

/**
 * Adds drivers to skinned shapes as OSSIFY_shape_drivers, and the weights of the shapes in the animations, by name. Primitives share the accessors. The bones
 * of the drivers are the joints of the skin, in order. Changed in place.
 */
export function addGltfShapeDrivers(
  document: Document,
  shapes: readonly GltfShape[],
  { drivers, tracks }: DrivenShapes,
): void {
  const extension = document.createExtension(GltfShapeExtension);
  const packed = packShapeDrivers(drivers);
  const names = document
    .getRoot()
    .listAnimations()
    .map((animation) => animation.getName());
  const played = tracks.filter(({ name, times }) => names.includes(name) && times.length > 0);
  const facts = {
    version: SHAPE_EXTENSION_VERSION,
    form: drivers.form,
    shapes: drivers.shapes,
    ...(played.length > 0
      ? { tracks: played.map(({ name, times }) => ({ animation: names.indexOf(name), keys: times.length })) }
      : {}),
  };
  const arrays: Record<string, TypedArray> = { ...packed };
  if (played.length > 0) {
    arrays.times = joinArrays(played.map((track) => keyTimesOf(track.times, track.name))) as Float32Array<ArrayBuffer>;
    arrays.weights = joinArrays(played.map(({ weights }) => weights)) as Float32Array<ArrayBuffer>;
  }
  const accessors = Object.entries(arrays)
    .filter(([, values]) => values.length > 0)
    .map(([name, values]) => [name, addAccessor(document, 1, values)] as const);
  for (const { primitive } of shapes.flatMap(({ pieces }) => pieces)) {
    const property = extension.createArrays().setFacts(facts);
    for (const [name, accessor] of accessors) property.setAccessor(name, accessor);
    primitive.setExtension(SHAPE_EXTENSION, property);
  }
}

/** Maximum difference of a rest matrix from the identity. */
const TOLERANCE = 1e-6;

/** Reads OSSIFY_shape_drivers for the bones of a rig. All primitives that have it must share it. */
export function readGltfShapeDrivers(rigged: RiggedPieces): DrivenShapes | undefined {
  const { document, restMatrices, jointBones, log } = rigged;
  const names = animationNamesOf(document);
  const decoded = decodeGltfPieces(rigged, SHAPE_EXTENSION, (source, piece, property) => ({
    piece,
    ...decodeShapeDrivers(source, names),
    shared: SHAPE_FIELDS.map((name) => property.getAccessor(name)),
  }));
  if (decoded.size === 0) return undefined;
  const [first] = decoded.values();
  const bones = jointBones[first.piece];
  for (const { piece, shared } of decoded.values()) {
    if (
      !shared.every((accessor, n) => accessor === first.shared[n]) ||
      !jointBones[piece].every((b, j) => b === bones[j])
    )
      fail('unsupported', `the primitives have different drivers of ${SHAPE_EXTENSION}; one set for all is read`);
    if (!restMatrices[piece].every((x, e) => Math.abs(x - IDENTITY[e]) <= TOLERANCE)) {
      log?.(`${SHAPE_EXTENSION} is ignored: its mesh is transformed; bones play by their keys`);
      return undefined;
    }
  }
  const { drivers, tracks } = first;
  return { drivers: renumber(drivers, bones), tracks };
}

/**
 * The drivers with the numbers of bones instead of joints.
 * @param bones by joint of the skin
 */
function renumber(drivers: ShapeDrivers, bones: ArrayLike<number>): ShapeDrivers {
  const size = DRIVER_OUTPUTS[drivers.form];
  const { rowStart } = drivers;
  const columns = drivers.columns.map((column) => bones[Math.floor(column / size)] * size + (column % size));
  const values = drivers.values.slice();
  for (let n = 0; n + 1 < rowStart.length; n++) {
    const order = Array.from({ length: rowStart[n + 1] - rowStart[n] }, (_, e) => rowStart[n] + e);
    const sorted = order.toSorted((a, b) => columns[a] - columns[b]);
    const row = sorted.map((e) => [columns[e], values[e]]);
    row.forEach(([column, value], e) => {
      columns[rowStart[n] + e] = column;
      values[rowStart[n] + e] = value;
    });
  }
  return { ...drivers, columns, values };
}
