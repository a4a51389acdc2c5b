// SPDX-License-Identifier: MIT
// Weights of bones from the planes of all frames.
//
// With bones T_j^k, a point of the template p is at x^k = Σ_j w_j T_j^k p in frame k. Its match there is a plane through q with the normal n (find-matches.ts). Since Σ_j w_j = 1, its error is linear in the weights,
//   x^k − q = Σ_j w_j e_j^k,   e_j^k = T_j^k p − q,
// and the weights of a point minimize  wᵀ H w + μ |w − w̄|² + λ Σ_k |Σ_j (w_j − w̄_j) T_j^k p|²  over w ≥ 0, Σ w = 1, with  H = Σ_k u_k Σ [(1 − τ) (n·e_j)(n·e_l) + τ e_j·e_l]  and w̄ the mean over its neighbours. All
// frames share the weights, so that a plane in one frame limits how the point slides in all others. The last term is the distance between where the point is with its own weights and with those of its neighbours: weights of
// bones that move apart are smoother than those of bones that move together. Points are solved one after the other (Gauss-Seidel). A match of a point inside of a triangle counts for the corner with the largest weight.

import { makeSimplexSolver } from '../../../core/algebra/simplex-least-squares.ts';
import type { Adjacency } from '../../../core/mesh/topology/adjacency.ts';
import type { Matches } from '../register/find-matches.ts';
import { type DeformationGraph, GRAPH_INFLUENCES, type GraphPose } from '../solve/make-deformation-graph.ts';

/** Bones that a point may have before the largest weights are chosen. */
const C = 8;
const K = GRAPH_INFLUENCES;
/** Bones within this number of edges of a point are candidates. */
const RINGS = 3;
/** Weight μ of smoothness, in squared box diagonals per frame. Chosen on the running fox and the flapping bird from 1e-3 to 1e-1 for ten frames; less lets weights follow noise. */
const SMOOTHNESS = 1e-4;
/** Weight λ of the distance to where the weights of neighbours put a point, relative to a match. Over the ten motions of refine-by-skin.ts, 96.8 % of the vertices are within 1 % with 0.03, and 96.7 % without; 0.06 is as good on four of them. */
const MOTION_SMOOTHNESS = 0.03;
const SWEEPS = 10;

/** Solves for the weights of all points. */
export class BoneWeights {
  readonly #rest: Float64Array;
  readonly #adjacency: Adjacency;
  readonly #graph: DeformationGraph;
  /** pointCount x C bones; -1: none */
  readonly #candidates: Int32Array;
  /** pointCount x C */
  readonly #values: Float64Array;
  /** pointCount x C x C */
  readonly #h: Float64Array;
  /** pointCount x C x C: products of the places that bones give a point, relative to where it is, summed over frames */
  readonly #spread: Float64Array;
  /** C x 3: e_j of a match */
  readonly #errors = new Float64Array(3 * C);
  #frameCount = 0;

  /** @param graph the bones; its weights are the start */
  constructor(graph: DeformationGraph, rest: Float64Array, adjacency: Adjacency) {
    const pointCount = rest.length / 3;
    this.#graph = graph;
    this.#rest = rest;
    this.#adjacency = adjacency;
    this.#candidates = new Int32Array(pointCount * C).fill(-1);
    this.#values = new Float64Array(pointCount * C);
    this.#h = new Float64Array(pointCount * C * C);
    this.#spread = new Float64Array(pointCount * C * C);
    for (let i = 0; i < pointCount; i++)
      for (let a = K * i, at = C * i; a < K * (i + 1); a++) {
        if (graph.weights[a] === 0) continue;
        this.#candidates[at] = graph.nodes[a];
        this.#values[at++] = graph.weights[a];
      }
    for (let ring = 0; ring < RINGS; ring++) this.#spreadCandidates();
  }

