// SPDX-License-Identifier: MIT
// Corrections of a given rank with the smallest posed error. The truncated SVD of d = F⁻¹ r is optimal in the rest pose; the visible error is
//   E(U, c) = Σᵢₖ |rᵢₖ − Fᵢₖ Uᵢ cₖ|²,   U 3 x R per point, c R per frame,
// in which shrinking blends have less weight and a collapsed direction has none: there is no inverse. E is quadratic in U and in c, and each of them is
// minimized exactly in turn (alternating least squares, as for weighted low-rank matrices), starting from the truncated SVD. With S = FᵀF and g = Fᵀr:
//   points   (Σₖ cₖcₖᵀ ⊗ Sᵢₖ + λI) vec Uᵢ = Σₖ cₖ ⊗ gᵢₖ        3R unknowns
//   frames   (Σᵢ UᵢᵀSᵢₖUᵢ + μI) cₖ = Σᵢ Uᵢᵀgᵢₖ                   R unknowns
// E = Σ|r|² − Σₖ (cₖᵀ Σᵢ Uᵢᵀgᵢₖ + μ|cₖ|²) follows from the same sums. One pass over the points computes both.

import { factorCholesky, solveCholesky } from '../../core/algebra/dense-cholesky.ts';
import type { SolveMonitor } from '../../core/progress/solve-monitor.ts';
import type { CorrectionProblem } from './correction-problem.ts';
import { orthonormalizeColumns } from './orthonormalize-columns.ts';
import { type LowRank, sortComponents } from './rest-basis.ts';

/** λ for orthonormal coefficients: bounds displacements along directions that collapse in all frames; a millionth of the normal matrix of a rotation. Chosen by hand. */
const RIDGE = 1e-6;
/** μ relative to the mean over frames: bounds the coefficients of a frame in which all points collapse. Chosen by hand. */
const FRAME_RIDGE = 1e-4;
/** Pivots below this ratio of the largest diagonal entry are rounding errors. */
const PIVOT_RATIO = 1e-12;

export interface PosedBasisOptions {
  /** Maximum number of iterations. */
  iterations: number;
  /** Stops when an iteration lowers the root mean square error by less than this ratio. */
  tolerance: number;
  /** Keeps the start if its error is below that of the first iteration; this costs one more pass. Default true. */
  keepStart?: boolean;
}

export interface PosedBasis extends LowRank {
  /** Remaining error: Σ|r − F U c|². */
  squares: number;
  iterations: number;
  status: 'converged' | 'max-iterations' | 'stopped';
}

/** Lowers the posed error of a start of the same rank. The error never rises. */
export async function posedBasis(
  problem: CorrectionProblem,
  start: LowRank,
  options: PosedBasisOptions,
  monitor: SolveMonitor,
): Promise<PosedBasis> {
  const { rank } = start;
  const { pointCount, frameCount } = problem;
  const pairCount = (rank * (rank + 1)) / 2;
  let coefficients: Float64Array = start.coefficients;
  let basis = start.basis;
  let next: Float64Array = new Float64Array(basis.length);
  const scratch: PointScratch = {
    pairs: new Float64Array(frameCount * pairCount),
    normal: new Float64Array(9 * rank * rank),
    blocks: new Float64Array(6 * pairCount),
  };
  const frames: FrameSums = {
    normals: new Float64Array(frameCount * pairCount),
    sides: new Float64Array(frameCount * rank),
  };
  let before = options.keepStart === false ? Number.POSITIVE_INFINITY : measureSquares(problem, start);
  let iterations = 0;
  let status: PosedBasis['status'] = 'max-iterations';
  while (iterations < options.iterations) {
    const unit = coefficients.slice();
    orthonormalizeColumns(unit, frameCount, rank);
    pairsInto(unit, rank, scratch.pairs);
    frames.normals.fill(0);
    frames.sides.fill(0);
    let squares = 0;
    for (let i = 0; i < pointCount; i++) {
      squares += readMoments(problem, i);
      solvePoint(problem, unit, rank, scratch, next, 3 * rank * i);
      addToFrames(problem, next, 3 * rank * i, rank, scratch.blocks, frames);
    }
    const solved = new Float64Array(coefficients.length);
    const gain = solveFrames(frames, rank, frameCount, scratch.normal, solved);
    const error = Math.max(0, squares - gain);
    iterations++;
    // the error rises only if the start is exact except for rounding and the ridges
    if (!(error <= before)) {
      status = 'converged';
      break;
    }
    [basis, next] = [next, basis === start.basis ? new Float64Array(basis.length) : basis];
    coefficients = solved;
    const done = Math.sqrt(error) > (1 - options.tolerance) * Math.sqrt(before);
    before = error;
    if (await monitor.tick(iterations / options.iterations)) {
      status = 'stopped';
      break;
    }
    if (done) {
      status = 'converged';
      break;
    }
  }
  return { ...sortComponents(mixOrthonormal({ rank, basis, coefficients })), squares: before, iterations, status };
}

