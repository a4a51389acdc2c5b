// SPDX-License-Identifier: MIT
import type { Accessor } from '@gltf-transform/core';
import { readFloats, type StoredArray, type StoredValues } from '../extension/stored-array.ts';

/** The numbers of an accessor as the file stores them, without a copy. */
export function storedArrayOf(accessor: Accessor): StoredArray {
  const values = accessor.getArray() as StoredValues;
  return { type: accessor.getType(), values, normalized: accessor.getNormalized() };
}

/** Floats made of integers, by the array they were made of: meshes that many nodes draw are converted once. */
const converted = new WeakMap<StoredValues, Float32Array>();

/** The numbers of an accessor as floats, normalized integers as parts of one. Arrays are shared: not to be written. */
export function floatsOf(accessor: Accessor): Float32Array {
  const stored = storedArrayOf(accessor);
  const known = converted.get(stored.values);
  if (known) return known;
  const floats = readFloats(stored);
  if (floats !== stored.values) converted.set(stored.values, floats);
  return floats;
}

/** The place of the first number that is not finite, or -1. */
export function findNotFinite(values: Float32Array): number {
  // x - x is 0 for finite numbers and NaN for all others.
  for (let c = 0; c < values.length; c++) if (values[c] - values[c] !== 0) return c;
  return -1;
}

/** The whole numbers of an accessor of indices or joints. Not to be written. */
export function integersOf(accessor: Accessor): Uint8Array | Uint16Array | Uint32Array {
  return accessor.getArray() as Uint8Array | Uint16Array | Uint32Array;
}
