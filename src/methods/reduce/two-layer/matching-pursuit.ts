// SPDX-License-Identifier: MIT
// S. Mallat, Z. Zhang, "Matching pursuits with time-frequency dictionaries", IEEE Transactions on Signal Processing 41(12), 1993; Course 2014, Algorithm 5, with
// two corrections: atoms of unit length, and a limit on steps, since it may choose the same atom repeatedly.

/** Maximum number of steps per atom. */
const STEPS_PER_ATOM = 8;
/** Stops when the correlation of the residual with every atom is below this ratio of x. */
const MIN_CORRELATION = 1e-12;

/**
 * Approximates x by at most `most` atoms: x ≈ Σ aₖdₖ. Returns the coefficients, atomCount of them.
 * @param atoms atomCount x size, each of unit length
 * @param x size
 */
export function matchingPursuit(atoms: Float64Array, x: ArrayLike<number>, maxAtoms: number): Float64Array {
  const size = x.length;
  const count = atoms.length / size;
  const a = new Float64Array(count);
  const residual = Float64Array.from(x);
  const minDot = MIN_CORRELATION * Math.sqrt(residual.reduce((sum, r) => sum + r * r, 0));
  let used = 0;
  for (let step = 0; step < STEPS_PER_ATOM * maxAtoms; step++) {
    const { atom, dot } = strongestAtom(atoms, residual, used >= maxAtoms ? a : undefined);
    if (atom < 0 || !(Math.abs(dot) > minDot)) break;
    if (a[atom] === 0) used++;
    a[atom] += dot;
    for (let c = 0; c < size; c++) residual[c] -= dot * atoms[atom * size + c];
  }
  return a;
}

/** The atom with the largest absolute product with a residual; with among, only atoms with nonzero coefficients. Ties go to the lower index. */
export function strongestAtom(
  atoms: Float64Array,
  residual: Float64Array,
  among?: Float64Array,
): { atom: number; dot: number } {
  const size = residual.length;
  let atom = -1;
  let best = 0;
  for (let k = 0; k < atoms.length / size; k++) {
    if (among && among[k] === 0) continue;
    let dot = 0;
    for (let c = 0; c < size; c++) dot += atoms[k * size + c] * residual[c];
    if (Math.abs(dot) > Math.abs(best)) {
      best = dot;
      atom = k;
    }
  }
  return { atom, dot: best };
}
