// SPDX-License-Identifier: MIT
// R. Tibshirani, "Regression shrinkage and selection via the lasso", J. R. Statist. Soc. B 58(1), 1996, for unknowns that are not negative:
//   min over x ≥ 0 of |y − A x|² + β Σ xₖ.
// There the penalty is linear, so this is non-negative least squares with AᵀA and the right-hand side Aᵀy − β/2: active sets (nnls.ts) reach the exact minimum
// in a few small systems, whereas coordinate descent (lasso.ts) converges slowly for similar columns, such as bones.
//
// The penalty selects unknowns and also shrinks them; `refit` then solves the selected ones again without it (the relaxed lasso,
// N. Meinshausen, Comput. Stat. Data Anal. 52(1), 2007).
import { makeNnlsSolver } from '../../../core/algebra/nnls.ts';

export interface L1Solver {
  readonly maxSize: number;
  /**
   * Solves, starting at x.
   * @param gram size x size: AᵀA
   * @param linear size: Aᵀy
   * @param penalty β
   * @param x size: start and result
   * @param refit solves the unknowns above zero again, without the penalty
   */
  solveInto(gram: Float64Array, linear: Float64Array, penalty: number, x: Float64Array, refit?: boolean): void;
}

/** Makes a solver for up to maxSize unknowns; solving allocates nothing. */
export function makeL1Solver(maxSize: number): L1Solver {
  const nnls = makeNnlsSolver(maxSize);
  const right = new Float64Array(maxSize);
  const members = new Int32Array(maxSize);
  const part = new Float64Array(maxSize * maxSize);
  const values = new Float64Array(maxSize);
  const solveInto: L1Solver['solveInto'] = (gram, linear, penalty, x, refit = false) => {
    const size = linear.length;
    if (gram.length !== size * size) throw new Error(`l1: a Gram matrix of ${size} x ${size} expected`);
    if (!(penalty >= 0)) throw new Error(`l1: the penalty must not be negative, got ${penalty}`);
    for (let k = 0; k < size; k++) right[k] = linear[k] - penalty / 2;
    nnls.solveInto(gram, right, x, size);
    if (!refit || penalty === 0) return;
    let count = 0;
    for (let k = 0; k < size; k++) if (x[k] > 0) members[count++] = k;
    for (let a = 0; a < count; a++) {
      right[a] = linear[members[a]];
      values[a] = x[members[a]];
      for (let b = 0; b < count; b++) part[a * count + b] = gram[members[a] * size + members[b]];
    }
    if (count > 0) nnls.solveInto(part, right, values, count);
    for (let a = 0; a < count; a++) x[members[a]] = values[a];
  };
  return { maxSize, solveInto };
}