/** Per frame: lower triangles of the normal matrices, frameCount x pairCount, and right-hand sides, frameCount x rank. */
interface FrameSums {
  normals: Float64Array;
  sides: Float64Array;
}

/** Σ|r − F U c|². */
function measureSquares(problem: CorrectionProblem, { rank, basis, coefficients }: LowRank): number {
  const { pointCount, frameCount, blends, residuals } = problem;
  let squares = 0;
  for (let i = 0; i < pointCount; i++) {
    problem.read(i);
    for (let k = 0; k < frameCount; k++) {
      let x = 0,
        y = 0,
        z = 0;
      for (let r = 0; r < rank; r++) {
        const c = coefficients[k * rank + r];
        const u = 3 * (i * rank + r);
        x += c * basis[u];
        y += c * basis[u + 1];
        z += c * basis[u + 2];
      }
      for (let a = 0; a < 3; a++) {
        const b = 9 * k + a;
        squares += (residuals[3 * k + a] - blends[b] * x - blends[b + 3] * y - blends[b + 6] * z) ** 2;
      }
    }
  }
  return squares;
}

/** Reads a point and overwrites F with S = FᵀF (xx xy xz yy yz zz) and g = Fᵀr: nine numbers per frame. Returns Σ|r|². */
function readMoments(problem: CorrectionProblem, point: number): number {
  problem.read(point);
  const { blends, residuals, frameCount } = problem;
  let squares = 0;
  for (let k = 0; k < frameCount; k++) {
    const b = 9 * k;
    const m0 = blends[b],
      m1 = blends[b + 1],
      m2 = blends[b + 2],
      m3 = blends[b + 3],
      m4 = blends[b + 4],
      m5 = blends[b + 5],
      m6 = blends[b + 6],
      m7 = blends[b + 7],
      m8 = blends[b + 8];
    const x = residuals[3 * k],
      y = residuals[3 * k + 1],
      z = residuals[3 * k + 2];
    blends[b] = m0 * m0 + m1 * m1 + m2 * m2;
    blends[b + 1] = m0 * m3 + m1 * m4 + m2 * m5;
    blends[b + 2] = m0 * m6 + m1 * m7 + m2 * m8;
    blends[b + 3] = m3 * m3 + m4 * m4 + m5 * m5;
    blends[b + 4] = m3 * m6 + m4 * m7 + m5 * m8;
    blends[b + 5] = m6 * m6 + m7 * m7 + m8 * m8;
    blends[b + 6] = m0 * x + m1 * y + m2 * z;
    blends[b + 7] = m3 * x + m4 * y + m5 * z;
    blends[b + 8] = m6 * x + m7 * y + m8 * z;
    squares += x * x + y * y + z * z;
  }
  return squares;
}

/** c_r c_s for s ≤ r, frameCount x pairCount. */
function pairsInto(coefficients: Float64Array, rank: number, pairs: Float64Array): void {
  let p = 0;
  for (let o = 0; o < coefficients.length; o += rank)
    for (let r = 0; r < rank; r++) for (let s = 0; s <= r; s++) pairs[p++] = coefficients[o + r] * coefficients[o + s];
}

/** Shared by all points. */
interface PointScratch {
  /** frameCount x pairCount: c_r c_s for s ≤ r */
  pairs: Float64Array;
  /** pairCount x 6: Σ c_r c_s S of the present point */
  blocks: Float64Array;
  /** 3 rank x 3 rank */
  normal: Float64Array;
}

/** Fills U of the most recently read point, and its blocks. */
function solvePoint(
  { blends: moments, frameCount }: CorrectionProblem,
  coefficients: Float64Array,
  rank: number,
  { pairs, blocks, normal }: PointScratch,
  out: Float64Array,
  offset: number,
): void {
  const pairCount = (rank * (rank + 1)) / 2;
  const size = 3 * rank;
  blocks.fill(0);
  out.fill(0, offset, offset + size);
  for (let k = 0; k < frameCount; k++) {
    const m = 9 * k;
    const s0 = moments[m],
      s1 = moments[m + 1],
      s2 = moments[m + 2],
      s3 = moments[m + 3],
      s4 = moments[m + 4],
      s5 = moments[m + 5];
    for (let p = 0, b = 0, from = k * pairCount; p < pairCount; p++, b += 6) {
      const cc = pairs[from + p];
      blocks[b] += cc * s0;
      blocks[b + 1] += cc * s1;
      blocks[b + 2] += cc * s2;
      blocks[b + 3] += cc * s3;
      blocks[b + 4] += cc * s4;
      blocks[b + 5] += cc * s5;
    }
    for (let r = 0; r < rank; r++) {
      const c = coefficients[k * rank + r];
      for (let a = 0; a < 3; a++) out[offset + 3 * r + a] += c * moments[m + 6 + a];
    }
  }
  let largest = 0;
  for (let r = 0, b = 0; r < rank; r++) {
    for (let s = 0; s <= r; s++, b += 6) {
      const [row, column] = [3 * r * size, 3 * s];
      normal[row + column] = blocks[b];
      normal[row + column + 1] = normal[row + size + column] = blocks[b + 1];
      normal[row + column + 2] = normal[row + 2 * size + column] = blocks[b + 2];
      normal[row + size + column + 1] = blocks[b + 3];
      normal[row + size + column + 2] = normal[row + 2 * size + column + 1] = blocks[b + 4];
      normal[row + 2 * size + column + 2] = blocks[b + 5];
    }
  }
  for (let d = 0; d < size; d++) {
    normal[d * size + d] += RIDGE;
    largest = Math.max(largest, normal[d * size + d]);
  }
  factorCholesky(normal, size, PIVOT_RATIO * largest);
  solveCholesky(normal, size, out, size, offset);
}

