// SPDX-License-Identifier: MIT

export type StoredValues = Int8Array | Uint8Array | Int16Array | Uint16Array | Uint32Array | Float32Array;

/** The numbers of an accessor in their stored type, without interleaving. */
export interface StoredArray {
  /** glTF accessor type: SCALAR, VEC2, VEC3, VEC4 … */
  type: string;
  values: StoredValues;
  /** Whether integers are normalized to [-1, 1] or [0, 1]. */
  normalized: boolean;
}

/** The integer for one, by bytes per number, for signed and unsigned types. */
const SIGNED_ONE = [0, 127, 32767];
const UNSIGNED_ONE = [0, 255, 65535, 0, 4294967295];

/** The numbers as floats. A Float32Array is returned unchanged; do not write to it. */
export function readFloats({ values, normalized }: Pick<StoredArray, 'values' | 'normalized'>): Float32Array {
  if (values instanceof Float32Array) return values;
  if (!normalized) return Float32Array.from(values);
  const isSigned = values instanceof Int8Array || values instanceof Int16Array;
  const scale = 1 / (isSigned ? SIGNED_ONE : UNSIGNED_ONE)[values.BYTES_PER_ELEMENT];
  const out = new Float32Array(values.length);
  // The most negative integer is -1 as well.
  for (let c = 0; c < out.length; c++) out[c] = Math.max(values[c] * scale, -1);
  return out;
}
