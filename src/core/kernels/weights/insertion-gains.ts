// SPDX-License-Identifier: MIT
// The error reduction (gain) of each of several new bones added to the present blend. With r the residual of a vertex, E = |r|², and a = Mũ − v the residual under the new
// bone alone, its best weight s gives |(1 − s) r + s a|²: the gain is (E − a·r)²/(E − 2 a·r + |a|²) where a·r < E, for s at most one.
// Summed over vertices (over a regular subset if there are many) this ranks proposals. The true gain, with all weights re-solved under the limit K, may be larger
// or smaller; callers find it by trying.
import { type Compute, uploadFloat64 } from '../compute.ts';
import { callOf, type KernelCall, kernel, type Resident } from '../kernel.ts';
import type { Trajectories } from '../matrices/trajectories.ts';
import type { FitWeights } from './convex-weights.ts';

const CHUNK = 32;
/** Approximate number of vertices used: enough to rank proposals. */
const RANKING_VERTICES = 700;

/**
 * Gains of newCount bones.
 * @param bones the present ones: rows x 4 boneCount
 * @param fresh rows x 4 x newCount, newCount even: the new bones, bone index last
 */
export async function insertionGains(
  compute: Compute,
  trajectories: Trajectories,
  bones: Resident<Float64Array>,
  fit: FitWeights,
  fresh: Float64Array,
  newCount: number,
): Promise<Float64Array> {
  return compute.scope(async (memory) => {
    const candidates = uploadFloat64(memory, fresh);
    const gains = new InsertionGains(memory, trajectories, bones, fit, candidates, newCount);
    await compute.runAll([gains.call]);
    return gains.sum();
  });
}

/** The same as a call for runAll, with memory from the given compute. */
export class InsertionGains {
  readonly call: KernelCall;
  readonly #parts: Resident<Float64Array>;
  readonly #newCount: number;

  constructor(
    memory: Compute,
    { vertexCount, frameCount, rest, posed }: Trajectories,
    bones: Resident<Float64Array>,
    fit: FitWeights,
    fresh: Resident<Float64Array>,
    newCount: number,
  ) {
    const boneCount = bones.length / (12 * frameCount);
    const chunkCount = Math.ceil(vertexCount / CHUNK);
    this.#newCount = newCount;
    this.#parts = memory.float64(chunkCount * newCount);
    const scratch = memory.float64(2 * newCount * memory.threads);
    const args = {
      ...{ rest, posed, bones, ids: fit.bones, weights: fit.weights, fresh, parts: this.#parts, scratch },
      ...{ vertexCount, rows: 3 * frameCount, boneCount, influences: fit.influences, newCount },
      ...{ bytesPerThread: 2 * newCount * 8, chunkSize: CHUNK },
      step: Math.max(1, Math.floor(vertexCount / RANKING_VERTICES)),
    };
    this.call = callOf(insertionGainsKernel, args, chunkCount);
  }

  /** The gains after the call. */
  sum(): Float64Array {
    const gains = new Float64Array(this.#newCount);
    const parts = this.#parts.view();
    for (let e = 0; e < parts.length; e++) gains[e % this.#newCount] += parts[e];
    return gains;
  }
}

export const insertionGainsKernel = kernel(
  'insertionGains',
  {
    rest: 'f64',
    posed: 'f64',
    bones: 'f64',
    /** vertexCount x influences */
    ids: 'u32',
    /** vertexCount x influences */
    weights: 'f64',
    /** rows x 4 x newCount */
    fresh: 'f64',
    /** chunkCount x newCount, filled */
    parts: 'f64',
    vertexCount: 'int',
    rows: 'int',
    boneCount: 'int',
    influences: 'int',
    newCount: 'int',
    scratch: 'f64',
    bytesPerThread: 'int',
    chunkSize: 'int',
    /** every how many vertices one counts */
    step: 'int',
  },
  (
    {
      rest: u,
      posed: v,
      bones: t,
      ids,
      weights,
      fresh,
      parts,
      vertexCount,
      rows,
      boneCount,
      influences,
      newCount,
      chunkSize,
      step,
    },
    chunk,
  ) => {
    const end = Math.min(vertexCount, (chunk + 1) * chunkSize);
    const own = new Float64Array(newCount);
    const cross = new Float64Array(newCount);
    parts.fill(0, chunk * newCount, (chunk + 1) * newCount);
    for (let i = chunk * chunkSize; i < end; i += step) {
      const h = [u[3 * i], u[3 * i + 1], u[3 * i + 2], 1];
      own.fill(0);
      cross.fill(0);
      let error = 0;
      for (let row = 0; row < rows; row++) {
        const target = v[i * rows + row];
        let residual = -target;
        for (let a = i * influences; a < (i + 1) * influences; a++) {
          for (let c = 0; c < 4; c++) residual += weights[a] * t[row * 4 * boneCount + 4 * ids[a] + c] * h[c];
        }
        error += residual * residual;
        for (let p = 0; p < newCount; p++) {
          let e = -target;
          for (let c = 0; c < 4; c++) e += fresh[(row * 4 + c) * newCount + p] * h[c];
          own[p] += e * e;
          cross[p] += e * residual;
        }
      }
      for (let p = 0; p < newCount; p++) {
        const top = error - cross[p];
        const bottom = error - 2 * cross[p] + own[p];
        if (top > 0 && bottom > 0) parts[chunk * newCount + p] += top * Math.min(top / bottom, 1);
      }
    }
  },
);
