// SPDX-License-Identifier: MIT
// OSSIFY_skin_light, versions 1 and 2: components of the light on vertices, and their coefficients over time, as stored in accessors.
// docs/formats/extensions/OSSIFY_skin_light.md is the specification.

import { type SkinLight, TERM_SIZE } from '../../core/model/deformed/skin-light.ts';

export const LIGHT_EXTENSION = 'OSSIFY_skin_light';
/** The version that is written. Version 1 has no light that depends on normals. */
export const LIGHT_EXTENSION_VERSION = 2;
/** Fields that are indices of accessors. */
export const LIGHT_FIELDS = ['basis', 'scales', 'times', 'values', 'colors'];
/** Numbers per element of the basis: eight bytes of shorts, since compressed elements need multiples of four. */
export const LIGHT_ELEMENT = 4;

/** The short number for one. */
const SHORT = 32767;

export interface PackedLight {
  /** rank x vertexCount x channels, and zeros to a multiple of LIGHT_ELEMENT; shorts are relative to the component's scale */
  values: Float32Array<ArrayBuffer> | Int16Array<ArrayBuffer>;
  /** rank: the scale of each component; absent for floats */
  scales?: Float32Array<ArrayBuffer>;
}

/** The light of unshadowed surfaces as JSON fields of the extension. */
export function packUnshadowedLight({ terms, unshadowed }: Pick<SkinLight, 'terms' | 'unshadowed'>): object {
  if (unshadowed) return { unshadowed: Array.from(unshadowed) };
  if (!terms) return {};
  return {
    terms: Array.from({ length: terms.length / TERM_SIZE }, (_, t) => {
      const numbers = Array.from(terms.subarray(t * TERM_SIZE, (t + 1) * TERM_SIZE));
      return { harmonics: numbers.slice(0, 27), direction: numbers.slice(27, 30), color: numbers.slice(30) };
    }),
  };
}

/**
 * Packs the components of some vertices.
 * @param basis rank x all vertices x channels
 * @param start first number of each component
 * @param length numbers per component: vertices x channels
 */
export function packLightBasis(
  basis: Float32Array,
  rank: number,
  start: number,
  length: number,
  quantize = false,
): PackedLight {
  const stride = basis.length / rank;
  const padded = LIGHT_ELEMENT * Math.ceil((rank * length) / LIGHT_ELEMENT);
  const rowOf = (r: number): Float32Array => basis.subarray(r * stride + start, r * stride + start + length);
  if (!quantize) {
    const values = new Float32Array(padded);
    for (let r = 0; r < rank; r++) values.set(rowOf(r), r * length);
    return { values };
  }
  const values = new Int16Array(padded);
  const scales = new Float32Array(rank);
  for (let r = 0; r < rank; r++) {
    const row = rowOf(r);
    scales[r] = row.reduce((max, x) => Math.max(max, Math.abs(x)), 0);
    if (scales[r] > 0)
      for (let c = 0; c < length; c++) values[r * length + c] = Math.round((row[c] / scales[r]) * SHORT);
  }
  return { values, scales };
}
