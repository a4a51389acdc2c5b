// SPDX-License-Identifier: MIT

export type StoredValues = Int8Array | Uint8Array | Int16Array | Uint16Array | Uint32Array | Float32Array;

/** The numbers of an accessor, in the type in which the file stores them, element after element. */
export interface StoredArray {
  /** glTF accessor type: SCALAR, VEC2, VEC3, VEC4 … */
  type: string;
  values: StoredValues;
  /** Whether integers mean parts of one. */
  normalized: boolean;
}

/** The integer that means one, by bytes per number, for signed and unsigned types. */
const SIGNED_ONE = [0, 127, 32767];
const UNSIGNED_ONE = [0, 255, 65535, 0, 4294967295];

/** The numbers as floats. Those that are floats already are returned as they are; they are not to be written. */
export function readFloats({ values, normalized }: Pick<StoredArray, 'values' | 'normalized'>): Float32Array {
  if (values instanceof Float32Array) return values;
  if (!normalized) return Float32Array.from(values);
  const isSigned = values instanceof Int8Array || values instanceof Int16Array;
  const scale = 1 / (isSigned ? SIGNED_ONE : UNSIGNED_ONE)[values.BYTES_PER_ELEMENT];
  const out = new Float32Array(values.length);
  // The most negative integer means -1 as well.
  for (let c = 0; c < out.length; c++) out[c] = Math.max(values[c] * scale, -1);
  return out;
}
