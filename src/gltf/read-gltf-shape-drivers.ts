// SPDX-License-Identifier: MIT
import { decodeShapeDrivers } from '../extension/decode-shape-drivers.ts';
import { fail } from '../extension/json-fields.ts';
import { SHAPE_EXTENSION, SHAPE_FIELDS } from '../extension/pack-shape-drivers.ts';
import { IDENTITY } from '../math/mat4.ts';
import { DRIVER_OUTPUTS, type DrivenShapes } from '../model/shape-drivers.ts';
import { decodeGltfPieces, type RiggedPieces } from './decode-gltf-pieces.ts';

/** Maximum difference of a rest matrix from the identity. */
const TOLERANCE = 1e-6;

/** Reads OSSIFY_shape_drivers for the bones of a rig. All primitives that have it must share it. */
export function readGltfShapeDrivers(rigged: RiggedPieces): DrivenShapes | undefined {
  const { document, restMatrices, jointBones, log } = rigged;
  const names = document
    .getRoot()
    .listAnimations()
    .map((animation, n) => animation.getName() || `animation ${n}`);
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
  if (!bones.every((bone, j) => j === 0 || bone > bones[j - 1])) {
    log?.(`${SHAPE_EXTENSION} is ignored: its joints are in another order; bones play by their keys`);
    return undefined;
  }
  const size = DRIVER_OUTPUTS[drivers.form];
  const columns = drivers.columns.map((column) => bones[Math.floor(column / size)] * size + (column % size));
  return { drivers: { ...drivers, columns }, tracks };
}
