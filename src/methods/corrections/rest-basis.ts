// SPDX-License-Identifier: MIT
// The truncated singular value decomposition of rows that are read point by point: D (3 points x frames) ≈ U Cᵀ, C orthonormal, optimal for its
// rank. Short clips use the eigenvectors of DᵀD; long clips use a randomized range finder (N. Halko, P.-G. Martinsson,
// J. A. Tropp, "Finding structure with randomness", SIAM Review 53(2), 2011), so that the cost stays linear in frames.

import { eigenSymmetric } from '../../core/algebra/eigen-symmetric.ts';
import { makeRandom } from '../../core/math/random.ts';
import type { SolveMonitor } from '../../core/progress/solve-monitor.ts';
import { orthonormalizeColumns } from './orthonormalize-columns.ts';

/** The matrix to decompose, three rows per point. */
export interface PointRows {
  pointCount: number;
  frameCount: number;
  /** Fills three numbers per frame: frameCount x 3. */
  readInto(point: number, rows: Float64Array): void;
}

export interface LowRank {
  rank: number;
  /** pointCount x rank x 3 */
  basis: Float64Array;
  /** frameCount x rank */
  coefficients: Float64Array;
}

/** Maximum number of frames for DᵀD: up to here it costs no more than a few passes with some dozens of columns. */
const MAX_GRAM_FRAMES = 512;
/** Additional columns and number of passes of the range finder (Halko et al. recommend 5 to 10 columns). */
const SPARE = 10;
const ITERATIONS = 4;
/** Points between two calls of the monitor. */
const POINTS_PER_TICK = 1024;

/** The leading components, in descending order. A stopped solve returns the result of the first pass. */
export async function restBasis(rows: PointRows, rank: number, monitor: SolveMonitor): Promise<LowRank> {
  const { frameCount } = rows;
  const maxRank = Math.min(rank, frameCount, 3 * rows.pointCount);
  if (frameCount <= MAX_GRAM_FRAMES || 2 * (maxRank + SPARE) > frameCount) {
    const gram = await measureGram(rows, monitor);
    const { vectors } = eigenSymmetric(gram, frameCount);
    const coefficients = new Float64Array(frameCount * maxRank);
    for (let k = 0; k < frameCount; k++)
      for (let r = 0; r < maxRank; r++) coefficients[k * maxRank + r] = vectors[r * frameCount + k];
    return projectRows(rows, coefficients, maxRank);
  }
  const width = maxRank + SPARE;
  let directions = new Float64Array(frameCount * width);
  const random = makeRandom(0);
  for (let c = 0; c < directions.length; c++) directions[c] = random.normal();
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    orthonormalizeColumns(directions, frameCount, width);
    directions = await applySquare(rows, directions, width);
    if (await monitor.tick((iteration + 1) / (ITERATIONS + 1))) break;
  }
  orthonormalizeColumns(directions, frameCount, width);
  return sortComponents(projectRows(rows, directions, width), maxRank);
}

/**
 * Rotates components to be orthogonal and in descending order, as those of an SVD; the product is unchanged. Coefficients must be
 * orthonormal (or zero) columns. Keeps the leading ones.
 */
export function sortComponents({ rank, basis, coefficients }: LowRank, keep = rank): LowRank {
  const gram = new Float64Array(rank * rank);
  for (let i = 0; i < basis.length; i += 3 * rank) {
    for (let r = 0; r < rank; r++)
      for (let s = 0; s <= r; s++)
        for (let a = 0; a < 3; a++) gram[r * rank + s] += basis[i + 3 * r + a] * basis[i + 3 * s + a];
  }
  for (let r = 0; r < rank; r++) for (let s = 0; s < r; s++) gram[s * rank + r] = gram[r * rank + s];
  const { vectors } = eigenSymmetric(gram, rank);
  const frameCount = coefficients.length / rank;
  const turned = new Float64Array(frameCount * keep);
  for (let k = 0; k < frameCount; k++)
    for (let n = 0; n < keep; n++)
      for (let r = 0; r < rank; r++) turned[k * keep + n] += vectors[n * rank + r] * coefficients[k * rank + r];
  const pointCount = basis.length / (3 * rank);
  const own = new Float64Array(3 * keep * pointCount);
  for (let i = 0; i < pointCount; i++)
    for (let n = 0; n < keep; n++)
      for (let r = 0; r < rank; r++)
        for (let a = 0; a < 3; a++)
          own[3 * (i * keep + n) + a] += vectors[n * rank + r] * basis[3 * (i * rank + r) + a];
  return { rank: keep, basis: own, coefficients: turned };
}

/** U = D C, for orthonormal C. */
function projectRows(source: PointRows, coefficients: Float64Array, rank: number): LowRank {
  const { pointCount, frameCount } = source;
  const rows = new Float64Array(3 * frameCount);
  const basis = new Float64Array(3 * rank * pointCount);
  for (let i = 0; i < pointCount; i++) {
    source.readInto(i, rows);
    projectInto(rows, coefficients, frameCount, rank, basis, 3 * rank * i);
  }
  return { rank, basis, coefficients };
}

function projectInto(
  rows: Float64Array,
  coefficients: Float64Array,
  frameCount: number,
  rank: number,
  out: Float64Array,
  offset: number,
): void {
  for (let k = 0; k < frameCount; k++) {
    const x = rows[3 * k],
      y = rows[3 * k + 1],
      z = rows[3 * k + 2];
    for (let r = 0; r < rank; r++) {
      const c = coefficients[k * rank + r];
      out[offset + 3 * r] += c * x;
      out[offset + 3 * r + 1] += c * y;
      out[offset + 3 * r + 2] += c * z;
    }
  }
}

/** DᵀD, frameCount x frameCount. */
async function measureGram(source: PointRows, monitor: SolveMonitor): Promise<Float64Array> {
  const { pointCount, frameCount } = source;
  const rows = new Float64Array(3 * frameCount);
  const gram = new Float64Array(frameCount * frameCount);
  for (let i = 0; i < pointCount; i++) {
    source.readInto(i, rows);
    for (let k = 0; k < frameCount; k++) {
      const x = rows[3 * k],
        y = rows[3 * k + 1],
        z = rows[3 * k + 2];
      const o = k * frameCount;
      for (let l = 0; l <= k; l++) gram[o + l] += x * rows[3 * l] + y * rows[3 * l + 1] + z * rows[3 * l + 2];
    }
    if ((i + 1) % POINTS_PER_TICK === 0 && (await monitor.tick((i + 1) / pointCount))) break;
  }
  for (let k = 0; k < frameCount; k++) for (let l = 0; l < k; l++) gram[l * frameCount + k] = gram[k * frameCount + l];
  return gram;
}

/** Dᵀ(D C) in one pass over the points. */
async function applySquare(
  source: PointRows,
  directions: Float64Array,
  width: number,
): Promise<Float64Array<ArrayBuffer>> {
  const { pointCount, frameCount } = source;
  const rows = new Float64Array(3 * frameCount);
  const shadow = new Float64Array(3 * width);
  const out = new Float64Array(frameCount * width);
  for (let i = 0; i < pointCount; i++) {
    source.readInto(i, rows);
    shadow.fill(0);
    projectInto(rows, directions, frameCount, width, shadow, 0);
    for (let k = 0; k < frameCount; k++) {
      const x = rows[3 * k],
        y = rows[3 * k + 1],
        z = rows[3 * k + 2];
      for (let r = 0; r < width; r++)
        out[k * width + r] += x * shadow[3 * r] + y * shadow[3 * r + 1] + z * shadow[3 * r + 2];
    }
  }
  return out;
}