/** Adds the terms of the point to the normal matrix and right-hand side of every frame. */
function addToFrames(
  { blends: moments, frameCount }: CorrectionProblem,
  basis: Float64Array,
  offset: number,
  rank: number,
  products: Float64Array,
  { normals, sides }: FrameSums,
): void {
  const pairCount = (rank * (rank + 1)) / 2;
  for (let r = 0, p = 0; r < rank; r++) {
    const u = offset + 3 * r;
    for (let s = 0; s <= r; s++, p += 6) {
      const v = offset + 3 * s;
      products[p] = basis[u] * basis[v];
      products[p + 1] = basis[u] * basis[v + 1] + basis[u + 1] * basis[v];
      products[p + 2] = basis[u] * basis[v + 2] + basis[u + 2] * basis[v];
      products[p + 3] = basis[u + 1] * basis[v + 1];
      products[p + 4] = basis[u + 1] * basis[v + 2] + basis[u + 2] * basis[v + 1];
      products[p + 5] = basis[u + 2] * basis[v + 2];
    }
  }
  for (let k = 0; k < frameCount; k++) {
    const m = 9 * k;
    const s0 = moments[m],
      s1 = moments[m + 1],
      s2 = moments[m + 2],
      s3 = moments[m + 3],
      s4 = moments[m + 4],
      s5 = moments[m + 5];
    for (let p = 0, o = 0, to = k * pairCount; p < pairCount; p++, o += 6)
      normals[to + p] +=
        products[o] * s0 +
        products[o + 1] * s1 +
        products[o + 2] * s2 +
        products[o + 3] * s3 +
        products[o + 4] * s4 +
        products[o + 5] * s5;
    for (let r = 0; r < rank; r++) {
      const u = offset + 3 * r;
      sides[k * rank + r] += basis[u] * moments[m + 6] + basis[u + 1] * moments[m + 7] + basis[u + 2] * moments[m + 8];
    }
  }
}

/** Fills all coefficients; returns the reduction of the sum of squares. */
function solveFrames(
  { normals, sides }: FrameSums,
  rank: number,
  frameCount: number,
  normal: Float64Array,
  coefficients: Float64Array,
): number {
  const pairCount = (rank * (rank + 1)) / 2;
  let traces = 0;
  for (let k = 0; k < frameCount; k++)
    for (let r = 0; r < rank; r++) traces += normals[k * pairCount + (r * (r + 3)) / 2];
  const ridge = (FRAME_RIDGE * traces) / (rank * frameCount);
  if (!(ridge > 0)) return 0;
  let gain = 0;
  let p = 0;
  for (let k = 0; k < frameCount; k++) {
    let largest = 0;
    for (let r = 0; r < rank; r++) for (let s = 0; s <= r; s++) normal[r * rank + s] = normals[p++];
    for (let r = 0; r < rank; r++) {
      normal[r * rank + r] += ridge;
      largest = Math.max(largest, normal[r * rank + r]);
    }
    const o = k * rank;
    for (let r = 0; r < rank; r++) coefficients[o + r] = sides[o + r];
    factorCholesky(normal, rank, PIVOT_RATIO * largest);
    solveCholesky(normal, rank, coefficients, rank, o);
    for (let r = 0; r < rank; r++) gain += coefficients[o + r] * (sides[o + r] + ridge * coefficients[o + r]);
  }
  return gain;
}

/** The same product with orthonormal coefficients: C = Q T, U ← U Tᵀ. */
function mixOrthonormal({ rank, basis, coefficients }: LowRank): LowRank {
  const frameCount = coefficients.length / rank;
  const unit = coefficients.slice();
  orthonormalizeColumns(unit, frameCount, rank);
  const turn = new Float64Array(rank * rank);
  for (let k = 0; k < frameCount; k++)
    for (let q = 0; q < rank; q++)
      for (let r = 0; r < rank; r++) turn[q * rank + r] += unit[k * rank + q] * coefficients[k * rank + r];
  const own = new Float64Array(basis.length);
  for (let i = 0; i < basis.length; i += 3 * rank)
    for (let q = 0; q < rank; q++)
      for (let r = 0; r < rank; r++)
        for (let a = 0; a < 3; a++) own[i + 3 * q + a] += turn[q * rank + r] * basis[i + 3 * r + a];
  return { rank, basis: own, coefficients: unit };
}
