// SPDX-License-Identifier: MIT
// Weights as multiples of 1/L of vertices whose largest distance is above a bound. round-weights.ts lowers the sum over frames, which may leave one frame far off. Here
// the residual r = Σ (mⱼ/L) aⱼ is kept for every frame, and a move of steps from one bone to another is made if it lowers the largest |r| over the frames, as long as any does.

import type { Adjacency } from '../../core/mesh/topology/adjacency.ts';
import type { SkinFit } from '../../fit/skin/index.ts';
import { listCandidates } from './list-candidates.ts';

const MAX_MOVES = 60;

/**
 * Changes the weights of a fit in place, where they are multiples of 1/steps.
 * @param bound the distance that is low enough, solver units
 */
export function roundLargest(fit: SkinFit, steps: number, bound: number, neighbours: Adjacency): void {
  const { trajectories, boneCount } = fit;
  const { influences } = fit.weights;
  const rows = 3 * trajectories.frameCount;
  const [ids, weights] = [fit.weights.bones.view(), fit.weights.weights.view()];
  const [rest, posed, bones] = [trajectories.rest.view(), trajectories.posed.view(), fit.bones.view()];
  const listFor = listCandidates(fit, neighbours);
  const residual = new Float64Array(rows);
  for (let i = 0; i < trajectories.vertexCount; i++) {
    const [x, y, z] = rest.subarray(3 * i, 3 * i + 3);
    const offsetsOf = (bone: number): Float64Array => {
      const offsets = new Float64Array(rows);
      for (let row = 0, o = 4 * bone; row < rows; row++, o += 4 * boneCount)
        offsets[row] = bones[o] * x + bones[o + 1] * y + bones[o + 2] * z + bones[o + 3] - posed[i * rows + row];
      return offsets;
    };
    const own = i * influences;
    residual.fill(0);
    for (let e = own; e < own + influences; e++)
      if (weights[e] > 0) {
        const offsets = offsetsOf(ids[e]);
        for (let row = 0; row < rows; row++) residual[row] += weights[e] * offsets[row];
      }
    const largest = largestOf(residual);
    if (largest <= bound * bound) continue;
    const candidates = listFor(i);
    const offsets = candidates.map(offsetsOf);
    const counts = candidates.map((bone) => {
      for (let e = own; e < own + influences; e++)
        if (ids[e] === bone && weights[e] > 0) return Math.round(weights[e] * steps);
      return 0;
    });
    moveSteps({ residual, offsets, counts }, { steps, bound, influences }, largest);
    let e = own;
    for (let c = 0; c < candidates.length; c++) {
      if (counts[c] === 0) continue;
      ids[e] = candidates[c];
      weights[e++] = counts[c] / steps;
    }
    ids.fill(0, e, own + influences);
    weights.fill(0, e, own + influences);
  }
}

/** A vertex, and its candidates. */
interface RoundedVertex {
  /** frameCount x 3: the residual of the present weights */
  residual: Float64Array;
  /** By candidate, the residual of its whole weight. */
  offsets: readonly Float64Array[];
  /** By candidate, its weight in steps. */
  counts: number[];
}

/** Moves steps between candidates in place while that lowers the largest squared distance, which is above the bound. */
function moveSteps(
  { residual, offsets, counts }: RoundedVertex,
  { steps, bound, influences }: { steps: number; bound: number; influences: number },
  start: number,
): void {
  let largest = start;
  for (let n = 0; n < MAX_MOVES && largest > bound * bound; n++) {
    const used = counts.filter((count) => count > 0).length;
    let [best, from, to, moved] = [largest, 0, 0, 0];
    for (let a = 0; a < counts.length; a++) {
      if (counts[a] === 0) continue;
      for (let b = 0; b < counts.length; b++) {
        if (a === b) continue;
        for (let t = 1; t <= counts[a]; t *= 2) {
          if (counts[b] === 0 && t < counts[a] && used >= influences) continue;
          const next = largestAfter(residual, offsets[a], offsets[b], t / steps, best);
          if (next < best) [best, from, to, moved] = [next, a, b, t];
        }
      }
    }
    if (moved === 0) break;
    counts[from] -= moved;
    counts[to] += moved;
    for (let row = 0; row < residual.length; row++)
      residual[row] += (moved / steps) * (offsets[to][row] - offsets[from][row]);
    largest = best;
  }
}

/** The largest squared distance of a frame. */
function largestOf(residual: Float64Array): number {
  let largest = 0;
  for (let o = 0; o < residual.length; o += 3)
    largest = Math.max(largest, residual[o] ** 2 + residual[o + 1] ** 2 + residual[o + 2] ** 2);
  return largest;
}

/** The same after a move; any number of at least `enough` if it is not less than that. */
function largestAfter(
  residual: Float64Array,
  from: Float64Array,
  to: Float64Array,
  part: number,
  enough: number,
): number {
  let largest = 0;
  for (let o = 0; o < residual.length; o += 3) {
    const x = residual[o] + part * (to[o] - from[o]);
    const y = residual[o + 1] + part * (to[o + 1] - from[o + 1]);
    const z = residual[o + 2] + part * (to[o + 2] - from[o + 2]);
    const square = x * x + y * y + z * z;
    if (square > largest) {
      if (square >= enough) return square;
      largest = square;
    }
  }
  return largest;
}
