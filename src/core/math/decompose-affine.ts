// SPDX-License-Identifier: MIT
// A glTF node says translation, rotation and scale, so a general affine matrix needs two: A = U Σ Vᵀ, a node with rotation U and
// scale Σ over a node with rotation Vᵀ. One-sided Jacobi finds V as a product of small turns that start from a given V, so the
// factors of a sequence of matrices follow one another, and V stays put while the columns of A V are already at right angles:
// a rigid or scaled bone keeps V = I and needs one node only.
import { quaternionFromMatrix } from './quaternion.ts';

/**
 * Cosine between columns below which they count as perpendicular. Above the rounding of matrices made from 32-bit numbers
 * (6e-8 per entry), below what a picture or a metric to 1e-6 of the size could show.
 */
export const SHEAR_TOLERANCE = 5e-7;

/** A column this much shorter than the longest has no direction of its own. */
const FLAT_RATIO = 1e-9;

const MAX_SWEEPS = 30;

export interface AffineFactors {
  translation: Float64Array;
  /** U, x y z w */
  rotation: Float64Array;
  /** Σ; entries keep their sign from one matrix of a sequence to the next, one changes where the determinant of A does */
  scale: Float64Array;
  /** 3x3, column-major: V, carried from one matrix of a sequence to the next */
  v: Float64Array;
  /** 3x3, column-major: U */
  u: Float64Array;
  /** Scratch: A V, then U as 4x4. */
  columns: Float64Array;
  matrix: Float64Array;
  /** Signs of the scales: 1 or -1 */
  signs: Float64Array;
  /** Scratch: U of the matrix before, zero if there is none. */
  before: Float64Array;
}

export function makeAffineFactors(): AffineFactors {
  return {
    translation: new Float64Array(3),
    rotation: Float64Array.of(0, 0, 0, 1),
    scale: Float64Array.of(1, 1, 1),
    v: Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1),
    u: Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1),
    columns: new Float64Array(9),
    matrix: new Float64Array(16),
    signs: Float64Array.of(1, 1, 1),
    before: new Float64Array(9),
  };
}

/** Translation, rotation and scale of a matrix without shear; any shear is lost. */
export function decomposeAffine(m: ArrayLike<number>): AffineFactors {
  const factors = makeAffineFactors();
  decomposeAffineInto(m, factors, 0, true);
  return factors;
}

/**
 * Factors a 4x4 affine matrix, starting from (and replacing) the factors of the matrix before it. With keepV, V stays as it
 * is and U Σ is the nearest that columns of fixed direction allow.
 */
export function decomposeAffineInto(m: ArrayLike<number>, factors: AffineFactors, mOffset = 0, keepV = false): void {
  const { v, u, scale, translation, rotation } = factors;
  for (let c = 0; c < 3; c++) translation[c] = m[mOffset + 12 + c];
  const b = factors.columns;
  for (let c = 0; c < 3; c++) {
    for (let r = 0; r < 3; r++) {
      b[3 * c + r] = m[mOffset + r] * v[3 * c] + m[mOffset + 4 + r] * v[3 * c + 1] + m[mOffset + 8 + r] * v[3 * c + 2];
    }
  }
  if (!keepV) {
    for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
      let turned = false;
      for (let p = 0; p < 2; p++) for (let q = p + 1; q < 3; q++) turned = turnColumns(b, v, p, q) || turned;
      if (!turned) break;
    }
  }

  const longest = Math.max(lengthOf(b, 0), lengthOf(b, 1), lengthOf(b, 2));
  const known: number[] = [];
  for (let c = 0; c < 3; c++) {
    const length = lengthOf(b, c);
    scale[c] = length > longest * FLAT_RATIO ? length : 0;
    if (scale[c] === 0) continue;
    known.push(c);
    for (let r = 0; r < 3; r++) u[3 * c + r] = b[3 * c + r] / length;
  }
  if (known.length === 3) {
    const { signs, before } = factors;
    for (let c = 0; c < 3; c++) if (signs[c] < 0) flip(u, scale, c);
    if (determinant(u) < 0) {
      const c = chooseFlip(u, before, scale);
      signs[c] = -signs[c];
      flip(u, scale, c);
    }
  } else completeColumns(u, known);
  orthonormalize(u);
  factors.before.set(u);
  for (let c = 0; c < 3; c++) for (let r = 0; r < 3; r++) factors.matrix[4 * c + r] = u[3 * c + r];
  quaternionFromMatrix(factors.matrix, rotation);
}

/** Whether axes of a 4x4 matrix are not at right angles. */
export function isSheared(m: ArrayLike<number>, o = 0): boolean {
  for (let p = 0; p < 2; p++) {
    for (let q = p + 1; q < 3; q++) {
      let dot = 0;
      for (let r = 0; r < 3; r++) dot += m[o + 4 * p + r] * m[o + 4 * q + r];
      const lengths =
        Math.hypot(m[o + 4 * p], m[o + 4 * p + 1], m[o + 4 * p + 2]) *
        Math.hypot(m[o + 4 * q], m[o + 4 * q + 1], m[o + 4 * q + 2]);
      if (Math.abs(dot) > SHEAR_TOLERANCE * lengths) return true;
    }
  }
  return false;
}

