// SPDX-License-Identifier: MIT
// N. Hasler, T. Thormählen, B. Rosenhahn, H.-P. Seidel, "Learning skeletons for shape and pose", I3D 2010; Course 2014, §2.2: the weights of a vertex by L1 minimization,
//   min over w ≥ 0 of Σₖ |Σⱼ wⱼ Mⱼₖ ũ − vₖ|² + β Σⱼ wⱼ.
// Weights need not sum to one, and their number is not bounded: the penalty only favours few. With Gⱼₗ = ũᵀPⱼₗũ (core/kernels/bones/bone-products.ts) and
// cⱼ = ũᵀ Σₖ Mⱼₖᵀvₖ this is solved on normal equations (methods/decompose/lssp/l1-nonnegative.ts), independently of the number of frames. β is relative to the smallest penalty that
// gives a vertex no weights, 2 max c, so that it has the same meaning at every vertex. The nonzero weights are solved again without the penalty: it would make
// all of them slightly too small, and bones would compensate for it in every iteration.
//
// Weights that do not sum to one depend on the origin. With an origin at o the residual is r + (Σw − 1)o, and its mean square over all directions of o
// is |r|² + |o|²(Σw − 1)²: this is minimized, with |o| the radius of the rest pose's ball, so that a rotated or moved input gives the same result. With the origin
// at the centroid (|o| = 0) weights fit better, but worse after normalization: horse-gallop with 20 bones 2.2 before, 11.9 after; with |o| = 1, 2.55 and 2.60.

import { largestPenaltyOf } from '../../../core/algebra/lasso.ts';
import { boneProductsInto, reserveBoneProducts, widthOf } from '../../../core/kernels/bones/bone-products.ts';
import type { Compute, Resident } from '../../../core/kernels/compute.ts';
import { multiplyInto } from '../../../core/kernels/matrices/multiply.ts';
import type { Trajectories } from '../../../core/kernels/matrices/trajectories.ts';
import { dotSym4TableInto, productsSym4Into, SYM4_SIZE } from '../../../core/math/sym4.ts';
import { makeL1Solver } from './l1-nonnegative.ts';

/**
 * Solves all weights for given bones, starting from the present weights; returns the squared error with that origin.
 * @param bones (3 frameCount) x 4 boneCount
 * @param weights vertexCount x boneCount, not negative; a row without nonzero weights gets its best single bone
 * @param onVertices called regularly with the progress, 0 to 1; return true to stop, and the remaining weights do not change
 */
export async function lsspWeightsInto(
  compute: Compute,
  trajectories: Trajectories,
  bones: Resident<Float64Array>,
  penalty: number,
  weights: Float64Array,
  onVertices?: (part: number) => Promise<boolean>,
): Promise<number> {
  const { vertexCount } = trajectories;
  const boneCount = weights.length / vertexCount;
  const width = widthOf(boneCount);
  return compute.scope(async (memory) => {
    const products = reserveBoneProducts(memory, boneCount);
    await boneProductsInto(memory, bones, boneCount, products);
    const blended = memory.float64(vertexCount * 4 * boneCount);
    await multiplyInto(memory, trajectories.posed, bones, blended, 4 * boneCount);
    const position = new Float64Array(SYM4_SIZE);
    const row = new Float64Array(width);
    const gram = new Float64Array(boneCount * boneCount);
    const linear = new Float64Array(boneCount);
    const x = new Float64Array(boneCount);
    const far = ORIGIN * ORIGIN * trajectories.frameCount;
    const solver = makeL1Solver(boneCount);
    let error = 0;
    for (let begin = 0; begin < vertexCount; begin += BATCH) {
      // fresh views: memory may have grown during the await
      const [rest, squares] = [trajectories.rest.view(), trajectories.squares.view()];
      const [pairs, targets] = [products.pairs.view(), blended.view()];
      for (let i = begin; i < Math.min(vertexCount, begin + BATCH); i++) {
        const [px, py, pz] = [rest[3 * i], rest[3 * i + 1], rest[3 * i + 2]];
        productsSym4Into(px, py, pz, position);
        for (let j = 0; j < boneCount; j++) {
          dotSym4TableInto(pairs, j * SYM4_SIZE * width, width, position, row);
          for (let l = 0; l < boneCount; l++) gram[j * boneCount + l] = row[l] + far;
          const o = (i * boneCount + j) * 4;
          linear[j] = targets[o] * px + targets[o + 1] * py + targets[o + 2] * pz + targets[o + 3] + far;
        }
        const start = i * boneCount;
        for (let j = 0; j < boneCount; j++) x[j] = weights[start + j];
        solver.solveInto(gram, linear, penalty * largestPenaltyOf(linear, 0), x, true);
        if (!x.some((w) => w > 0)) x[indexOfBest(gram, linear)] = 1;
        weights.set(x, start);
        error += Math.max(0, squares[i] + far + measureForm(gram, linear, x));
      }
      if (await onVertices?.(Math.min(1, (begin + BATCH) / vertexCount))) break;
    }
    return error;
  });
}

/** |o|, in radii of the rest pose's smallest ball. Chosen on horse-gallop with 20 bones (see above). */
const ORIGIN = 1;
/** Vertices between two calls of onVertices. */
const BATCH = 512;

/** wᵀGw − 2cᵀw */
function measureForm(gram: Float64Array, linear: Float64Array, w: Float64Array): number {
  const count = linear.length;
  let sum = 0;
  for (let j = 0; j < count; j++) {
    if (w[j] === 0) continue;
    let inner = -2 * linear[j];
    for (let l = 0; l < count; l++) inner += gram[j * count + l] * w[l];
    sum += w[j] * inner;
  }
  return sum;
}

/** The single bone with the lowest error, with weight one. */
function indexOfBest(gram: Float64Array, linear: Float64Array): number {
  const count = linear.length;
  const errorOf = (j: number): number => gram[j * count + j] - 2 * linear[j];
  let best = 0;
  for (let j = 1; j < count; j++) if (errorOf(j) < errorOf(best)) best = j;
  return best;
}
