// SPDX-License-Identifier: MIT
// B. H. Le, Z. Deng, SIGGRAPH course 2014, §1.5.1, after Eq. 14: sparse convex weights by solving over all candidates, keeping the K of largest effect, and solving
// again. Eq. 14 as published depends on the origin; here the effect of candidate j is wⱼ² Hⱼⱼ, its contribution measured from the target.
// sparse-simplex.ts finds lower errors; this rule is for comparison and for few candidates.
import { makeSimplexSolver } from './simplex-least-squares.ts';

export interface LargestEffects {
  /** The kept candidates, largest effect first: the first `count` numbers. */
  readonly kept: Int32Array;
  readonly weights: Float64Array;
  readonly count: number;
  /** wᵀHw */
  readonly error: number;
}

/** Makes a solver of min wᵀHw, w ≥ 0, Σw = 1, at most K weights; the result object is reused by the next call. */
export function makeLargestEffects(
  maxMembers: number,
  maxCandidates: number,
): (h: Float64Array, size: number) => LargestEffects {
  const solver = makeSimplexSolver(maxCandidates);
  const zeros = new Float64Array(maxCandidates);
  const all = new Float64Array(maxCandidates);
  const part = new Float64Array(maxMembers * maxMembers);
  const result = { kept: new Int32Array(maxMembers), weights: new Float64Array(maxMembers), count: 0, error: 0 };
  return (h, size) => {
    const { kept, weights } = result;
    all.fill(1 / size, 0, size);
    solver.solveInto(h, zeros, all, size);
    const effectOf = (j: number): number => all[j] * all[j] * h[j * size + j];
    const order = Array.from({ length: size }, (_, j) => j)
      .sort((a, b) => effectOf(b) - effectOf(a) || all[b] - all[a] || a - b)
      .slice(0, maxMembers);
    const count = order.length;
    for (let a = 0; a < count; a++) {
      kept[a] = order[a];
      weights[a] = all[order[a]];
      for (let b = 0; b < count; b++) part[a * count + b] = h[order[a] * size + order[b]];
    }
    solver.solveInto(part, zeros, weights, count);
    result.count = count;
    result.error = 0;
    for (let a = 0; a < count; a++)
      for (let b = 0; b < count; b++) result.error += weights[a] * weights[b] * part[a * count + b];
    return result;
  };
}
