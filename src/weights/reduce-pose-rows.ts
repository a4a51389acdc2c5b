// SPDX-License-Identifier: MIT
import { factorCholesky } from '../solve/dense-cholesky.ts';

/** Pivots below this part of the largest diagonal entry are rounding: poses that depend on others. */
const PIVOT_FLOOR = 1e-13;

/**
 * As many rows as columns for poses that are more: with BᵀB = LLᵀ, |Bx| = |Lᵀx| for every x, so Lᵀ stands for B wherever only such lengths are looked at. Fewer rows
 * come back as they are.
 * @param bones rows x 4 boneCount, as normalizePoses makes them
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
