// SPDX-License-Identifier: MIT
import type { GLTF } from '@gltf-transform/core';
import { jsonAccessor, jsonView } from '../document/gltf-json.ts';
import { COMPONENT_BYTES, TYPE_SIZE } from './check-gltf-data.ts';

export type AccessorArray = Int8Array | Uint8Array | Int16Array | Uint16Array | Uint32Array | Float32Array;

const ARRAYS: Readonly<Record<number, new (buffer: ArrayBuffer) => AccessorArray>> = {
  5120: Int8Array,
  5121: Uint8Array,
  5122: Int16Array,
  5123: Uint16Array,
  5125: Uint32Array,
  5126: Float32Array,
};

/** The numbers of an accessor of a document that was just written: one buffer, no sparse values. Copied, without padding. */
export function readJsonAccessor(json: GLTF.IGLTF, binary: Uint8Array, index: number): AccessorArray {
  const { type, componentType, count, byteOffset = 0, bufferView } = jsonAccessor(json, index);
  const width = TYPE_SIZE[type] * COMPONENT_BYTES[componentType];
  const bytes = new Uint8Array(count * width);
  if (bufferView !== undefined) {
    const view = jsonView(json, bufferView);
    const start = (view.byteOffset ?? 0) + byteOffset;
    const stride = view.byteStride ?? width;
    for (let n = 0; n < count; n++)
      bytes.set(binary.subarray(start + n * stride, start + n * stride + width), n * width);
  }
  return new ARRAYS[componentType](bytes.buffer);
}

/** The same as floats; normalized integers are converted to [-1, 1]. */
export function readJsonFloats(json: GLTF.IGLTF, binary: Uint8Array, index: number): Float32Array {
  const values = readJsonAccessor(json, binary, index);
  if (values instanceof Float32Array) return values;
  const { normalized, componentType } = jsonAccessor(json, index);
  const bits = 8 * COMPONENT_BYTES[componentType];
  const isSigned = componentType === 5120 || componentType === 5122;
  const largest = normalized ? 2 ** (isSigned ? bits - 1 : bits) - 1 : 1;
  return Float32Array.from(values, (x) => Math.max(-1, x / largest));
}