  /**
   * Adds the matches of a frame.
   * @param positions pointCount x 3: the template in this pose
   * @param share τ: of distances to points
   */
  add(pose: GraphPose, positions: Float64Array, matches: Matches, share: number): void {
    const [errors, h, x] = [this.#errors, this.#h, positions];
    const { corners, blends, targets, normals, weights } = matches;
    this.#frameCount++;
    for (let i = 0; i < x.length / 3; i++) {
      const count = this.#bonePlacesInto(i, pose, x[3 * i], x[3 * i + 1], x[3 * i + 2]);
      for (let p = 0; p < count; p++)
        for (let q = 0; q < count; q++) this.#spread[C * (C * i + p) + q] += dotAt(errors, 3 * p, errors, 3 * q);
    }
    for (let m = 0; m < matches.count; m++) {
      const u = weights[m];
      const o = 3 * m;
      const [b0, b1, b2] = [blends[o], blends[o + 1], blends[o + 2]];
      const [i0, i1, i2] = [corners[o], corners[o + 1], corners[o + 2]];
      const i = b0 >= b1 && b0 >= b2 ? i0 : b1 >= b2 ? i1 : i2;
      for (let a = 0; a < 3; a++) {
        // the corner is aimed beside the target, by its distance to the matched place
        const place = b0 * x[3 * i0 + a] + b1 * x[3 * i1 + a] + b2 * x[3 * i2 + a];
        errors[a] = targets[o + a] + x[3 * i + a] - place;
      }
      const count = this.#bonePlacesInto(i, pose, errors[0], errors[1], errors[2]);
      for (let p = 0; p < count; p++) {
        const along = dotAt(errors, 3 * p, normals, o);
        for (let q = 0; q < count; q++) {
          const plane = along * dotAt(errors, 3 * q, normals, o);
          h[C * (C * i + p) + q] += u * ((1 - share) * plane + share * dotAt(errors, 3 * p, errors, 3 * q));
        }
      }
    }
  }

  /** Solves, and writes the largest weights of each point into the graph. */
  solve(): void {
    const pointCount = this.#rest.length / 3;
    const solver = makeSimplexSolver(C);
    const h = new Float64Array(C * C);
    const f = new Float64Array(C);
    const x = new Float64Array(C);
    const means = new Float64Array(C);
    const smoothness = SMOOTHNESS * this.#frameCount;
    for (let sweep = 0; sweep < SWEEPS; sweep++)
      for (let i = 0; i < pointCount; i++) {
        const count = this.#countOf(i);
        if (count < 2) continue;
        for (let n = 0; n < C * C; n++) h[n] = this.#h[C * C * i + n];
        for (let c = 0; c < count; c++) {
          means[c] = this.#meanAround(i, this.#candidates[C * i + c]);
          h[C * c + c] += smoothness;
          f[c] = smoothness * means[c];
          x[c] = this.#values[C * i + c];
        }
        for (let c = 0; c < count; c++)
          for (let d = 0; d < count; d++) {
            const spread = MOTION_SMOOTHNESS * this.#spread[C * (C * i + c) + d];
            h[C * c + d] += spread;
            f[c] += spread * means[d];
          }
        solver.solveInto(h, f, x, count, C);
        for (let c = 0; c < count; c++) this.#values[C * i + c] = x[c];
      }
    for (let i = 0; i < pointCount; i++) this.#keepLargest(i);
  }

  /** Replaces q by T_j p − q for all candidates. Returns their number. */
  #bonePlacesInto(i: number, { rotations, centers }: GraphPose, qx: number, qy: number, qz: number): number {
    const { points } = this.#graph;
    const [rest, errors] = [this.#rest, this.#errors];
    const count = this.#countOf(i);
    for (let c = 0; c < count; c++) {
      const j = this.#candidates[C * i + c];
      const g = 3 * points[j];
      const dx = rest[3 * i] - rest[g];
      const dy = rest[3 * i + 1] - rest[g + 1];
      const dz = rest[3 * i + 2] - rest[g + 2];
      const r = 9 * j;
      errors[3 * c] = rotations[r] * dx + rotations[r + 3] * dy + rotations[r + 6] * dz + centers[3 * j] - qx;
      errors[3 * c + 1] =
        rotations[r + 1] * dx + rotations[r + 4] * dy + rotations[r + 7] * dz + centers[3 * j + 1] - qy;
      errors[3 * c + 2] =
        rotations[r + 2] * dx + rotations[r + 5] * dy + rotations[r + 8] * dz + centers[3 * j + 2] - qz;
    }
    return count;
  }

  #countOf(i: number): number {
    let count = 0;
    while (count < C && this.#candidates[C * i + count] >= 0) count++;
    return count;
  }

  /** The mean weight of a bone over the neighbours of a point. */
  #meanAround(i: number, bone: number): number {
    const { rowStart, neighbours } = this.#adjacency;
    let sum = 0;
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) sum += this.#valueOf(neighbours[e], bone);
    return sum / Math.max(1, rowStart[i + 1] - rowStart[i]);
  }

  #valueOf(i: number, bone: number): number {
    for (let c = C * i; c < C * (i + 1); c++) if (this.#candidates[c] === bone) return this.#values[c];
    return 0;
  }

  /** Points get the bones of their neighbours, in their order, as long as there is a place. */
  #spreadCandidates(): void {
    const before = this.#candidates.slice();
    const { rowStart, neighbours } = this.#adjacency;
    for (let i = 0; i < rowStart.length - 1; i++) {
      let count = this.#countOf(i);
      for (let e = rowStart[i]; e < rowStart[i + 1]; e++)
        for (let c = C * neighbours[e]; c < C * (neighbours[e] + 1) && count < C; c++) {
          if (before[c] < 0) break;
          if (!this.#candidates.subarray(C * i, C * i + count).includes(before[c]))
            this.#candidates[C * i + count++] = before[c];
        }
    }
  }

  #keepLargest(i: number): void {
    const { nodes, weights } = this.#graph;
    const row = Array.from({ length: this.#countOf(i) }, (_, c) => c);
    row.sort((a, b) => this.#values[C * i + b] - this.#values[C * i + a] || a - b);
    const kept = row.slice(0, K);
    const sum = kept.reduce((total, c) => total + this.#values[C * i + c], 0);
    for (let a = 0; a < K; a++) {
      const isKept = a < kept.length;
      nodes[K * i + a] = isKept ? this.#candidates[C * i + kept[a]] : nodes[K * i];
      weights[K * i + a] = isKept ? this.#values[C * i + kept[a]] / sum : 0;
    }
  }
}

function dotAt(u: Float64Array, p: number, v: Float64Array, q: number): number {
  return u[p] * v[q] + u[p + 1] * v[q + 1] + u[p + 2] * v[q + 2];
}
