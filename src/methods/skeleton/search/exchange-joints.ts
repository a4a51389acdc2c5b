// SPDX-License-Identifier: MIT
// Improves the tree of a solved skeleton. Eq. 21 finds the tree from free bones, and weights adapt to it, so a wrong link stays: the last two bones of a tail in the wrong order, or a thigh linked to the
// shank instead of the hip. Here a joint between u and v is replaced with one between v and a neighbour w of u, if this lowers the error with exactly connected joints. A replacement is tried only if v and w
// share weights and their gap (pair-joints.ts) is small: of 82 possible replacements in the fox, 6 are tried, and they contain all that lower the error.

import type { Compute } from '../../../core/kernels/compute.ts';
import type { SkinFit } from '../../../fit/skin/index.ts';
import { measureBlends } from '../joints/bone-blends.ts';
import { type JointEdge, type JointTree, listJointEdges, makeJointTree } from '../joints/joint-tree.ts';
import { pairGapInto, solvePairJoint } from '../joints/pair-joints.ts';
import type { SolveStrictOptions } from '../joints/solve-strict.ts';
import { dropBones } from '../prune/drop-bones.ts';
import { type TreeTrial, tryTree } from '../prune/tree-trial.ts';

/** Minimum blend of the new pair, relative to the weights of the smaller bone, and maximum gap, in mean errors of a vertex, of all vertices or of those of one of the bones. Chosen on the fox. */
const MIN_BLEND = 0.02;
const MAX_GAP = 30;
/** Iterations of every trial, and of the best one. */
const ITERATIONS = 2;
const BEST_ITERATIONS = 6;
/** Maximum ratio of the squared error of a trial after its first iterations. */
const MAX_FIRST_RATIO = 1.02;
/** …after which a trial goes on if it has lowered the squared error, or hardly raised that of the vertices of its three bones, against the present tree after as many iterations. Chosen on the fox, the bird and five
 * generated creatures: no other replacement lowered the error in the end. */
const MIN_FIRST_FALL = 0.985;
const MAX_FIRST_RISE = 1.02;
/** A replacement is kept if, after as many iterations as the present tree, it lowers the squared error of all vertices, or raises it insignificantly and lowers that of the vertices of its three bones. Chosen on the fox. */
const MAX_RATIO = 0.99;
const MAX_TIE_RATIO = 1.003;
const MAX_LOCAL_RATIO = 0.9;

/** A vertex follows bones if the sum of their weights exceeds this. */
const HALF = 0.5;

interface Exchange {
  /** The bones u, v and w. */
  bones: readonly number[];
  /** Index of the joint that is replaced. */
  edge: number;
  joint: JointEdge;
  gap: number;
  key: string;
}

/**
 * The best replacement of one joint, or undefined if none lowers the error.
 * @param tried keys of replacements that were tried before; new ones are added
 * @param only a bone that a replacement must contain, or -1
 */
export async function exchangeJoints(
  fit: SkinFit,
  tree: JointTree,
  tried: Set<string>,
  only: number,
  options: SolveStrictOptions,
): Promise<TreeTrial | undefined> {
  const exchanges = await listExchanges(fit, tree, tried, only);
  if (exchanges.length === 0) return undefined;
  const limit = MAX_FIRST_RATIO * fit.error;
  const trials: (TreeTrial & Pick<Exchange, 'bones' | 'key'>)[] = [];
  for (const { bones, edge, joint, key } of exchanges) {
    if (options.monitor.isStopped) return undefined;
    const edges = listJointEdges(tree).filter((_, n) => n !== edge);
    const next = makeJointTree(tree.boneCount, [...edges, joint], tree.order[0]);
    const trial = await fit.compute.scope((memory) =>
      tryTree(memory, copyOf(fit, memory), next, limit, ITERATIONS, options),
    );
    if (trial.error < limit && !isAstray(trial, bones)) trials.push({ ...trial, bones, key });
    else tried.add(key);
  }
  if (trials.length === 0) return undefined;
  // the present tree would also improve with more iterations
  const more = (trial: Pick<TreeTrial, 'state' | 'tree'>) =>
    fit.compute.scope((memory) => {
      const copy = copyOf(fit, memory);
      copy.restore(trial.state);
      return tryTree(memory, copy, trial.tree, limit, BEST_ITERATIONS, options);
    });
  const first = await fit.compute.scope((memory) => {
    const copy = { ...tree, joints: tree.joints.slice() };
    return tryTree(memory, copyOf(fit, memory), copy, limit, ITERATIONS, options);
  });
  const present = await more(first);
  for (const trial of trials.sort((p, q) => p.error - q.error)) {
    if (options.monitor.isStopped) return undefined;
    tried.add(trial.key);
    const localOf = (one: TreeTrial): number => sumLocal(fit, trial.bones, one);
    if (trial.error > MIN_FIRST_FALL * first.error && localOf(trial) > MAX_FIRST_RISE * localOf(first)) continue;
    const last = await more(trial);
    const ratio = last.error / present.error;
    const local = localOf(last) / localOf(present);
    const isBetter = ratio < MAX_RATIO || (ratio < MAX_TIE_RATIO && local < MAX_LOCAL_RATIO);
    if (isBetter && !isAstray(last, trial.bones)) return last;
  }
  return undefined;
}

