// SPDX-License-Identifier: MIT
// N. Halko, P.-G. Martinsson, J. A. Tropp, "Finding structure with randomness", SIAM Review 53(2), 2011: the leading directions of the trajectories from a
// few products with random vectors. Y = Vᵀ(V Ω), orthonormalized, and once more; then the small eigenproblem of (V Y)ᵀ(V Y) sorts the directions by their
// energy, and the tail outside the first r is known exactly: Σ|v|² − Σ_{n<r} λₙ.

import { eigenSymmetric } from '../../core/algebra/eigen-symmetric.ts';
import type { Compute, Resident } from '../../core/kernels/compute.ts';
import { multiplyInto } from '../../core/kernels/matrices/multiply.ts';
import type { ReducedRows, Trajectories } from '../../core/kernels/matrices/trajectories.ts';
import type { Random } from '../../core/math/random.ts';

/** Maximum number of directions. */
const MAX_RANK = 128;
/** Minimum number of directions: shorter rows are not reduced. Chosen by time on horse-gallop (20 bones). */
const MIN_RANK = 32;
/** Maximum length of a basis relative to the rows; longer ones save no time. */
const MAX_RATIO = 0.5;
/** A column is rounding error if its new part, relative to its square, is smaller. */
const MIN_NEW = 1e-24;

/**
 * A basis that leaves at most tail (a sum of squares) of the trajectories outside, or the longest basis if that leaves at most acceptable; undefined if no
 * basis is short enough. The rows are allocated from the given compute.
 * @param iterations power iterations before directions are sorted: one costs half, and finds slightly longer bases
 */
export async function reduceTrajectories(
  compute: Compute,
  trajectories: Trajectories,
  tail: number,
  random: Random,
  acceptable = tail,
  iterations = 2,
): Promise<ReducedRows | undefined> {
  const { vertexCount, frameCount, posed } = trajectories;
  const rows = 3 * frameCount;
  const width = 4 * Math.floor(Math.min(MAX_RANK, MAX_RATIO * rows) / 4);
  if (width < MIN_RANK || vertexCount < 2 * width) return undefined;

  return compute.scope(async (memory) => {
    const turned = memory.float64(rows * vertexCount);
    transposeInto(posed.view(), vertexCount, rows, turned.view());
    const directions = memory.float64(rows * width);
    const shadows = memory.float64(vertexCount * width);
    const view = directions.view();
    for (let e = 0; e < view.length; e++) view[e] = random.normal();
    for (let iteration = 0; iteration < iterations; iteration++) {
      await multiplyInto(compute, posed, directions, shadows, width);
      await multiplyInto(compute, turned, shadows, directions, width);
      orthonormalizeColumns(directions.view(), rows, width);
    }
    await multiplyInto(compute, posed, directions, shadows, width);
    const gram = measureGram(shadows.view(), vertexCount, width);
    const { values, vectors } = eigenSymmetric(gram, width);
    let total = 0;
    for (const x of posed.view()) total += x * x;
    let rank = 0;
    let left = total;
    while (rank < width && left > tail) left -= Math.max(0, values[rank++]);
    rank = Math.min(width, Math.max(4, 4 * Math.ceil(rank / 4)));
    return left > acceptable ? undefined : await makeRows(compute, trajectories, directions, vectors, width, rank);
  });
}

async function makeRows(
  compute: Compute,
  trajectories: Trajectories,
  directions: Resident<Float64Array>,
  vectors: Float64Array,
  width: number,
  rank: number,
): Promise<ReducedRows> {
  const rows = 3 * trajectories.frameCount;
  const transposed = compute.float64(rows * rank);
  const basis = compute.float64(rows * rank);
  const coordinates = compute.float64(trajectories.vertexCount * rank);
  await compute.scope(async (memory) => {
    const turn = memory.float64(width * rank);
    const turnView = turn.view();
    for (let n = 0; n < rank; n++) for (let c = 0; c < width; c++) turnView[c * rank + n] = vectors[n * width + c];
    await multiplyInto(compute, directions, turn, transposed, rank);
  });
  transposeInto(transposed.view(), rows, rank, basis.view());
  await multiplyInto(compute, trajectories.posed, transposed, coordinates, rank);
  return { rank, basis, transposed, coordinates };
}

function transposeInto(from: Float64Array, rows: number, columns: number, to: Float64Array): void {
  for (let r = 0; r < rows; r++) for (let c = 0; c < columns; c++) to[c * rows + r] = from[r * columns + c];
}

/** Gram–Schmidt, twice; a dependent column becomes zero. */
function orthonormalizeColumns(m: Float64Array, rows: number, columns: number): void {
  for (let c = 0; c < columns; c++) {
    let before = 0;
    for (let r = 0; r < rows; r++) before += m[r * columns + c] ** 2;
    for (let iteration = 0; iteration < 2; iteration++) {
      for (let p = 0; p < c; p++) {
        let dot = 0;
        for (let r = 0; r < rows; r++) dot += m[r * columns + p] * m[r * columns + c];
        for (let r = 0; r < rows; r++) m[r * columns + c] -= dot * m[r * columns + p];
      }
    }
    let square = 0;
    for (let r = 0; r < rows; r++) square += m[r * columns + c] ** 2;
    const scale = square > MIN_NEW * before && square > 0 ? 1 / Math.sqrt(square) : 0;
    for (let r = 0; r < rows; r++) m[r * columns + c] *= scale;
  }
}

function measureGram(m: Float64Array, rows: number, columns: number): Float64Array {
  const gram = new Float64Array(columns * columns);
  for (let r = 0; r < rows; r++) {
    const o = r * columns;
    for (let a = 0; a < columns; a++) {
      const x = m[o + a];
      for (let b = 0; b <= a; b++) gram[a * columns + b] += x * m[o + b];
    }
  }
  for (let a = 0; a < columns; a++) for (let b = 0; b < a; b++) gram[b * columns + a] = gram[a * columns + b];
  return gram;
}
