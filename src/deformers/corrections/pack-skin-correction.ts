// SPDX-License-Identifier: MIT
// OSSIFY_skin_correction, version 1: components of the displacements of a rest shape, and their coefficients over time, as stored in accessors.
// docs/formats/extensions/OSSIFY_skin_correction.md is the specification.

export const CORRECTION_EXTENSION = 'OSSIFY_skin_correction';
export const CORRECTION_EXTENSION_VERSION = 1;
/** Fields that are indices of accessors. */
export const CORRECTION_FIELDS = [
  ...['basis', 'scales', 'times', 'values', 'normalBasis', 'normalScales', 'normalValues'],
];

/** The short number for one. */
const SHORT = 32767;

export interface PackedComponents {
  /** rank x vertexCount x 3; shorts are relative to the component's scale */
  values: Float32Array<ArrayBuffer> | Int16Array<ArrayBuffer>;
  /** rank: the scale of each component, file units; absent for floats */
  scales?: Float32Array<ArrayBuffer>;
}

/**
 * Packs the components of some vertices.
 * @param basis rank x all vertices x 3
 */
export function packComponents(
  basis: Float32Array,
  rank: number,
  vertexStart: number,
  vertexCount: number,
  quantize = false,
): PackedComponents {
  const stride = rank > 0 ? basis.length / rank : 0;
  const length = 3 * vertexCount;
  const rows = Array.from({ length: rank }, (_, r) =>
    basis.subarray(r * stride + 3 * vertexStart, r * stride + 3 * vertexStart + length),
  );
  if (!quantize) {
    const values = new Float32Array(rank * length);
    rows.forEach((row, r) => {
      values.set(row, r * length);
    });
    return { values };
  }
  const values = new Int16Array(rank * length);
  const scales = new Float32Array(rank);
  rows.forEach((row, r) => {
    scales[r] = row.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
    if (scales[r] > 0)
      for (let c = 0; c < length; c++) values[r * length + c] = Math.round((row[c] / scales[r]) * SHORT);
  });
  return { values, scales };
}

/** Packs coefficients, which are in [-1, 1], as floats or as shorts. */
export function packCoefficients(
  values: Float32Array,
  quantize = false,
): Float32Array<ArrayBuffer> | Int16Array<ArrayBuffer> {
  return quantize ? Int16Array.from(values, (x) => Math.round(x * SHORT)) : Float32Array.from(values);
}