/** One Jacobi turn of columns p and q of b, and of v with them. Returns false when they are already perpendicular. */
function turnColumns(b: Float64Array, v: Float64Array, p: number, q: number): boolean {
  let alpha = 0;
  let beta = 0;
  let gamma = 0;
  for (let r = 0; r < 3; r++) {
    alpha += b[3 * p + r] * b[3 * p + r];
    beta += b[3 * q + r] * b[3 * q + r];
    gamma += b[3 * p + r] * b[3 * q + r];
  }
  if (Math.abs(gamma) <= SHEAR_TOLERANCE * Math.sqrt(alpha * beta)) return false;
  if (Math.min(alpha, beta) <= Math.max(alpha, beta) * FLAT_RATIO * FLAT_RATIO) return false;
  const zeta = (beta - alpha) / (2 * gamma);
  const t = (zeta < 0 ? -1 : 1) / (Math.abs(zeta) + Math.sqrt(1 + zeta * zeta));
  const c = 1 / Math.sqrt(1 + t * t);
  const s = c * t;
  for (const x of [b, v]) {
    for (let r = 0; r < 3; r++) {
      const xp = x[3 * p + r];
      const xq = x[3 * q + r];
      x[3 * p + r] = c * xp - s * xq;
      x[3 * q + r] = s * xp + c * xq;
    }
  }
  return true;
}

/** Fills the columns that are not known, close to what they were, so that u is a rotation up to rounding. */
function completeColumns(u: Float64Array, known: number[]): void {
  if (known.length === 2) {
    const c = 3 - known[0] - known[1];
    crossInto(u, (c + 1) % 3, (c + 2) % 3, c);
  } else if (known.length === 1) {
    const c = known[0];
    // The old next column, less its part along the known one; an axis where nothing is left of it.
    const n = (c + 1) % 3;
    let dot = 0;
    for (let r = 0; r < 3; r++) dot += u[3 * c + r] * u[3 * n + r];
    for (let r = 0; r < 3; r++) u[3 * n + r] -= dot * u[3 * c + r];
    if (lengthOf(u, n) < 1e-3) {
      let least = 0;
      for (let r = 1; r < 3; r++) if (Math.abs(u[3 * c + r]) < Math.abs(u[3 * c + least])) least = r;
      for (let r = 0; r < 3; r++) u[3 * n + r] = (r === least ? 1 : 0) - u[3 * c + least] * u[3 * c + r];
    }
    const length = lengthOf(u, n);
    for (let r = 0; r < 3; r++) u[3 * n + r] /= length;
    crossInto(u, c, n, (c + 2) % 3);
  }
}

/** Gram-Schmidt; the remaining shear is below the tolerance, or the caller asked to lose it. */
function orthonormalize(u: Float64Array): void {
  let dot = 0;
  for (let r = 0; r < 3; r++) dot += u[r] * u[3 + r];
  for (let r = 0; r < 3; r++) u[3 + r] -= dot * u[r];
  const length = lengthOf(u, 1);
  if (!(length > 0)) return;
  for (let r = 0; r < 3; r++) u[3 + r] /= length;
  crossInto(u, 0, 1, 2);
}

function crossInto(u: Float64Array, a: number, b: number, out: number): void {
  const [ax, ay, az] = [u[3 * a], u[3 * a + 1], u[3 * a + 2]];
  const [bx, by, bz] = [u[3 * b], u[3 * b + 1], u[3 * b + 2]];
  u[3 * out] = ay * bz - az * by;
  u[3 * out + 1] = az * bx - ax * bz;
  u[3 * out + 2] = ax * by - ay * bx;
}

function flip(u: Float64Array, scale: Float64Array, c: number): void {
  scale[c] = -scale[c];
  for (let r = 0; r < 3; r++) u[3 * c + r] = -u[3 * c + r];
}

/** The column whose sign changes: the one that turns U least from the matrix before, or the shortest if there is none. Through zero, a scale then changes its sign. */
function chooseFlip(u: Float64Array, before: Float64Array, scale: Float64Array): number {
  const costs = [0, 1, 2].map((c) => {
    let dot = 0;
    for (let r = 0; r < 3; r++) dot += u[3 * c + r] * before[3 * c + r];
    return before.some((x) => x !== 0) ? dot : Math.abs(scale[c]);
  });
  return costs.indexOf(Math.min(...costs));
}

function lengthOf(b: Float64Array, c: number): number {
  return Math.hypot(b[3 * c], b[3 * c + 1], b[3 * c + 2]);
}

function determinant(u: Float64Array): number {
  return u[0] * (u[4] * u[8] - u[7] * u[5]) - u[3] * (u[1] * u[8] - u[7] * u[2]) + u[6] * (u[1] * u[5] - u[4] * u[2]);
}
