// SPDX-License-Identifier: MIT
// Removes leaf bones that no vertex mainly follows, if the error hardly rises: their joints have almost no effect, and nothing determines where they are.
import { SkinFit } from '../../../fit/skin/index.ts';
import type { JointTree } from '../joints/joint-tree.ts';
import { type SolveStrictOptions, type StrictSolution, solveStrict } from '../joints/solve-strict.ts';
import { listFollowed } from '../place/list-followed.ts';
import { contractBone } from './contract-bone.ts';

/** Maximum number of iterations after all removals: little changes. */
const ITERATIONS = 20;
/** A leaf is removed if the squared error rises by at most this ratio, and all of them together by at most MAX_RISE. Small weights may add up: without limits, half of the bones of the fox were removed if there were
 * 52 of them, one leaf after the other, and the error rose from 0.04 to 0.8 % of the size. */
const MAX_LEAF_RISE = 0.05;
const MAX_RISE = 0.2;

/** Removes leaf bones until every leaf is the main bone of a vertex, or needed. Returns the given solution, or a new one in its scope. */
export async function pruneLeaves(given: StrictSolution, options: SolveStrictOptions): Promise<StrictSolution> {
  let { fit, tree } = given;
  const kept = new Set<number>();
  for (let bone = findIdleLeaf(fit, tree, kept); bone >= 0 && fit.boneCount > 1; bone = findIdleLeaf(fit, tree, kept)) {
    const limit = Math.min((1 + MAX_LEAF_RISE) * fit.error, (1 + MAX_RISE) * given.fit.error);
    const trial = await contractBone(fit, tree, limit, [bone], options);
    if (!trial) {
      kept.add(bone);
      continue;
    }
    fit = new SkinFit(fit.compute, fit.trajectories, trial.boneCount, fit.options);
    fit.restore(trial.state);
    tree = trial.tree;
    // bones have other indices
    kept.clear();
  }
  if (fit === given.fit) return given;
  const next = await solveStrict(fit, { ...options, iterations: Math.min(ITERATIONS, options.iterations), tree });
  const iterations = given.iterations + next.iterations;
  return next.fit.error <= (1 + MAX_RISE) * given.fit.error ? { ...next, iterations } : { ...given, iterations };
}

/** The last bone with one joint that no vertex mainly follows, or -1. */
function findIdleLeaf(fit: SkinFit, tree: JointTree, kept: ReadonlySet<number>): number {
  const degrees = new Uint32Array(tree.boneCount);
  tree.parents.forEach((p, j) => {
    if (p < 0) return;
    degrees[p]++;
    degrees[j]++;
  });
  const isFollowed = listFollowed(fit);
  for (let j = tree.boneCount - 1; j >= 0; j--) if (degrees[j] === 1 && !isFollowed[j] && !kept.has(j)) return j;
  return -1;
}
