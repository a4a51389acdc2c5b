// SPDX-License-Identifier: MIT

import {
  choiceField,
  fail,
  indexField,
  integerField,
  type JsonObject,
  listField,
  objectField,
  optionalBoolean,
  optionalInteger,
  stringField,
} from '../../../deformers/layout/index.ts';
import { checkGltfUri } from './check-gltf-uri.ts';

/** Bytes of one component, by glTF component type. */
export const COMPONENT_BYTES: Readonly<Record<number, number>> = {
  5120: 1,
  5121: 1,
  5122: 2,
  5123: 2,
  5125: 4,
  5126: 4,
};

/** Components of one element, by glTF accessor type. */
export const TYPE_SIZE: Readonly<Record<string, number>> = {
  SCALAR: 1,
  VEC2: 2,
  VEC3: 3,
  VEC4: 4,
  MAT2: 4,
  MAT3: 9,
  MAT4: 16,
};

const TYPES = Object.keys(TYPE_SIZE);
const COMPONENT_TYPES = Object.keys(COMPONENT_BYTES).map(Number);

/** The extension of compressed views; its successor has the same layout under another name and is renamed on reading. */
export const MESHOPT = 'EXT_meshopt_compression';

const MESHOPT_MODES = ['ATTRIBUTES', 'TRIANGLES', 'INDICES'];
const MESHOPT_FILTERS = [undefined, 'NONE', 'OCTAHEDRAL', 'QUATERNION', 'EXPONENTIAL', 'COLOR'];

/**
 * Checks buffers, views and accessors against the lengths in the file, and returns their decoded size in bytes, so that
 * the caller can reject a file that expands too much. Allocates nothing.
 */
export function checkGltfData(json: JsonObject): number {
  const buffers = listField(json, 'buffers');
  buffers.forEach((buffer, n) => {
    integerField(buffer.byteLength, `buffers[${n}].byteLength`, 1);
    if (buffer.uri !== undefined) checkUri(stringField(buffer.uri, `buffers[${n}].uri`));
  });

  let decodedBytes = 0;
  const views = listField(json, 'bufferViews');
  views.forEach((view, n) => {
    const where = `bufferViews[${n}]`;
    checkRange(view, buffers, where);
    const stride = view.byteStride;
    if (stride !== undefined && (integerField(stride, `${where}.byteStride`, 1) > 252 || Number(stride) < 4))
      fail('length', `${where}.byteStride must be from 4 to 252, got ${stride}`);
    const packed = meshoptOf(view, where);
    if (packed) decodedBytes += checkMeshopt(packed, buffers, view, where);
  });

  listField(json, 'accessors').forEach((accessor, n) => {
    decodedBytes += checkAccessor(accessor, views, `accessors[${n}]`);
  });
  return decodedBytes;
}

/** The meshopt extension of a view, if it has one. */
function meshoptOf(view: JsonObject, where = 'a view'): JsonObject | undefined {
  if (view.extensions === undefined) return undefined;
  const packed = objectField(view.extensions, `${where}.extensions`)[MESHOPT];
  return packed === undefined ? undefined : objectField(packed, `${where}.extensions.${MESHOPT}`);
}

function checkUri(uri: string): void {
  if (!/^data:/i.test(uri)) checkGltfUri(uri);
}

function checkRange(range: JsonObject, buffers: JsonObject[], where: string): void {
  const buffer = indexField(range.buffer, buffers.length, `${where}.buffer`, 'buffer');
  const offset = optionalInteger(range.byteOffset, `${where}.byteOffset`);
  const length = integerField(range.byteLength, `${where}.byteLength`, 1);
  const most = buffers[buffer].byteLength as number;
  if (offset + length > most)
    fail('length', `${where} ends at byte ${offset + length} of buffer ${buffer}, which has ${most}`);
}

