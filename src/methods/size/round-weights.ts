// SPDX-License-Identifier: MIT
// Weights as multiples of 1/L that sum to one, with the least error. With aⱼ = Mⱼũ − v (core/kernels/weights/convex-weights.ts) and H = aᵀa, integers m ≥ 0 with Σ m = L have the
// error mᵀHm/L². Moving t steps from bone a to bone b changes mᵀHm by t²(Hₐₐ + H_bb − 2Hₐ_b) + 2t((Hm)_b − (Hm)ₐ), whose minimum over t is known; the best
// move over all pairs is made until none lowers the error. Rounding each weight by itself is far worse: a weight of 0.004 on a bone that would carry the vertex
// across the body matters, and its error can be cancelled by another bone (horse-gallop, 36 bones, L = 255: the distortion grows from 0.84 to 1.27 % by
// itself, see src/methods/size/README.md).
//
// Candidates are the bones of the vertex and of its neighbours.

import { widthOf } from '../../core/kernels/bones/bone-products.ts';
import { productsSym4Into, SYM4_SIZE } from '../../core/math/sym4.ts';
import type { Adjacency } from '../../core/mesh/topology/adjacency.ts';
import type { SkinFit } from '../../fit/skin/index.ts';
import { listCandidates, MAX_CANDIDATES } from './list-candidates.ts';

const MAX_MOVES = 40;

/** Rounds the weights of a fit in place; the products of the fit must belong to its bones. Fills its errors. */
export function roundWeights(fit: SkinFit, steps: number, neighbours: Adjacency): void {
  const { trajectories } = fit;
  const { influences } = fit.weights;
  const [ids, weights, errors] = [fit.weights.bones.view(), fit.weights.weights.view(), fit.weights.errors.view()];
  const problem = new StepProblem(fit);
  const listFor = listCandidates(fit, neighbours);
  const before = weights.slice();
  fit.error = 0;
  for (let i = 0; i < trajectories.vertexCount; i++) {
    const candidates = listFor(i);
    const own = before.subarray(i * influences, (i + 1) * influences);
    problem.enter(i, candidates);
    problem.start(own, steps);
    errors[i] = problem.descend(influences) / (steps * steps);
    fit.error += errors[i];
    let e = i * influences;
    for (let c = 0; c < candidates.length; c++) {
      if (problem.counts[c] === 0) continue;
      ids[e] = candidates[c];
      weights[e++] = problem.counts[c] / steps;
    }
    ids.fill(0, e, (i + 1) * influences);
    weights.fill(0, e, (i + 1) * influences);
  }
}

/** The integer problem of one vertex. */
class StepProblem {
  /** Steps per candidate. */
  readonly counts = new Int32Array(MAX_CANDIDATES);
  readonly #fit: SkinFit;
  readonly #gram = new Float64Array(MAX_CANDIDATES * MAX_CANDIDATES);
  readonly #linear = new Float64Array(MAX_CANDIDATES);
  readonly #product = new Float64Array(MAX_CANDIDATES);
  readonly #position = new Float64Array(SYM4_SIZE);
  #count = 0;

  constructor(fit: SkinFit) {
    this.#fit = fit;
  }

  /** Fills H for the candidates of a vertex. */
  enter(i: number, candidates: readonly number[]): void {
    const { trajectories, boneCount, products } = this.#fit;
    const rows = 3 * trajectories.frameCount;
    const [rest, posed, bones, pairs] = [
      trajectories.rest.view(),
      trajectories.posed.view(),
      this.#fit.bones.view(),
      products.pairs.view(),
    ];
    const width = widthOf(boneCount);
    const [x, y, z] = rest.subarray(3 * i, 3 * i + 3);
    productsSym4Into(x, y, z, this.#position);
    this.#count = candidates.length;
    for (let c = 0; c < candidates.length; c++) {
      let sum = 0;
      for (let row = 0, o = 4 * candidates[c], v = i * rows; row < rows; row++, o += 4 * boneCount, v++)
        sum += posed[v] * (bones[o] * x + bones[o + 1] * y + bones[o + 2] * z + bones[o + 3]);
      this.#linear[c] = sum;
    }
    const square = trajectories.squares.view()[i];
    for (let a = 0; a < candidates.length; a++) {
      const table = candidates[a] * SYM4_SIZE * width;
      for (let b = 0; b <= a; b++) {
        let product = 0;
        for (let c = 0; c < SYM4_SIZE; c++) product += pairs[table + c * width + candidates[b]] * this.#position[c];
        const h = product - this.#linear[a] - this.#linear[b] + square;
        this.#gram[a * MAX_CANDIDATES + b] = h;
        this.#gram[b * MAX_CANDIDATES + a] = h;
      }
    }
  }

  /** Rounds the weights of the first candidates, the rest to the largest. */
  start(weights: Float64Array, steps: number): void {
    this.counts.fill(0);
    let sum = 0;
    let largest = 0;
    for (let e = 0, c = 0; e < weights.length; e++) {
      if (!(weights[e] > 0)) continue;
      this.counts[c] = Math.round(weights[e] * steps);
      sum += this.counts[c];
      if (this.counts[c] > this.counts[largest]) largest = c;
      c++;
    }
    this.counts[largest] += steps - sum;
    for (let a = 0; a < this.#count; a++) {
      let product = 0;
      for (let b = 0; b < this.#count; b++) product += this.#gram[a * MAX_CANDIDATES + b] * this.counts[b];
      this.#product[a] = product;
    }
  }

  /** Makes the best move until none lowers the error; returns mᵀHm. */
  descend(influences: number): number {
    const [counts, gram, product] = [this.counts, this.#gram, this.#product];
    for (let n = 0; n < MAX_MOVES; n++) {
      let used = 0;
      for (let c = 0; c < this.#count; c++) if (counts[c] > 0) used++;
      let best = 0;
      let [from, to, step] = [0, 0, 0];
      for (let a = 0; a < this.#count; a++) {
        if (counts[a] === 0) continue;
        for (let b = 0; b < this.#count; b++) {
          if (a === b) continue;
          const curve = gram[a * MAX_CANDIDATES + a] + gram[b * MAX_CANDIDATES + b] - 2 * gram[a * MAX_CANDIDATES + b];
          const slope = product[b] - product[a];
          const isNew = counts[b] === 0;
          const wanted = curve > 0 ? Math.round(-slope / curve) : 0;
          for (const t of [Math.min(counts[a], Math.max(1, wanted)), counts[a]]) {
            const isEmptied = t === counts[a];
            if (isNew && !isEmptied && used >= influences) continue;
            const change = t * t * curve + 2 * t * slope;
            if (change < best) [best, from, to, step] = [change, a, b, t];
          }
        }
      }
      if (step === 0) break;
      counts[from] -= step;
      counts[to] += step;
      for (let c = 0; c < this.#count; c++)
        product[c] += step * (gram[c * MAX_CANDIDATES + to] - gram[c * MAX_CANDIDATES + from]);
    }
    let error = 0;
    for (let c = 0; c < this.#count; c++) error += counts[c] * product[c];
    return Math.max(0, error);
  }
}
