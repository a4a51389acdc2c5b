// SPDX-License-Identifier: MIT
// Projections of weights. Onto the simplex: y ≥ 0, Σy = 1, nearest to x (J. Duchi et al. 2008), by dropping values below the common shift until there are none.
// Onto the coordinates of a cage: Σy = 1 and Σ yⱼcⱼ = v, with any sign: y = x + Cᵀ(CCᵀ)⁻¹(b − Cx) with C the 4 x k matrix of positions and ones.
import { factorCholesky, solveCholesky } from '../../core/algebra/dense-cholesky.ts';

/** Projects the values from `from` to `to` onto the simplex, in place. */
export function projectSimplex(values: Float64Array, from: number, to: number): void {
  let count = to - from;
  let sum = 0;
  for (let e = from; e < to; e++) sum += values[e];
  let shift = (sum - 1) / count;
  for (;;) {
    let left = 0;
    let kept = 0;
    for (let e = from; e < to; e++) {
      if (values[e] <= shift) continue;
      left += values[e];
      kept++;
    }
    if (kept === count || kept === 0) break;
    count = kept;
    shift = (left - 1) / count;
  }
  for (let e = from; e < to; e++) values[e] = Math.max(0, values[e] - shift);
}

/** Positions of the vertices of a cage, and of the points in it: x y z each. */
export interface CagePositions {
  vertices: Float64Array;
  points: Float64Array;
}

/** Projects the values of point i from `from` to `to`, in place. */
export type CageProjection = (
  values: Float64Array,
  columns: Uint32Array,
  from: number,
  to: number,
  i: number,
) => boolean;

/** Ridge of CCᵀ relative to its largest entry: fewer than four positions, or coplanar ones, do not span space. */
const RIDGE = 1e-9;
/** Maximum weight: larger ones occur if the positions are nearly coplanar and the point is off the plane. Chosen by hand. */
const LARGEST = 4;

/** Makes the projection onto weights that reproduce a point's position; it returns false and changes nothing if the support cannot. */
export function makeProjection({ vertices, points }: CagePositions, most: number): CageProjection {
  const matrix = new Float64Array(16);
  const rhs = new Float64Array(4);
  const old = new Float64Array(most);
  const column = new Float64Array(4);
  column[3] = 1;
  return (values, columns, from, to, i) => {
    matrix.fill(0);
    for (let r = 0; r < 3; r++) rhs[r] = points[3 * i + r];
    rhs[3] = 1;
    for (let e = from; e < to; e++) {
      old[e - from] = values[e];
      for (let r = 0; r < 3; r++) column[r] = vertices[3 * columns[e] + r];
      for (let a = 0; a < 4; a++) {
        rhs[a] -= values[e] * column[a];
        for (let b = 0; b <= a; b++) matrix[4 * a + b] += column[a] * column[b];
      }
    }
    let most = 0;
    for (let a = 0; a < 4; a++) most = Math.max(most, matrix[5 * a]);
    for (let a = 0; a < 4; a++) matrix[5 * a] += RIDGE * most;
    factorCholesky(matrix, 4, RIDGE * most);
    solveCholesky(matrix, 4, rhs);
    let sum = 0;
    let largest = 0;
    for (let e = from; e < to; e++) {
      for (let r = 0; r < 3; r++) values[e] += rhs[r] * vertices[3 * columns[e] + r];
      values[e] += rhs[3];
      sum += values[e];
      largest = Math.max(largest, Math.abs(values[e]));
    }
    if (Math.abs(sum - 1) < 1e-3 && largest < LARGEST) return true;
    for (let e = from; e < to; e++) values[e] = old[e - from];
    return false;
  };
}
