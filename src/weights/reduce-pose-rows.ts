// SPDX-License-Identifier: MIT
import { factorCholesky } from '../solve/dense-cholesky.ts';

/** Pivots below this ratio of the largest diagonal entry are rounding errors of dependent poses. */
const PIVOT_FLOOR = 1e-13;

/**
 * Reduces poses to as many rows as columns: with BᵀB = LLᵀ, |Bx| = |Lᵀx| for every x, so Lᵀ can replace B if only such lengths are used. Fewer rows
 * are returned unchanged.
 * @param bones rows x 4 boneCount, from normalizePoses
 */
export function reducePoseRows(bones: Float64Array, boneCount: number): Float64Array {
  const columns = 4 * boneCount;
  const rows = bones.length / columns;
  if (rows <= columns) return bones;
  const gram = new Float64Array(columns * columns);
  let largest = 0;
  for (let row = 0; row < rows; row++) {
    const o = row * columns;
    for (let a = 0; a < columns; a++) {
      const x = bones[o + a];
      if (x === 0) continue;
      for (let b = 0; b <= a; b++) gram[a * columns + b] += x * bones[o + b];
    }
  }
  for (let a = 0; a < columns; a++) largest = Math.max(largest, gram[a * columns + a]);
  if (!(largest > 0)) return bones.slice(0, columns);
  factorCholesky(gram, columns, PIVOT_FLOOR * largest);
  const reduced = new Float64Array(columns * columns);
  for (let a = 0; a < columns; a++) for (let b = 0; b <= a; b++) reduced[b * columns + a] = gram[a * columns + b];
  return reduced;
}
