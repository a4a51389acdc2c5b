// SPDX-License-Identifier: MIT
// M. Aharon, M. Elad, A. Bruckstein, "K-SVD: an algorithm for designing overcomplete dictionaries for sparse representation", IEEE Transactions on Signal
// Processing 54(11), 2006; Course 2014, Eq. 48 to 52 with their errata: E_k = X − Σ_{i≠k} dᵢaᵢᵀ, restricted to the points that use atom k, and the update sets
// both d_k = u₁ and the row a_k = σ₁v₁ᵀ. A general solver, for comparison with compressWeights: its coefficients do not sum to one and have either sign.

import { eigenSymmetric } from '../../../core/algebra/eigen-symmetric.ts';
import { UsageError } from '../../../core/model/errors.ts';
import { matchingPursuit } from './matching-pursuit.ts';
import { orthogonalMatchingPursuit } from './orthogonal-matching-pursuit.ts';

export interface KSvdOptions {
  atoms: number;
  /** Atoms per point. */
  sparsity?: number;
  iterations?: number;
  /** How the atoms of a point are chosen. */
  coding?: 'orthogonal' | 'matching';
  /** Called after each iteration; return true to stop. */
  onIteration?: () => Promise<boolean>;
}

export const K_SVD_DEFAULTS = { sparsity: 2, iterations: 10, coding: 'orthogonal' } as const;

export interface KSvdResult {
  /** atomCount x size, unit length */
  atoms: Float64Array;
  /** pointCount x atomCount coefficients by point, most of them zero */
  coefficients: Map<number, number>[];
  /** Root mean square of X − DA over all numbers, after each iteration. */
  history: number[];
}

/**
 * Learns a dictionary for points.
 * @param points pointCount x size
 */
export async function kSvd(points: Float64Array, size: number, options: KSvdOptions): Promise<KSvdResult> {
  const n = points.length / size;
  const { sparsity, iterations, coding, atoms: wanted } = { ...K_SVD_DEFAULTS, ...options };
  if (!(Number.isInteger(wanted) && wanted >= 1 && wanted <= n))
    throw new UsageError('kSvd', `atoms must be a whole number from 1 to the ${n} points, got ${wanted}`);
  const atoms = startAtoms(points, size, wanted);
  const coefficients: Map<number, number>[] = Array.from({ length: n }, () => new Map());
  const code = coding === 'orthogonal' ? orthogonalMatchingPursuit : matchingPursuit;
  const history: number[] = [];
  const errorOf = (i: number): number => measureResidual(points, size, atoms, coefficients[i], i);
  for (let iteration = 0; iteration < iterations; iteration++) {
    for (let i = 0; i < n; i++) {
      const before = iteration === 0 ? Number.POSITIVE_INFINITY : errorOf(i);
      const a = code(atoms, points.subarray(i * size, (i + 1) * size), sparsity);
      const old = coefficients[i];
      coefficients[i] = new Map();
      a.forEach((value, k) => {
        if (value !== 0) coefficients[i].set(k, value);
      });
      // pursuits are greedy: the previous coefficients may be better
      if (errorOf(i) > before) coefficients[i] = old;
    }
    for (let k = 0; k < wanted; k++) updateAtom(points, size, atoms, coefficients, k);
    let sum = 0;
    for (let i = 0; i < n; i++) sum += errorOf(i);
    history.push(Math.sqrt(sum / points.length));
    if (await options.onIteration?.()) break;
  }
  return { atoms, coefficients, history };
}

/** Evenly spaced points, scaled to unit length. */
export function startAtoms(points: Float64Array, size: number, count: number): Float64Array {
  const n = points.length / size;
  const atoms = new Float64Array(count * size);
  for (let k = 0; k < count; k++) {
    const i = Math.floor(((k + 0.5) * n) / count);
    let square = 0;
    for (let c = 0; c < size; c++) square += points[i * size + c] ** 2;
    const scale = square > 0 ? 1 / Math.sqrt(square) : 0;
    for (let c = 0; c < size; c++) atoms[k * size + c] = scale * points[i * size + c];
    if (square === 0) atoms[k * size] = 1;
  }
  return atoms;
}

function measureResidual(
  points: Float64Array,
  size: number,
  atoms: Float64Array,
  coefficients: ReadonlyMap<number, number>,
  i: number,
): number {
  let sum = 0;
  for (let c = 0; c < size; c++) {
    let x = points[i * size + c];
    for (const [k, a] of coefficients) x -= a * atoms[k * size + c];
    sum += x * x;
  }
  return sum;
}

/** Eq. 51 and 52 for atom k: the leading pair of the residual of its points without it, from the small matrix E_kE_kᵀ. */
function updateAtom(
  points: Float64Array,
  size: number,
  atoms: Float64Array,
  coefficients: Map<number, number>[],
  k: number,
): void {
  const users: number[] = [];
  const rows: Float64Array[] = [];
  const gram = new Float64Array(size * size);
  coefficients.forEach((own, i) => {
    if (!own.has(k)) return;
    users.push(i);
    const row = points.slice(i * size, (i + 1) * size);
    for (const [other, a] of own) if (other !== k) for (let c = 0; c < size; c++) row[c] -= a * atoms[other * size + c];
    rows.push(row);
    for (let p = 0; p < size; p++) for (let q = 0; q < size; q++) gram[p * size + q] += row[p] * row[q];
  });
  if (users.length === 0) return;
  const { vectors } = eigenSymmetric(gram, size);
  const direction = vectors.slice(0, size);
  atoms.set(direction, k * size);
  users.forEach((i, u) => {
    let a = 0;
    for (let c = 0; c < size; c++) a += rows[u][c] * direction[c];
    coefficients[i].set(k, a);
  });
}
