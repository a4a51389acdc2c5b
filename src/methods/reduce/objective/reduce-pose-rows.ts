// SPDX-License-Identifier: MIT
import { factorCholesky } from '../../../core/algebra/dense-cholesky.ts';

/** Pivots below this ratio of the largest diagonal entry are rounding errors of dependent poses. */
const PIVOT_FLOOR = 1e-13;

/** Poses in coordinates of the space that the bones span. */
export interface ReducedPoseRows {
  /** rows x 4 boneCount */
  bones: Float64Array;
  /** Fills the coordinates of the part of a target that is in that space; the rest of it is the same for all weights. */
  targetInto(target: Float64Array, out: Float64Array): void;
}

/**
 * Reduces poses to as many rows as columns: with BᵀB = LLᵀ, |Bx − v|² = |Lᵀx − L⁻¹Bᵀv|² + const for every x, so Lᵀ can replace B if only such differences are used. Fewer rows
 * are returned unchanged.
 * @param bones rows x 4 boneCount, from normalizePoses
 */
export function reducePoseRows(bones: Float64Array, boneCount: number): ReducedPoseRows {
  const columns = 4 * boneCount;
  const rows = bones.length / columns;
  if (rows <= columns) return { bones, targetInto: (target, out) => out.set(target) };
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
  if (!(largest > 0)) return { bones: bones.slice(0, columns), targetInto: (_, out) => out.fill(0) };
  factorCholesky(gram, columns, PIVOT_FLOOR * largest);
  const reduced = new Float64Array(columns * columns);
  for (let a = 0; a < columns; a++) for (let b = 0; b <= a; b++) reduced[b * columns + a] = gram[a * columns + b];
  return {
    bones: reduced,
    targetInto(target, out) {
      out.fill(0);
      for (let row = 0; row < rows; row++) {
        const v = target[row];
        for (let a = 0, o = row * columns; a < columns; a++) out[a] += v * bones[o + a];
      }
      for (let a = 0; a < columns; a++) {
        let sum = out[a];
        for (let b = 0; b < a; b++) sum -= gram[a * columns + b] * out[b];
        out[a] = sum / gram[a * columns + a];
      }
    },
  };
}
