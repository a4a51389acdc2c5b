// SPDX-License-Identifier: MIT
// Weights and rest positions of vertices under a norm of their distances (fit/norm/refine-norm.ts), for fixed bones. With importance ωₖ per frame:
// - weights: min wᵀHw over the simplex, H = Σₖ ωₖ aⱼₖ·aₗₖ, aⱼ the distance of the vertex under bone j from its target. On a support w = H⁻¹1 / (1ᵀH⁻¹1); the most
//   negative weight leaves the support until none is negative;
// - rest: (Σ ωₖ BₖᵀBₖ) δ = −Σ ωₖ Bₖᵀeₖ, with the blended matrices B and the remaining distances e.
// Steps are halved until the objective of the vertex falls, or undone. norm-vertices-reference.ts has the reference implementation.
import type { Compute } from '../compute.ts';
import { callOf, type KernelCall, type Resident } from '../kernel.ts';
import type { Trajectories } from '../matrices/trajectories.ts';
import type { FitWeights } from '../weights/convex-weights.ts';
import { type NormRule, normFramesKernel, normSquaresKernel, normVerticesKernel } from './norm-vertices-reference.ts';

/** Vertices per chunk. */
const CHUNK = 32;

/** What norms are measured on: trajectories, bones (rows x 4 boneCount) and weights. */
export interface NormFit {
  trajectories: Trajectories;
  bones: Resident<Float64Array>;
  boneCount: number;
  weights: Pick<FitWeights, 'influences' | 'bones' | 'weights'>;
  locked?: Resident<Uint32Array>;
}

export interface NormVerticesOptions {
  keepRest: boolean;
  /** Vertices without a distance above this are not solved. */
  above: number;
}

/**
 * A call for runAll that fills squared distances, with scratch memory from the given compute.
 * @param squares vertexCount x frameCount
 */
export function callNormSquares(memory: Compute, fit: NormFit, squares: Resident<Float64Array>): KernelCall {
  const { vertexCount, frameCount, rest, posed } = fit.trajectories;
  const { influences, bones: ids, weights } = fit.weights;
  const scratch = memory.float64(3 * frameCount * memory.threads);
  const args = {
    ...{ bones: fit.bones, rest, posed, ids, weights, squares, scratch },
    ...{ vertexCount, frameCount, boneCount: fit.boneCount, influences },
    ...{ bytesPerThread: 3 * frameCount * 8, chunkSize: CHUNK },
  };
  return callOf(normSquaresKernel, args, Math.ceil(vertexCount / CHUNK));
}

/** The importance of squared distances, and the objective of each frame. */
export class NormFrames {
  readonly #squares: Resident<Float64Array>;
  readonly #parts: Resident<Float64Array>;
  readonly #frameCount: number;
  readonly #vertexCount: number;

  /** @param squares vertexCount x frameCount */
  constructor(memory: Compute, squares: Resident<Float64Array>, frameCount: number) {
    this.#squares = squares;
    this.#frameCount = frameCount;
    this.#vertexCount = squares.length / frameCount;
    this.#parts = memory.float64(Math.ceil(this.#vertexCount / CHUNK) * frameCount);
  }

  /** A call for runAll that measures objectives, and fills importance (vertexCount x frameCount) if given. */
  call({ p, scale, floor }: NormRule, importance?: Resident<Float64Array>): KernelCall {
    const arrays = { squares: this.#squares, importance, objectives: this.#parts };
    const sizes = { vertexCount: this.#vertexCount, frameCount: this.#frameCount, chunkSize: CHUNK };
    return callOf(normFramesKernel, { ...arrays, ...sizes, p, scale, floor }, Math.ceil(this.#vertexCount / CHUNK));
  }

  /** The objective of each frame after the call. */
  sum(): Float64Array {
    const sums = new Float64Array(this.#frameCount);
    const parts = this.#parts.view();
    for (let o = 0; o < parts.length; o += sums.length) for (let k = 0; k < sums.length; k++) sums[k] += parts[o + k];
    return sums;
  }
}

/**
 * A call for runAll that solves weights and rest positions of the vertices that are not locked, and updates their squared distances.
 * @param squares vertexCount x frameCount
 * @param importance vertexCount x frameCount
 */
export function callNormVertices(
  memory: Compute,
  fit: NormFit,
  squares: Resident<Float64Array>,
  importance: Resident<Float64Array>,
  { p, scale, floor }: NormRule,
  { keepRest, above }: NormVerticesOptions,
): KernelCall {
  const { vertexCount, frameCount, rest, posed } = fit.trajectories;
  const { influences, bones: ids, weights } = fit.weights;
  const perThread = (3 * (influences + 5) + 1) * frameCount + 2 * influences ** 2 + 3 * influences;
  const scratch = memory.float64(perThread * memory.threads);
  const args = {
    ...{ bones: fit.bones, rest, posed, ids, weights, squares, importance, locked: fit.locked, scratch },
    ...{ vertexCount, frameCount, boneCount: fit.boneCount, influences },
    ...{ p, scale, floor, minSquare: above * above, keepRest },
    ...{ bytesPerThread: perThread * 8, chunkSize: CHUNK },
  };
  return callOf(normVerticesKernel, args, Math.ceil(vertexCount / CHUNK));
}
