// SPDX-License-Identifier: MIT
import type { SolveMonitor } from '../fit/solve-monitor.ts';
import { eigenSymmetric } from '../solve/eigen-symmetric.ts';
import { type FrameMatrix, type LowRank, makeLowRank, squareOf } from './low-rank.ts';

/** Columns per block of the Gram matrix: a block of all frames stays in the cache. */
const BLOCK = 512;

/**
 * The truncated singular value decomposition of a matrix of frames, from the eigenvectors of its Gram matrix (frameCount x frameCount). No other matrix of
 * the given rank is closer. A rank above that of the matrix is lowered to it.
 */
export async function truncatedSvd(matrix: FrameMatrix, rank: number, monitor: SolveMonitor): Promise<LowRank> {
  const { values, frameCount, size } = matrix;
  const gram = new Float64Array(frameCount * frameCount);
  for (let start = 0; start < size; start += BLOCK) {
    const end = Math.min(size, start + BLOCK);
    for (let k = 0; k < frameCount; k++)
      for (let l = 0; l <= k; l++) {
        const [a, b] = [k * size, l * size];
        let sum = 0;
        for (let i = start; i < end; i++) sum += values[a + i] * values[b + i];
        gram[k * frameCount + l] += sum;
      }
    if (await monitor.tick(end / size)) throw new DOMException('the light was stopped', 'AbortError');
  }
  for (let k = 0; k < frameCount; k++) for (let l = 0; l < k; l++) gram[l * frameCount + k] = gram[k * frameCount + l];
  const { values: squares, vectors } = eigenSymmetric(gram, frameCount);
  const whole = squareOf(values);
  // below this, an eigenvalue is rounding
  const least = whole * frameCount * Number.EPSILON;
  const used = Math.max(1, Math.min(rank, squares.filter((square) => square > least).length));
  const basis: Float64Array[] = [];
  const coefficients: Float64Array[] = [];
  const errors = [1];
  let left = whole;
  for (let r = 0; r < used; r++) {
    const vector = vectors.subarray(r * frameCount, (r + 1) * frameCount);
    const row = new Float64Array(size);
    for (let k = 0; k < frameCount; k++) {
      const factor = vector[k];
      for (let i = 0; i < size; i++) row[i] += factor * values[k * size + i];
    }
    basis.push(row);
    coefficients.push(vector);
    left = Math.max(0, left - Math.max(0, squares[r]));
    errors.push(whole > 0 ? Math.sqrt(left / whole) : 0);
  }
  return makeLowRank(basis, coefficients, errors, 'converged');
}
