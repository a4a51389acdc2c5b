// SPDX-License-Identifier: MIT
// The truncated singular value decomposition of a matrix of frames A, from the eigenvectors of the Gram matrix of its rows. For long clips the rows are first
// projected to a few orthonormal combinations of frames that contain the leading singular vectors: N. Halko, P.-G. Martinsson and J. A. Tropp, "Finding
// structure with randomness", SIAM Review 53(2), 2011, doi:10.1137/090771806, Algorithm 4.4. The cost is then linear in the number of frames.

import { eigenSymmetric } from '../../core/algebra/eigen-symmetric.ts';
import { makeRandom } from '../../core/math/random.ts';
import type { SolveMonitor } from '../../core/progress/solve-monitor.ts';
import { type FrameMatrix, type LowRank, makeLowRank, squareOf } from './low-rank.ts';

/** Maximum frames of an exact decomposition. */
const MAX_EXACT = 512;
/** Combinations of frames beyond the rank, and power iterations: the error is then within 0.1 % of the exact one for spectra that fall slowly. */
const OVERSAMPLING = 10;
const POWER_ITERATIONS = 4;
/** Columns per block of the Gram matrix: a block of all rows stays in the cache. */
const BLOCK = 512;

/** Orthonormal combinations of frames, and the rows that they give. */
interface Projection {
  /** count x frameCount */
  combinations: Float64Array[];
  /** count x size */
  rows: (Float64Array | Float32Array)[];
}

/**
 * Decomposes a matrix of frames. No other matrix of the given rank is closer. A rank above that of the matrix is lowered to it.
 * @param maxExact frames beyond this number are projected first
 */
export async function truncatedSvd(
  matrix: FrameMatrix,
  rank: number,
  monitor: SolveMonitor,
  maxExact = MAX_EXACT,
): Promise<LowRank> {
  const { values, frameCount, size } = matrix;
  const { combinations, rows } =
    frameCount <= maxExact ? listFrames(matrix) : await projectFrames(matrix, rank + OVERSAMPLING, monitor);
  const count = rows.length;
  const { values: squares, vectors } = eigenSymmetric(await gramOf(rows, monitor), count);
  const whole = squareOf(values);
  // below this, an eigenvalue is rounding
  const least = whole * count * Number.EPSILON;
  const used = Math.max(1, Math.min(rank, squares.filter((square) => square > least).length));
  const basis: Float64Array[] = [];
  const coefficients: Float64Array[] = [];
  const errors = [1];
  let left = whole;
  for (let r = 0; r < used; r++) {
    const vector = vectors.subarray(r * count, (r + 1) * count);
    basis.push(combine(rows, vector, size));
    coefficients.push(combine(combinations, vector, frameCount));
    left = Math.max(0, left - Math.max(0, squares[r]));
    errors.push(whole > 0 ? Math.sqrt(left / whole) : 0);
  }
  return makeLowRank(basis, coefficients, errors, 'converged');
}

/** Every frame by itself. */
function listFrames({ values, frameCount, size }: FrameMatrix): Projection {
  const frames = Array.from({ length: frameCount }, (_, k) => k);
  return {
    combinations: frames.map((k) => Float64Array.from({ length: frameCount }, (_, l) => (l === k ? 1 : 0))),
    rows: frames.map((k) => values.subarray(k * size, (k + 1) * size)),
  };
}

/** Combinations of frames near the leading singular vectors. */
async function projectFrames(matrix: FrameMatrix, wanted: number, monitor: SolveMonitor): Promise<Projection> {
  const { values, frameCount, size } = matrix;
  const random = makeRandom(0);
  const frames = listFrames(matrix).rows;
  const count = Math.min(wanted, frameCount);
  let combinations = Array.from({ length: count }, () => Float64Array.from({ length: frameCount }, random.normal));
  let rows: Float64Array[] = [];
  for (let n = 0; n <= POWER_ITERATIONS; n++) {
    combinations = orthonormalize(combinations);
    rows = [];
    for (const combination of combinations) {
      rows.push(combine(frames, combination, size));
      await stopIfAsked(monitor, (n + rows.length / count) / (POWER_ITERATIONS + 2));
    }
    if (n === POWER_ITERATIONS) break;
    combinations = rows.map((row) => {
      const out = new Float64Array(frameCount);
      for (let k = 0; k < frameCount; k++) {
        let sum = 0;
        for (let i = 0, o = k * size; i < size; i++, o++) sum += values[o] * row[i];
        out[k] = sum;
      }
      return out;
    });
  }
  return { combinations, rows };
}

/** Gram-Schmidt, twice, so that rounding leaves them orthogonal. Vectors that depend on others are dropped. */
function orthonormalize(vectors: readonly Float64Array[]): Float64Array<ArrayBuffer>[] {
  const out: Float64Array<ArrayBuffer>[] = [];
  for (const vector of vectors) {
    const own = Float64Array.from(vector);
    const before = Math.sqrt(dot(own, own));
    for (let pass = 0; pass < 2; pass++)
      for (const other of out) {
        const product = dot(own, other);
        for (let k = 0; k < own.length; k++) own[k] -= product * other[k];
      }
    const length = Math.sqrt(dot(own, own));
    if (length > 1e-10 * before) out.push(own.map((x) => x / length));
  }
  return out;
}

/** count x count: products of all pairs of rows */
async function gramOf(rows: readonly (Float64Array | Float32Array)[], monitor: SolveMonitor): Promise<Float64Array> {
  const count = rows.length;
  const size = rows[0]?.length ?? 0;
  const gram = new Float64Array(count * count);
  for (let start = 0; start < size; start += BLOCK) {
    const end = Math.min(size, start + BLOCK);
    for (let k = 0; k < count; k++)
      for (let l = 0; l <= k; l++) {
        const [a, b] = [rows[k], rows[l]];
        let sum = 0;
        for (let i = start; i < end; i++) sum += a[i] * b[i];
        gram[k * count + l] += sum;
      }
    await stopIfAsked(monitor, end / size);
  }
  for (let k = 0; k < count; k++) for (let l = 0; l < k; l++) gram[l * count + k] = gram[k * count + l];
  return gram;
}

/** Σ factors[n] rows[n] */
function combine(
  rows: readonly (Float64Array | Float32Array)[],
  factors: Float64Array,
  size: number,
): Float64Array<ArrayBuffer> {
  const out = new Float64Array(size);
  for (const [n, row] of rows.entries()) {
    const factor = factors[n];
    if (factor !== 0) for (let i = 0; i < size; i++) out[i] += factor * row[i];
  }
  return out;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k] * b[k];
  return sum;
}

async function stopIfAsked(monitor: SolveMonitor, part: number): Promise<void> {
  if (await monitor.tick(part)) throw new DOMException('the light was stopped', 'AbortError');
}
