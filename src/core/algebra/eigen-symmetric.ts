// SPDX-License-Identifier: MIT
// All eigenvalues and eigenvectors of a dense symmetric matrix: Householder reflections to tridiagonal form, then implicit QL steps with Wilkinson's
// shift (G. H. Golub and C. F. Van Loan, Matrix Computations, §8.3). O(n³), for the few hundred unknowns of reduced problems.
//
// Tridiagonal form: for k = n − 1 … 1 the reflection I − u uᵀ/h with u = row k up to column k − 1, shifted by ±|row| in its last place, reduces that
// row to one number e_k. A ← (I − uuᵀ/h) A (I − uuᵀ/h) = A − u qᵀ − q uᵀ, q = A u/h − u (uᵀA u)/(2h²).
// QL: plane rotations chase the shifted matrix's bulge upwards until an off-diagonal number is negligible relative to its diagonal neighbours.

const MAX_STEPS_PER_VALUE = 60;
/** Steps after which what is negligible relative to the whole matrix is too: beside values that are rounding errors of larger ones, numbers may never become small. */
const PATIENCE = 30;
/** Maximum number of values that are sorted by insertion. */
const MAX_INSERTED = 32;

export interface EigenResult {
  /** size, falling */
  values: Float64Array;
  /** size x size, row n the unit eigenvector of values[n] */
  vectors: Float64Array;
}

/**
 * Eigenvalues and eigenvectors of a symmetric matrix.
 * @param matrix size x size; only read
 */
export function eigenSymmetric(matrix: Float64Array, size: number): EigenResult {
  const a = copyFinite(matrix, size);
  const d = new Float64Array(size);
  const e = new Float64Array(size);
  const heights = new Float64Array(size);
  tridiagonalize(a, size, d, e, heights);
  const z = listRows(a, size, heights);
  turnToDiagonal(d, e, z, size);
  const order = sortFalling(d);
  const values = new Float64Array(size);
  const vectors = new Float64Array(size * size);
  for (let n = 0; n < size; n++) {
    const from = order[n] * size;
    values[n] = d[order[n]];
    // a fixed sign, so that equal matrices give equal vectors: the largest component is positive
    let top = 0;
    for (let c = 1; c < size; c++) if (Math.abs(z[from + c]) > Math.abs(z[from + top])) top = c;
    const sign = z[from + top] < 0 ? -1 : 1;
    for (let c = 0; c < size; c++) vectors[n * size + c] = sign * z[from + c];
  }
  return { values, vectors };
}

/** The eigenvalues alone, falling: the same numbers. */
export function eigenValues(matrix: Float64Array, size: number): Float64Array {
  const a = copyFinite(matrix, size);
  const d = new Float64Array(size);
  const e = new Float64Array(size);
  tridiagonalize(a, size, d, e, new Float64Array(size));
  turnToDiagonal(d, e, undefined, size);
  return d.sort().reverse();
}

function copyFinite(matrix: Float64Array, size: number): Float64Array {
  const a = matrix.slice(0, size * size);
  for (let n = 0; n < a.length; n++)
    if (!Number.isFinite(a[n])) throw new Error('eigenSymmetric: the matrix contains numbers that are not finite');
  return a;
}

/** Places of numbers, the largest first; of equal ones the first. */
function sortFalling(d: Float64Array): Uint32Array {
  const order = new Uint32Array(d.length);
  for (let n = 0; n < d.length; n++) order[n] = n;
  if (d.length > MAX_INSERTED) return order.sort((p, q) => d[q] - d[p] || p - q);
  for (let n = 1; n < d.length; n++) {
    let at = n;
    for (; at > 0 && d[order[at - 1]] < d[n]; at--) order[at] = order[at - 1];
    order[at] = n;
  }
  return order;
}

