// SPDX-License-Identifier: MIT
// Adds a bone to a solved skeleton where its error is largest: the tip of an ear, or a hub between limbs whose bone has small weights everywhere. Candidates are rigid motions of small patches at the vertices
// with the largest errors, ranked by the closed-form gain (core/kernels/weights/insertion-gains.ts). A candidate is linked to the bone with the lowest cost of Eq. 21, and solved for a few iterations.

import { insertionGains } from '../../../core/kernels/weights/insertion-gains.ts';
import { placeBone, RigidPatches } from '../../../fit/clusters/index.ts';
import type { SkinFit } from '../../../fit/skin/index.ts';
import { measureBlends } from '../joints/bone-blends.ts';
import { type JointEdge, type JointTree, listJointEdges, makeJointTree } from '../joints/joint-tree.ts';
import { pairGapInto, solvePairJoint } from '../joints/pair-joints.ts';
import type { SolveStrictOptions } from '../joints/solve-strict.ts';
import { type TreeTrial, tryTree } from '../prune/tree-trial.ts';
import { addBone } from './add-bone.ts';

/** Number of vertices, their minimum distance relative to the size, and the numbers of points of the patches at each; the product of the numbers is even. */
const SEEDS = 8;
const APART = 0.03;
const PATCHES = [5, 12];
/** Number of candidates that are tried, and iterations of each. With 4, the bird has 21 instead of 23 joints within 3 %; with 8, the fox has 27 instead of 28, in 14 instead of 11 s. */
const TRIALS = 6;
const ITERATIONS = 5;

/**
 * The skeleton with one more bone, the last, or undefined if no bone lowers the squared error below the limit.
 * @param tried vertices at which a bone was tried before; new ones are added
 */
export async function addLimb(
  fit: SkinFit,
  tree: JointTree,
  limit: number,
  tried: Set<number>,
  options: SolveStrictOptions,
): Promise<TreeTrial | undefined> {
  const seeds = listSeeds(fit, APART * options.size, tried);
  if (seeds.length === 0) return undefined;
  let best: TreeTrial | undefined;
  const candidates = await rankPatches(fit, seeds);
  for (const { seed, motion } of candidates.slice(0, TRIALS)) {
    if (options.monitor.isStopped) return undefined;
    tried.add(seed);
    const trial = await fit.compute.scope(async (memory) => {
      const more = addBone(fit, motion, memory);
      await more.solveWeights('warm');
      const link = await findLink(more);
      if (!link) return undefined;
      const next = makeJointTree(more.boneCount, [...listJointEdges(tree), link], tree.order[0]);
      return tryTree(memory, more, next, best?.error ?? limit, ITERATIONS, options);
    });
    // a joint outside, or far from its bones, imitates a translation
    if (trial && !trial.astray.includes(fit.boneCount) && trial.error < (best?.error ?? limit)) best = trial;
  }
  return best;
}

/** Vertices in descending order of their error, none close to another one. */
function listSeeds({ weights, trajectories }: SkinFit, apart: number, tried: Set<number>): number[] {
  const errors = weights.errors.view();
  const rest = trajectories.rest.view();
  const order = Array.from(errors.keys()).sort((a, b) => errors[b] - errors[a] || a - b);
  const seeds: number[] = [];
  const isApart = (i: number, l: number): boolean =>
    (rest[3 * i] - rest[3 * l]) ** 2 +
      (rest[3 * i + 1] - rest[3 * l + 1]) ** 2 +
      (rest[3 * i + 2] - rest[3 * l + 2]) ** 2 >
    apart ** 2;
  for (const i of order) {
    if (seeds.length === SEEDS || !(errors[i] > 0)) break;
    if (!tried.has(i) && seeds.every((l) => isApart(i, l))) seeds.push(i);
  }
  return seeds;
}

/** The better patch of each vertex, in descending order of the gain. */
async function rankPatches(fit: SkinFit, seeds: readonly number[]): Promise<{ seed: number; motion: Float64Array }[]> {
  const { compute, trajectories, bones, weights } = fit;
  const patches = new RigidPatches(trajectories);
  const count = seeds.length * PATCHES.length;
  const fresh = new Float64Array(12 * trajectories.frameCount * count);
  for (const [s, seed] of seeds.entries()) {
    for (const [n, size] of PATCHES.entries()) {
      const patch = patches.listNearest(seed, Math.min(size, trajectories.vertexCount));
      patches.fitInto(patch, fresh, s * PATCHES.length + n, count);
    }
  }
  const gains = await insertionGains(compute, trajectories, bones, weights, fresh, count);
  const found = seeds.map((seed, s) => {
    let best = s * PATCHES.length;
    for (let p = best + 1; p < (s + 1) * PATCHES.length; p++) if (gains[p] > gains[best]) best = p;
    const motion = new Float64Array(12 * trajectories.frameCount);
    placeBone(fresh, best, count, motion, 0, 1);
    return { seed, motion, gain: gains[best] };
  });
  return found.sort((p, q) => q.gain - p.gain || p.seed - q.seed);
}

/** The joint of the last bone with another one, by Eq. 21 with the floor of joint-topology.ts; undefined if it shares no weights. */
async function findLink(fit: SkinFit): Promise<JointEdge | undefined> {
  const { boneCount } = fit;
  const own = boneCount - 1;
  await fit.measureMoments();
  const { sums, centers } = measureBlends(fit);
  const pairs = fit.products.pairs.view();
  const floor = fit.error / fit.trajectories.vertexCount;
  const gap = new Float64Array(10);
  let best: JointEdge | undefined;
  let lowest = Number.POSITIVE_INFINITY;
  for (let b = 0; b < own; b++) {
    const o = own * boneCount + b;
    if (!(sums[o] > 0)) continue;
    pairGapInto(pairs, boneCount, b, own, gap);
    const { joint, error } = solvePairJoint(gap, centers.subarray(3 * o, 3 * o + 3), 'soft');
    const cost = (error + floor) / sums[o];
    if (cost < lowest) {
      lowest = cost;
      best = { a: b, b: own, joint };
    }
  }
  return best;
}
