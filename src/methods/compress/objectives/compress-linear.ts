// SPDX-License-Identifier: MIT
// B. H. Le, K. Villeneuve, C. Gonzalez-Ochoa, "Direct Delta Mush skinning compression with continuous examples", ACM Transactions on Graphics 40 (4),
// 2021, doi:10.1145/3450626.3459779, Algorithm 1: the paper's own optimization of Eq. 11a.
//
// Differences: E' of §4.2 needs a trace and a strength without units: α is relative to the mean squared error of the K-means start. The candidates of a point
// are its nearest bones. The threshold of re-initialization is the paper's 1 (a sum of squared weights); the threshold of skipping det Φ < ε is relative, since
// 16 cm² is not the unit of a 4x4 determinant. 'guarded' shortens the published step until Eq. 11a falls.

import type { Mesh } from '../../../core/model/mesh/mesh.ts';
import type { SolveMonitor } from '../../../core/progress/solve-monitor.ts';
import { listMembers } from '../compress-moments.ts';
import type { CompressPoints } from '../compress-points.ts';
import type { CompressProblem } from '../compress-problem.ts';
import { copyBone } from '../virtual-bones/virtual-bones.ts';
import { updateLinearBone } from './compress-linear-bone.ts';
import type { AlternateResult } from './compress-nonlinear.ts';
import { releaseBones } from './compress-relocate.ts';
import { insertNearest, measureNearest, type NearestBones, type StartResult } from './compress-start.ts';
import {
  copyPointWeights,
  makePointWeights,
  type PointWeights,
  type SmoothTerm,
  updateWeights,
} from './update-weights.ts';

/** ε of §4.4 and §6: a bone with a smaller sum of squared weights is re-initialized at the point with the largest error. */
const MIN_USE = 1;
/** §6: stops when E changes by less than this ratio … */
const MIN_CHANGE = 1e-5;
/** … in this number of consecutive iterations. */
const STILL = 5;

export interface LinearOptions {
  influences: number;
  iterations: number;
  candidates: number;
  threshold: number;
  update: 'guarded' | 'printed' | 'none';
  /** α of §4.2 relative to the mean squared error of the start; 0: none. */
  smoothness: number;
}

export async function alternateLinear(
  problem: CompressProblem,
  start: StartResult,
  options: LinearOptions,
  monitor: SolveMonitor,
): Promise<AlternateResult> {
  const { points, mesh, skeleton, linear, maker } = problem;
  const { nearest, responses } = start;
  const bones = start.bones.map(copyBone);
  const fit = makePointWeights(points.pointCount, options.influences);
  const history: number[] = [];
  let best: Pick<AlternateResult, 'bones' | 'fit'> & { total: number } = {
    total: Number.POSITIVE_INFINITY,
    bones,
    fit,
  };
  const smooth = options.smoothness > 0 ? makeSmooth(points, mesh, nearest, options.smoothness) : undefined;
  let still = 0;
  let isStopped = false;
  let iteration = 0;
  for (; ; iteration++) {
    const total = await updateWeights(linear, responses, nearest, fit, {
      candidates: options.candidates,
      smooth,
    });
    const last = history.at(-1) ?? Number.POSITIVE_INFINITY;
    history.push(total);
    if (total < best.total) best = { total, bones: bones.map(copyBone), fit: copyPointWeights(fit) };
    still = Math.abs(last - total) < MIN_CHANGE * last ? still + 1 : 0;
    isStopped = await monitor.tick((iteration + 1) / (options.iterations + 1));
    if (isStopped || iteration >= options.iterations || still >= STILL) break;

    if (options.update !== 'none') {
      const members = listMembers(fit, bones.length);
      const state = { points, skeleton, linear, bones, responses, fit };
      for (let k = 0; k < bones.length; k++) {
        const next = updateLinearBone(state, k, members[k], options);
        if (!next) continue;
        bones[k] = next;
        linear.respond(next, responses[k]);
      }
      measureNearest(linear, responses, nearest, points.pointCount);
    }
    for (const { bone, point } of listWeak(fit, bones.length)) {
      bones[bone] = maker.make([point]);
      linear.respond(bones[bone], responses[bone]);
      const isMoved = new Uint8Array(bones.length);
      isMoved[bone] = 1;
      releaseBones(fit, isMoved);
      for (let i = 0; i < points.pointCount; i++) insertNearest(nearest, i, bone, linear.distance(i, responses[bone]));
    }
  }
  const status = isStopped ? 'stopped' : still >= STILL ? 'converged' : 'max-iterations';
  return { ...best, history, iterations: iteration, status };
}

/** Bones with almost no weight, each with one of the points of largest error. */
function listWeak(fit: PointWeights, boneCount: number): { bone: number; point: number }[] {
  const use = new Float64Array(boneCount);
  for (let a = 0; a < fit.weights.length; a++) use[fit.bones[a]] += fit.weights[a] ** 2;
  const weak = Array.from(use.keys()).filter((k) => use[k] < MIN_USE);
  if (weak.length === 0) return [];
  const worst = Array.from(fit.errors.keys()).sort((a, b) => fit.errors[b] - fit.errors[a] || a - b);
  return weak.map((bone, n) => ({ bone, point: worst[n] }));
}

/** Edges of triangles between points; α relative to the error of points that are bound to their nearest bone. */
function makeSmooth(points: CompressPoints, mesh: Mesh, nearest: NearestBones, smoothness: number): SmoothTerm {
  const around: Set<number>[] = Array.from({ length: points.pointCount }, () => new Set());
  for (let t = 0; t + 2 < mesh.triangles.length; t += 3) {
    for (let c = 0; c < 3; c++) {
      const i = points.pointOfVertex[mesh.triangles[t + c]];
      const j = points.pointOfVertex[mesh.triangles[t + ((c + 1) % 3)]];
      if (i === j) continue;
      around[i].add(j);
      around[j].add(i);
    }
  }
  const rowStart = new Uint32Array(points.pointCount + 1);
  around.forEach((others, i) => {
    rowStart[i + 1] = rowStart[i] + others.size;
  });
  const neighbors = Uint32Array.from(around.flatMap((others) => [...others].sort((a, b) => a - b)));
  let sum = 0;
  for (let i = 0; i < points.pointCount; i++) sum += nearest.distances[i * nearest.width];
  return { strength: (smoothness * sum) / points.pointCount, rowStart, neighbors };
}
