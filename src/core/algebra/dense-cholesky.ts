// SPDX-License-Identifier: MIT
// Cholesky factorization A = L Lᵀ of small dense symmetric positive matrices, in place, without allocation:
//   l_jj = √(a_jj − Σ_c l_jc²),  l_ij = (a_ij − Σ_c l_ic l_jc) / l_jj for i > j, the sums over c < j.
// A pivot (the number under the root) that is not above a floor is raised to it. Adding to the diagonal is the smallest change with which the factorization
// can continue; directions in which A has no curvature get the curvature of the floor.

/**
 * Factors a symmetric matrix in place. Only the lower triangle is read and written. Returns the number of pivots that were raised to the floor: zero means
 * that the factor is exact.
 * @param a size x size, row-major: the matrix, then L
 * @param pivotFloor above zero; the scale of rounding errors in the matrix, such as 1e-12 times its largest diagonal entry
 * @param stride from one row to the next; default: size; larger for part of a larger matrix
 */
export function factorCholesky(a: Float64Array, size: number, pivotFloor: number, stride = size): number {
  if (!(pivotFloor > 0)) throw new Error(`factorCholesky: pivotFloor must be above zero, got ${pivotFloor}`);
  let raised = 0;
  for (let j = 0; j < size; j++) {
    const rowJ = j * stride;
    let pivot = a[rowJ + j];
    for (let c = 0; c < j; c++) pivot -= a[rowJ + c] * a[rowJ + c];
    if (!(pivot > pivotFloor)) {
      pivot = pivotFloor;
      raised++;
    }
    const root = Math.sqrt(pivot);
    const inverse = 1 / root;
    a[rowJ + j] = root;
    let i = j + 1;
    // four rows at a time: their sums do not wait for one another
    for (; i + 4 <= size; i += 4) {
      const r0 = i * stride;
      const r1 = r0 + stride;
      const r2 = r1 + stride;
      const r3 = r2 + stride;
      let s0 = a[r0 + j];
      let s1 = a[r1 + j];
      let s2 = a[r2 + j];
      let s3 = a[r3 + j];
      for (let c = 0; c < j; c++) {
        const v = a[rowJ + c];
        s0 -= a[r0 + c] * v;
        s1 -= a[r1 + c] * v;
        s2 -= a[r2 + c] * v;
        s3 -= a[r3 + c] * v;
      }
      a[r0 + j] = s0 * inverse;
      a[r1 + j] = s1 * inverse;
      a[r2 + j] = s2 * inverse;
      a[r3 + j] = s3 * inverse;
    }
    for (; i < size; i++) {
      const rowI = i * stride;
      let sum = a[rowI + j];
      for (let c = 0; c < j; c++) sum -= a[rowI + c] * a[rowJ + c];
      a[rowI + j] = sum * inverse;
    }
  }
  return raised;
}

/**
 * Solves L Lᵀ x = b in place.
 * @param l size x size, row-major, from factorCholesky
 * @param b size: the right-hand side, then the solution
 */
export function solveCholesky(l: Float64Array, size: number, b: Float64Array, stride = size, bOffset = 0): void {
  for (let i = 0; i < size; i++) {
    const row = i * stride;
    let sum = b[bOffset + i];
    for (let c = 0; c < i; c++) sum -= l[row + c] * b[bOffset + c];
    b[bOffset + i] = sum / l[row + i];
  }
  // backward by rows of L, so that memory is read in order: each solved unknown is eliminated from those before it
  for (let i = size - 1; i >= 0; i--) {
    const row = i * stride;
    const x = b[bOffset + i] / l[row + i];
    b[bOffset + i] = x;
    for (let c = 0; c < i; c++) b[bOffset + c] -= l[row + c] * x;
  }
}