function checkMeshopt(packed: JsonObject, buffers: JsonObject[], view: JsonObject, where: string): number {
  checkRange(packed, buffers, `${where}.extensions.${MESHOPT}`);
  const stride = integerField(packed.byteStride, `${where}: compressed byteStride`, 1);
  const count = integerField(packed.count, `${where}: compressed count`);
  choiceField(packed.mode, MESHOPT_MODES, `${where}: compression mode`);
  choiceField(packed.filter, MESHOPT_FILTERS, `${where}: compression filter`);
  const fits =
    packed.mode === 'ATTRIBUTES'
      ? stride % 4 === 0 && stride <= 256
      : (stride === 2 || stride === 4) && (packed.mode !== 'TRIANGLES' || count % 3 === 0);
  if (!fits) fail('length', `${where}: ${count} items of ${stride} bytes do not fit the mode ${packed.mode}`);
  if (count * stride !== view.byteLength)
    fail('length', `${where} has ${view.byteLength} bytes, but decompresses to ${count} items of ${stride} bytes`);
  // The filters support only elements of these sizes.
  const filter = packed.filter ?? 'NONE';
  if (filter !== 'NONE' && packed.mode !== 'ATTRIBUTES') fail('value', `${where}: only attributes can have a filter`);
  if (
    ((filter === 'OCTAHEDRAL' || filter === 'COLOR') && stride !== 4 && stride !== 8) ||
    (filter === 'QUATERNION' && stride !== 8)
  )
    fail('length', `${where}: the filter ${filter} does not work on ${stride} bytes`);
  return count * stride;
}

/** Bytes of one element in a tight array; columns of matrices start at multiples of four bytes. */
function elementBytes(type: string, componentType: number): number {
  const bytes = COMPONENT_BYTES[componentType];
  const columns = type === 'MAT2' ? 2 : type === 'MAT3' ? 3 : 1;
  if (columns === 1) return TYPE_SIZE[type] * bytes;
  return columns * Math.ceil((columns * bytes) / 4) * 4;
}

function checkAccessor(accessor: JsonObject, views: JsonObject[], where: string): number {
  const type = stringField(accessor.type, `${where}.type`);
  choiceField(type, TYPES, `${where}.type`);
  const componentType = integerField(accessor.componentType, `${where}.componentType`);
  choiceField(componentType, COMPONENT_TYPES, `${where}.componentType`);
  optionalBoolean(accessor.normalized, `${where}.normalized`);
  const count = integerField(accessor.count, `${where}.count`, 1);
  const size = elementBytes(type, componentType);
  if (accessor.bufferView !== undefined) checkFits(accessor, views, count, size, where);
  if (accessor.sparse !== undefined) {
    const sparse = objectField(accessor.sparse, `${where}.sparse`);
    const changed = integerField(sparse.count, `${where}.sparse.count`, 1);
    if (changed > count) fail('length', `${where}.sparse.count is ${changed}, but the accessor has ${count} elements`);
    const indices = objectField(sparse.indices, `${where}.sparse.indices`);
    const values = objectField(sparse.values, `${where}.sparse.values`);
    choiceField(indices.componentType, [5121, 5123, 5125], `${where}.sparse.indices.componentType`);
    checkFits(indices, views, changed, COMPONENT_BYTES[indices.componentType as number], `${where}.sparse.indices`);
    checkFits(values, views, changed, size, `${where}.sparse.values`);
  }
  // Read as floats, for any stored type.
  return count * TYPE_SIZE[type] * 4;
}

function checkFits(part: JsonObject, views: JsonObject[], count: number, size: number, where: string): void {
  const index = indexField(part.bufferView, views.length, `${where}.bufferView`, 'buffer view');
  const view = views[index];
  const offset = optionalInteger(part.byteOffset, `${where}.byteOffset`);
  const stride = (view.byteStride as number | undefined) ?? size;
  if (count > 1 && stride < size)
    fail('length', `${where} has elements of ${size} bytes in a view of stride ${stride}`);
  const end = offset + stride * (count - 1) + size;
  if (end > (view.byteLength as number))
    fail('length', `${where} needs ${end} bytes of buffer view ${index}, which has ${view.byteLength}`);
}
