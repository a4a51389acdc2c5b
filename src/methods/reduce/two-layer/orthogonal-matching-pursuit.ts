// SPDX-License-Identifier: MIT
// J. A. Tropp, A. C. Gilbert, "Signal recovery from random measurements via orthogonal matching pursuit", IEEE Transactions on Information Theory 53(12), 2007;
// Course 2014, Algorithm 6, with its line 5 corrected: coefficients are the least squares of x itself on the active atoms, a = (DᵀD)⁻¹Dᵀx, r = x − Da.
import { factorCholesky, solveCholesky } from '../../../core/algebra/dense-cholesky.ts';
import { strongestAtom } from './matching-pursuit.ts';

/** Stops when the residual is below this ratio of x. */
const MIN_CORRELATION = 1e-12;
const PIVOT_FLOOR = 1e-12;

/**
 * Approximates x by at most `most` atoms, with the residual orthogonal to the chosen ones. Returns the coefficients, atomCount of them.
 * @param atoms atomCount x size, each of unit length
 * @param x size
 */
export function orthogonalMatchingPursuit(atoms: Float64Array, x: ArrayLike<number>, maxAtoms: number): Float64Array {
  const size = x.length;
  const a = new Float64Array(atoms.length / size);
  const residual = Float64Array.from(x);
  const norm = Math.sqrt(residual.reduce((sum, r) => sum + r * r, 0));
  const active: number[] = [];
  while (active.length < maxAtoms) {
    const { atom, dot } = strongestAtom(atoms, residual);
    if (atom < 0 || !(Math.abs(dot) > MIN_CORRELATION * norm) || active.includes(atom)) break;
    active.push(atom);
    const count = active.length;
    const gram = new Float64Array(count * count);
    const rhs = new Float64Array(count);
    for (let p = 0; p < count; p++) {
      for (let q = 0; q <= p; q++)
        for (let c = 0; c < size; c++) gram[p * count + q] += atoms[active[p] * size + c] * atoms[active[q] * size + c];
      for (let c = 0; c < size; c++) rhs[p] += atoms[active[p] * size + c] * x[c];
    }
    factorCholesky(gram, count, PIVOT_FLOOR);
    solveCholesky(gram, count, rhs);
    for (let c = 0; c < size; c++) {
      residual[c] = x[c];
      for (let p = 0; p < count; p++) residual[c] -= rhs[p] * atoms[active[p] * size + c];
    }
    for (let p = 0; p < count; p++) a[active[p]] = rhs[p];
  }
  return a;
}
