// SPDX-License-Identifier: MIT
// The course's rule for sparse weights (§1.5.1, after Eq. 14; core/algebra/largest-effects.ts) for all vertices of a fit, for comparison. Slower and less accurate than
// core/kernels/weights/convex-weights.ts (horse-gallop 20, docs/benchmarks/ssdr.md).

import { makeLargestEffects } from '../../core/algebra/largest-effects.ts';
import { widthOf } from '../../core/kernels/bones/bone-products.ts';
import { multiplyTrajectories } from '../../core/kernels/matrices/trajectories.ts';
import { productsSym4Into, SYM4_SIZE } from '../../core/math/sym4.ts';
import type { SkinFit } from './skin-fit.ts';

/** Solves the weights of a fit in place; a vertex keeps its weights if the rule would raise its error. The products must belong to the bones. */
export function effectWeights(fit: SkinFit): void {
  const { trajectories, boneCount, weights } = fit;
  const { vertexCount, frameCount } = trajectories;
  const rest = trajectories.rest.view();
  const posed = trajectories.posed.view();
  const squares = trajectories.squares.view();
  const bones = fit.bones.view();
  const pairs = fit.products.pairs.view();
  const ids = weights.bones.view();
  const ws = weights.weights.view();
  const errors = weights.errors.view();
  const locked = fit.locked?.view();
  const width = widthOf(boneCount);
  const influences = weights.influences;
  const solve = makeLargestEffects(influences, boneCount);
  const h = new Float64Array(boneCount * boneCount);
  const products = new Float64Array(SYM4_SIZE);
  const blended = new Float64Array(4 * boneCount);
  const linear = new Float64Array(boneCount);
  for (let i = 0; i < vertexCount; i++) {
    const [px, py, pz] = rest.subarray(3 * i, 3 * i + 3);
    productsSym4Into(px, py, pz, products);
    multiplyTrajectories(posed, bones, blended, i, i + 1, 3 * frameCount, 4 * boneCount);
    for (let j = 0; j < boneCount; j++)
      linear[j] = blended[4 * j] * px + blended[4 * j + 1] * py + blended[4 * j + 2] * pz + blended[4 * j + 3];
    for (let j = 0; j < boneCount; j++) {
      for (let l = 0; l <= j; l++) {
        let g = squares[i] - linear[j] - linear[l];
        for (let c = 0; c < SYM4_SIZE; c++) g += products[c] * pairs[(j * SYM4_SIZE + c) * width + l];
        h[j * boneCount + l] = h[l * boneCount + j] = g;
      }
      h[j * boneCount + j] *= 1 + fit.options.ridge;
    }
    let before = 0;
    let sum = 0;
    for (let a = i * influences; a < (i + 1) * influences; a++) {
      sum += ws[a];
      for (let b = i * influences; b < (i + 1) * influences; b++)
        before += ws[a] * ws[b] * h[ids[a] * boneCount + ids[b]];
    }
    if (locked?.[i]) {
      errors[i] = Math.max(0, before);
      continue;
    }
    const { kept, weights: found, error: after } = solve(h, boneCount);
    if (sum > 0 && !(after < before)) {
      errors[i] = Math.max(0, before);
      continue;
    }
    errors[i] = Math.max(0, after);
    for (let a = 0; a < influences; a++) {
      ids[i * influences + a] = kept[a];
      ws[i * influences + a] = found[a];
    }
  }
}