/** Whether the new joint, between v and w, is outside or far from its bones. */
function isAstray({ tree, astray }: TreeTrial, [, v, w]: readonly number[]): boolean {
  return astray.includes(tree.parents[v] === w ? v : w);
}

/** The squared error of the vertices that follow one of the bones in the fit. */
function sumLocal({ weights }: SkinFit, bones: readonly number[], { state: { errors } }: TreeTrial): number {
  const [ids, values] = [weights.bones.view(), weights.weights.view()];
  let sum = 0;
  for (let i = 0; i < errors.length; i++) {
    let part = 0;
    for (let e = i * weights.influences; e < (i + 1) * weights.influences; e++)
      if (bones.includes(ids[e])) part += values[e];
    if (part > HALF) sum += errors[i];
  }
  return sum;
}

const copyOf = (fit: SkinFit, memory: Compute): SkinFit => dropBones(fit, () => false, memory);

/** Replacements of pairs that share weights and have a small gap, in ascending order of the gap. */
async function listExchanges(fit: SkinFit, tree: JointTree, tried: Set<string>, only: number): Promise<Exchange[]> {
  const { boneCount } = fit;
  await fit.measureMoments();
  const blends = measureBlends(fit);
  const pairs = fit.products.pairs.view();
  const errors = measureBoneErrors(fit, blends.masses);
  const floor = fit.error / fit.trajectories.vertexCount;
  const gap = new Float64Array(10);
  const near: number[][] = Array.from({ length: boneCount }, () => []);
  const edges = listJointEdges(tree);
  for (const { a, b } of edges) {
    near[a].push(b);
    near[b].push(a);
  }
  const exchanges: Exchange[] = [];
  for (const [edge, { a, b }] of edges.entries()) {
    for (const [u, v] of [
      [a, b],
      [b, a],
    ]) {
      for (const w of near[u]) {
        const key = `${u} ${v} ${w}`;
        if (w === v || tried.has(key) || (only >= 0 && ![u, v, w].includes(only))) continue;
        const o = v * boneCount + w;
        if (!(blends.sums[o] > MIN_BLEND * Math.min(blends.masses[v], blends.masses[w]))) continue;
        pairGapInto(pairs, boneCount, v, w, gap);
        const { joint, error } = solvePairJoint(gap, blends.centers.subarray(3 * o, 3 * o + 3), 'soft');
        const scale = Math.max(floor, errors[u], errors[v], errors[w]);
        if (error < MAX_GAP * scale)
          exchanges.push({ bones: [u, v, w], edge, joint: { a: w, b: v, joint }, gap: error, key });
      }
    }
  }
  return exchanges.sort((p, q) => p.gap - q.gap || (p.key < q.key ? -1 : 1));
}

/** boneCount: the mean squared error of the vertices of each bone, by weight */
function measureBoneErrors({ weights }: SkinFit, masses: Float64Array): Float64Array {
  const [ids, values, errors] = [weights.bones.view(), weights.weights.view(), weights.errors.view()];
  const sums = new Float64Array(masses.length);
  for (let e = 0; e < values.length; e++) sums[ids[e]] += values[e] * errors[Math.floor(e / weights.influences)];
  return sums.map((sum, j) => (masses[j] > 0 ? sum / masses[j] : 0));
}
