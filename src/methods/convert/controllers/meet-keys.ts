// SPDX-License-Identifier: MIT
// Least squares with equality constraints: given the solution x of min |y − A x|² + μ|x|², the solution with K x = d is
//   x + G⁻¹Kᵀ (K G⁻¹Kᵀ)⁻¹ (d − K x),   G = AᵀA + μI,
// the smallest change of the fit that meets the keys.

import { factorCholesky, solveCholesky } from '../../../core/algebra/dense-cholesky.ts';
import { CONTROLLER_OUTPUTS } from '../../../core/model/deformed/helper-bones.ts';
import type { KeyPose } from './given-controller.ts';

/** Regularization relative to the mean square of the terms: a few poses do not determine all of them. */
const RIDGE = 1e-6;
/** The same for keys, which may contradict each other. */
const KEY_RIDGE = 1e-10;
const PIVOT_FLOOR = 1e-14;

/**
 * Changes coefficients such that the outputs in key poses are the given ones; keys that contradict each other are met as closely as possible. In place.
 * @param coefficients 9 x columns
 * @param rows rowCount x columns: the terms of the training poses
 * @param keyRows keys x columns
 */
export function meetKeys(
  coefficients: Float64Array,
  rows: Float64Array,
  columns: number,
  keyRows: Float64Array,
  keys: readonly KeyPose[],
): void {
  const gram = new Float64Array(columns * columns);
  for (const part of [rows, keyRows])
    for (let o = 0; o < part.length; o += columns)
      for (let a = 0; a < columns; a++) for (let b = 0; b <= a; b++) gram[a * columns + b] += part[o + a] * part[o + b];
  let trace = 0;
  for (let a = 0; a < columns; a++) trace += gram[a * columns + a];
  for (let a = 0; a < columns; a++) gram[a * columns + a] += (RIDGE * trace) / columns + Number.MIN_VALUE;
  factorCholesky(gram, columns, PIVOT_FLOOR);
  // G⁻¹Kᵀ, a row per key
  const spread = keyRows.slice();
  for (let k = 0; k < keys.length; k++) solveCholesky(gram, columns, spread.subarray(k * columns, (k + 1) * columns));
  for (let c = 0; c < CONTROLLER_OUTPUTS; c++) {
    const used = [...keys.keys()].filter((k) => !Number.isNaN(keys[k].outputs[c]));
    if (used.length === 0) continue;
    const own = coefficients.subarray(c * columns, (c + 1) * columns);
    const dot = (a: Float64Array, b: Float64Array, k: number, l: number): number => {
      let sum = 0;
      for (let e = 0; e < columns; e++) sum += a[k * columns + e] * b[l * columns + e];
      return sum;
    };
    const system = Float64Array.from({ length: used.length ** 2 }, (_, e) =>
      dot(keyRows, spread, used[Math.floor(e / used.length)], used[e % used.length]),
    );
    for (let k = 0; k < used.length; k++) system[k * used.length + k] *= 1 + KEY_RIDGE;
    const missing = Float64Array.from(used, (k) => keys[k].outputs[c] - dot(keyRows, own, k, 0));
    factorCholesky(system, used.length, PIVOT_FLOOR);
    solveCholesky(system, used.length, missing);
    used.forEach((k, n) => {
      for (let e = 0; e < columns; e++) own[e] += missing[n] * spread[k * columns + e];
    });
  }
}
