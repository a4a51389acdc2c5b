// SPDX-License-Identifier: MIT
// Weights with the smoothness term of the multi-pass method (Course 2014, Eq. 24c): E_S = Σⱼ wⱼᵀ L wⱼ with L = I − A, A the mean over the one-ring. With fixed
// neighbours, the term of vertex i is |wᵢ − w̄ᵢ|² + const, w̄ᵢ the mean of its neighbours' weights. That is one more row per bone in the vertex's own
// least squares: bone j has √(ωS) in row j and zero in the others, and the target is √(ωS) w̄ᵢ. So rows are added to trajectories and bones, and the weight
// kernel is unchanged. ω is relative to the mean squared error in units of the enclosing ball (the course's ω is about this divided by n).
//
// All vertices use the weights of the previous pass (Jacobi, not Gauss-Seidel), so that the number of threads does not change the result.

import { boneProductsInto, reserveBoneProducts } from '../../core/kernels/bones/bone-products.ts';
import type { Compute, Resident } from '../../core/kernels/compute.ts';
import { reserveTrajectories, type Trajectories } from '../../core/kernels/matrices/trajectories.ts';
import { convexWeights } from '../../core/kernels/weights/convex-weights.ts';
import type { Adjacency } from '../../core/mesh/topology/adjacency.ts';
import type { SkinFit } from './skin-fit.ts';

/** Solves weights of a fit with smoothness; keeps the extended trajectories between calls. */
export class SmoothWeightSolver {
  readonly #fit: SkinFit;
  readonly #adjacency: Adjacency;
  readonly #longer: Trajectories;
  readonly #bones: Resident<Float64Array>;
  readonly #rows: number;

  /**
   * @param compute allocates the extended trajectories
   * @param adjacency neighbours of the fit's points
   */
  constructor(compute: Compute, fit: SkinFit, adjacency: Adjacency) {
    const { trajectories, boneCount } = fit;
    const { vertexCount, frameCount } = trajectories;
    this.#fit = fit;
    this.#adjacency = adjacency;
    this.#rows = 3 * frameCount;
    this.#longer = reserveTrajectories(compute, vertexCount, frameCount + Math.ceil(boneCount / 3));
    this.#longer.rest.view().set(trajectories.rest.view());
    this.#bones = compute.float64(12 * this.#longer.frameCount * boneCount);
    const posed = trajectories.posed.view();
    const longer = this.#longer.posed.view();
    const length = 3 * this.#longer.frameCount;
    for (let i = 0; i < vertexCount; i++) longer.set(posed.subarray(i * this.#rows, (i + 1) * this.#rows), i * length);
  }

  /** Solves all weights for the present bones; the error of the fit becomes that of the data term only. */
  async solve(omega: number, start: 'warm' | 'both'): Promise<void> {
    const fit = this.#fit;
    const { compute, boneCount, weights, options, locked } = fit;
    const { vertexCount, frameCount } = fit.trajectories;
    const rows = this.#rows;
    const strength = Math.sqrt(omega * frameCount);
    // the rest shape may have been corrected
    this.#longer.rest.view().set(fit.trajectories.rest.view());
    const bones = this.#bones.view();
    bones.set(fit.bones.view());
    bones.fill(0, rows * 4 * boneCount);
    for (let j = 0; j < boneCount; j++) bones[(rows + j) * 4 * boneCount + 4 * j + 3] = strength;
    this.#putMeans(strength);

    await compute.scope(async (memory) => {
      const products = reserveBoneProducts(memory, boneCount);
      await boneProductsInto(memory, this.#bones, boneCount, products);
      await convexWeights(memory, this.#longer, this.#bones, products, weights, {
        start,
        ridge: options.ridge,
        locked,
      });
    });

    // subtract the smoothness term from the errors
    await boneProductsInto(compute, fit.bones, boneCount, fit.products);
    const errors = weights.errors.view();
    const longer = this.#longer.posed.view();
    const length = 3 * this.#longer.frameCount;
    const ids = weights.bones.view();
    const values = weights.weights.view();
    const influences = weights.influences;
    fit.error = 0;
    for (let i = 0; i < vertexCount; i++) {
      let apart = 0;
      for (let j = 0; j < boneCount; j++) apart += longer[i * length + rows + j] ** 2;
      for (let e = i * influences; e < (i + 1) * influences; e++) {
        const w = strength * values[e];
        apart += w * w - 2 * w * longer[i * length + rows + ids[e]];
      }
      errors[i] = Math.max(0, errors[i] - apart);
      fit.error += errors[i];
    }
  }

  /** The added rows: strength times the mean weights of the neighbours; its own weights if a point has no neighbours. */
  #putMeans(strength: number): void {
    const { weights, boneCount, trajectories } = this.#fit;
    const { rowStart, neighbours } = this.#adjacency;
    const longer = this.#longer.posed.view();
    const squares = this.#longer.squares.view();
    const plain = trajectories.squares.view();
    const length = 3 * this.#longer.frameCount;
    const ids = weights.bones.view();
    const values = weights.weights.view();
    const influences = weights.influences;
    for (let i = 0; i < trajectories.vertexCount; i++) {
      const at = i * length + this.#rows;
      longer.fill(0, at, at + boneCount);
      const [begin, end] = [rowStart[i], rowStart[i + 1]];
      const share = strength / Math.max(1, end - begin);
      for (let n = begin; n < Math.max(end, begin + 1); n++) {
        const near = end > begin ? neighbours[n] : i;
        for (let e = near * influences; e < (near + 1) * influences; e++) longer[at + ids[e]] += share * values[e];
      }
      let sum = plain[i];
      for (let j = 0; j < boneCount; j++) sum += longer[at + j] ** 2;
      squares[i] = sum;
    }
  }
}