/** Fills the diagonal d and the numbers e[k] beside it. The reflections are left in the rows of a, and their h in heights. */
function tridiagonalize(a: Float64Array, size: number, d: Float64Array, e: Float64Array, heights: Float64Array): void {
  const q = new Float64Array(size);
  for (let k = size - 1; k > 0; k--) {
    let square = 0;
    for (let c = 0; c < k; c++) square += a[k * size + c] ** 2;
    const last = a[k * size + k - 1];
    // a row that is tridiagonal already needs no reflection
    if (square - last * last <= Number.MIN_VALUE) {
      e[k] = last;
      continue;
    }
    e[k] = last > 0 ? -Math.sqrt(square) : Math.sqrt(square);
    const h = square - last * e[k];
    a[k * size + k - 1] = last - e[k];
    heights[k] = h;
    let uq = 0;
    for (let r = 0; r < k; r++) {
      let sum = 0;
      for (let c = 0; c <= r; c++) sum += a[r * size + c] * a[k * size + c];
      for (let c = r + 1; c < k; c++) sum += a[c * size + r] * a[k * size + c];
      q[r] = sum / h;
      uq += q[r] * a[k * size + r];
    }
    const half = uq / (2 * h);
    for (let r = 0; r < k; r++) q[r] -= half * a[k * size + r];
    for (let r = 0; r < k; r++) {
      const u = a[k * size + r];
      for (let c = 0; c <= r; c++) a[r * size + c] -= u * q[c] + q[r] * a[k * size + c];
    }
  }
  for (let k = 0; k < size; k++) d[k] = a[k * size + k];
}

/** The rows of the orthogonal Z with Z A Zᵀ tridiagonal. */
function listRows(a: Float64Array, size: number, heights: Float64Array): Float64Array {
  // A = H_{n−1} … H_1 T H_1 … H_{n−1}: row n of Z starts as a unit vector; the reflections are applied from the first to the last
  const z = new Float64Array(size * size);
  for (let n = 0; n < size; n++) z[n * size + n] = 1;
  for (let k = 1; k < size; k++) {
    const h = heights[k];
    if (h === 0) continue;
    for (let n = 0; n < k; n++) {
      let sum = 0;
      for (let c = 0; c < k; c++) sum += z[n * size + c] * a[k * size + c];
      sum /= h;
      for (let c = 0; c < k; c++) z[n * size + c] -= sum * a[k * size + c];
    }
  }
  return z;
}

function turnToDiagonal(d: Float64Array, e: Float64Array, z: Float64Array | undefined, size: number): void {
  for (let k = 1; k < size; k++) e[k - 1] = e[k];
  if (size > 0) e[size - 1] = 0;
  let largest = 0;
  for (let k = 0; k < size; k++) largest = Math.max(largest, Math.abs(d[k]) + Math.abs(e[k]));
  for (let l = 0; l < size; l++) {
    for (let step = 0; ; step++) {
      const least = step < PATIENCE ? 0 : Number.EPSILON * largest;
      let m = l;
      while (m + 1 < size && Math.abs(e[m]) > Math.max(least, Number.EPSILON * (Math.abs(d[m]) + Math.abs(d[m + 1]))))
        m++;
      if (m === l) break;
      if (step === MAX_STEPS_PER_VALUE) throw new Error('eigenSymmetric: no convergence');
      const g0 = (d[l + 1] - d[l]) / (2 * e[l]);
      const r0 = hypotenuse(g0, 1);
      let g = d[m] - d[l] + e[l] / (g0 + (g0 >= 0 ? r0 : -r0));
      let s = 1;
      let c = 1;
      let p = 0;
      let broken = false;
      for (let i = m - 1; i >= l; i--) {
        const f = s * e[i];
        const b = c * e[i];
        const r = hypotenuse(f, g);
        e[i + 1] = r;
        if (r === 0) {
          d[i + 1] -= p;
          e[m] = 0;
          broken = true;
          break;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        const t = (d[i] - g) * s + 2 * c * b;
        p = s * t;
        d[i + 1] = g + p;
        g = c * t - b;
        if (z) turnRows(z, i * size, size, s, c);
      }
      if (broken) continue;
      d[l] -= p;
      e[l] = g;
      e[m] = 0;
    }
  }
}

/** Turns two rows that follow one another. */
function turnRows(z: Float64Array, begin: number, size: number, s: number, c: number): void {
  for (let n = begin; n < begin + size; n++) {
    const x = z[n + size];
    const y = z[n];
    z[n + size] = s * y + c * x;
    z[n] = c * y - s * x;
  }
}

/** √(x² + y²) without overflow: Math.hypot, which takes longer, as it accepts any number of arguments. */
function hypotenuse(x: number, y: number): number {
  const p = Math.abs(x);
  const q = Math.abs(y);
  const largest = Math.max(p, q);
  if (largest === 0) return 0;
  const a = p / largest;
  const b = q / largest;
  return Math.sqrt(a * a + b * b) * largest;
}
