// SPDX-License-Identifier: MIT
// D. L. James, C. D. Twigg, "Skinning mesh animations", ACM Transactions on Graphics 24(3), 2005, doi:10.1145/1073204.1073206; Course 2014, §3.3.
//
//   Eq. 37   the k bones with the smallest error of a single bone: eᵢⱼ is the diagonal of H
//   Eq. 40   weights by non-negative least squares of [cA; 1 … 1] w = [cb; 1], c = 1/|b|, then scaled to sum to one;
//            on normal equations c²AᵀA + 11ᵀ and c²Aᵀb + 1, where AᵀA = ⟨N, X⟩ and Aᵀb = g of the quadratic (error-quadratics.ts)
// As published, for comparison: if the k bones move alike, the solve keeps few of them. exchange-weights.ts has a smaller error at the same cost.
import { makeNnlsSolver } from '../../../core/algebra/nnls.ts';
import type { ErrorQuadratics } from '../objective/error-quadratics.ts';
import { makeRows, type WeightRows } from '../weight-problem.ts';

/** Reduces weights to at most `influences` bones per point, with poses. */
export function geometricWeights(quadratics: ErrorQuadratics, influences: number): WeightRows {
  const { pointCount: n, boneCount: m } = quadratics;
  const width = Math.min(influences, m);
  const diagonal = new Float64Array(m);
  const linear = new Float64Array(m);
  const row = new Float64Array(m);
  const order = Array.from({ length: m }, (_, j) => j);
  const columns = new Uint32Array(n * width);
  const values = new Float64Array(n * width);
  const h = new Float64Array(width * width);
  const f = new Float64Array(width);
  const x = new Float64Array(width);
  const solver = makeNnlsSolver(width);
  for (let i = 0; i < n; i++) {
    quadratics.diagonalInto(i, diagonal);
    quadratics.linearInto(i, linear);
    order.sort((a, b) => diagonal[a] - diagonal[b] || a - b);
    const square = quadratics.squareOf(i);
    const scale = square > 0 ? 1 / square : 1;
    for (let a = 0; a < width; a++) {
      quadratics.plainRowInto(i, order[a], row);
      for (let b = 0; b < width; b++) h[a * width + b] = scale * row[order[b]] + 1;
      f[a] = scale * linear[order[a]] + 1;
    }
    x.fill(0);
    solver.solveInto(h, f, x);
    for (let a = 0; a < width; a++) {
      columns[i * width + a] = order[a];
      values[i * width + a] = x[a];
    }
    if (!x.some((w) => w > 0)) values[i * width] = 1;
  }
  return makeRows(columns, values, width);
}
