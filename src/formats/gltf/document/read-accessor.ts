// SPDX-License-Identifier: MIT
import type { Accessor } from '@gltf-transform/core';
import { MAX_COORDINATE } from '../../../core/model/mesh/coordinate-limit.ts';
import { readFloats, type StoredArray, type StoredValues } from '../../../deformers/layout/index.ts';
import { arrayOf } from './gltf-graph.ts';

/** The numbers of an accessor in their stored type, not copied. */
export function storedArrayOf(accessor: Accessor): StoredArray {
  const values = arrayOf(accessor) as StoredValues;
  return { type: accessor.getType(), values, normalized: accessor.getNormalized() };
}

/** Floats converted from integers, by source array: meshes that are drawn by many nodes are converted once. */
const converted = new WeakMap<StoredValues, Float32Array>();

/** The numbers of an accessor as floats; normalized integers are converted to [-1, 1]. Arrays are shared: do not write to them. */
export function floatsOf(accessor: Accessor): Float32Array {
  const stored = storedArrayOf(accessor);
  const known = converted.get(stored.values);
  if (known) return known;
  const floats = readFloats(stored);
  if (floats !== stored.values) converted.set(stored.values, floats);
  return floats;
}

// The bits of a positive float, read as an integer, are in the order of the floats; infinity and NaN come last. Integers are
// compared because code that was just loaded allocates memory for every float.
const SIZE_BITS = 0x7fffffff;
const INFINITY_BITS = 0x7f800000;
/** The first float beyond the limit. */
const RANGE_BITS = new Int32Array(Float32Array.of(MAX_COORDINATE).buffer)[0] + 1;

const bitsOf = ({ buffer, byteOffset, length }: Float32Array): Int32Array => new Int32Array(buffer, byteOffset, length);

/** Index of the first number that is not finite, or -1. */
export function findNotFinite(values: Float32Array): number {
  return findFrom(values, INFINITY_BITS);
}

/** The place of the first number that is not finite or larger than a coordinate may be, or -1. */
export function findOutOfRange(values: Float32Array): number {
  return findFrom(values, RANGE_BITS);
}

function findFrom(values: Float32Array, least: number): number {
  const bits = bitsOf(values);
  for (let c = 0; c < bits.length; c++) if ((bits[c] & SIZE_BITS) >= least) return c;
  return -1;
}

/** Sets numbers that are not finite to zero, in place; returns their number. */
export function zeroNotFinite(values: Float32Array): number {
  const bits = bitsOf(values);
  let count = 0;
  for (let c = 0; c < bits.length; c++) {
    if ((bits[c] & SIZE_BITS) < INFINITY_BITS) continue;
    bits[c] = 0;
    count++;
  }
  return count;
}

/** Maximum absolute value; infinity or NaN if a number is not finite. */
export function measureLargest(values: Float32Array): number {
  const bits = bitsOf(values);
  let largest = 0;
  for (let c = 0; c < bits.length; c++) {
    const size = bits[c] & SIZE_BITS;
    if (size > largest) largest = size;
  }
  return new Float32Array(Int32Array.of(largest).buffer)[0];
}

/** The integers of an accessor of indices or joints. Do not write to them. */
export function integersOf(accessor: Accessor): Uint8Array | Uint16Array | Uint32Array {
  return arrayOf(accessor) as Uint8Array | Uint16Array | Uint32Array;
}
