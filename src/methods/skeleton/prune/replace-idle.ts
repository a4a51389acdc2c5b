// SPDX-License-Identifier: MIT
// Replaces idle bones. A free bone may lose its vertices to its neighbours once joints are exact; then it has only small weights all over the
// body, and the skeleton has a branch without effect. It is removed, and added again halfway between two linked bones where this lowers the error most.
// Measured on horse-gallop with 27 bones: 0.121 % of the size with an idle bone and 0.124 without (seed 0); 0.124 and 0.120 (seed 2).
import type { SkinFit } from '../../../fit/skin/index.ts';
import { type SolveStrictOptions, type StrictSolution, solveStrict } from '../joints/solve-strict.ts';
import { addBone } from '../search/add-bone.ts';
import { proposeBones } from '../search/propose-bones.ts';
import { dropBones } from './drop-bones.ts';

/** A bone is idle if all its weights are below this. Chosen on horse-gallop, whose idle bone had at most 0.056. */
const MIN_PART = 0.1;
/** Candidates per idle bone, and iterations with free bones for each. */
const TRIALS = 3;
const ITERATIONS = 8;
/** Maximum factor on the squared error after the replacement. */
const MAX_RISE = 1.1;

/** Replaces idle bones of a solved skeleton. Returns the given solution, or a new one in its scope. */
export async function replaceIdle(solved: StrictSolution, options: SolveStrictOptions): Promise<StrictSolution> {
  const idle = listIdle(solved);
  // at least two bones must remain
  if (idle.length === 0 || solved.fit.boneCount - idle.length < 2 || options.monitor.isStopped) return solved;
  let fit = dropBones(solved.fit, (j) => idle.includes(j));
  await fit.solveWeights('both');
  let tree = (await solveStrict(fit, { ...options, iterations: 0 })).tree;
  for (let n = 0; n < idle.length; n++) {
    fit = await addBest({ ...solved, fit, tree }, options);
    if (n + 1 < idle.length) tree = (await solveStrict(fit, { ...options, iterations: 0 })).tree;
  }
  const next = await solveStrict(fit, options);
  const isBetter = fit.error < MAX_RISE * solved.fit.error && listIdle(next).length < idle.length;
  return isBetter ? { ...next, iterations: solved.iterations + next.iterations } : solved;
}

/** Bones with only small weights. */
function listIdle({ fit: { weights, boneCount } }: StrictSolution): number[] {
  const maxWeights = new Float64Array(boneCount);
  const [ids, values] = [weights.bones.view(), weights.weights.view()];
  for (let e = 0; e < values.length; e++) maxWeights[ids[e]] = Math.max(maxWeights[ids[e]], values[e]);
  return Array.from(maxWeights.keys()).filter((j) => maxWeights[j] < MIN_PART);
}

/** The fit with one more bone, the best of the candidates with free bones. */
async function addBest(solved: StrictSolution, { monitor }: SolveStrictOptions): Promise<SkinFit> {
  let best: SkinFit | undefined;
  for (const motion of await proposeBones(solved, TRIALS)) {
    const trial = addBone(solved.fit, motion);
    await trial.solveWeights('both');
    await trial.alternate(ITERATIONS, () => monitor.tick(1, solved.fit.eRms));
    if (!best || trial.error < best.error) best = trial;
  }
  return best!;
}
