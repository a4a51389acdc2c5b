// SPDX-License-Identifier: MIT
// A second look at the tree, where the skeleton fits all but exactly. The tree was made from free bones, and those are loose where flesh is thick and nothing moves with
// one bone alone: a spine bone may be halfway to the next one at no cost that shows. Strict joints make them firm. So the bones are let go from there, linked once more
// by Eq. 21, and the skeleton is solved again; the better one is kept, and the same again while that brings much. A new tree or not, this gets out of where alternation is slow.
import type { SkinFit } from '../fit/skin-fit.ts';
import { dropBones } from './drop-bones.ts';
import { jointTopology } from './joint-topology.ts';
import { type JointEdge, type JointTree, listJointEdges } from './joint-tree.ts';
import { measureLimit } from './remove-bones.ts';
import { measureMoments, type SolveStrictOptions, type StrictSolution, solveStrict } from './solve-strict.ts';

/** Most solutions after the first. */
const MAX_ITERATIONS = 4;
/** With the tree as it was, another round must bring the squared error down to this part, else it was the last. */
const FALL = 0.5;
/** Alternations of free bones before they are linked again. */
const ITERATIONS = 40;
/** Half the length of a joint, in units of the enclosing ball: where gaps are all but zero, bones that stay together along a line are linked rather than those that only meet at a point. */
const ROD = 0.03;

export interface RefinedSolution extends StrictSolution {
  /** The fit to go on with, in the scope of the given one. */
  fit: SkinFit;
}

/** Looks for a better tree than that of a solved skeleton. */
export async function refineTopology(
  given: SkinFit,
  solved: StrictSolution,
  strict: SolveStrictOptions,
): Promise<RefinedSolution> {
  const options = { ...strict, rod: ROD };
  const { monitor } = options;
  let best: RefinedSolution = { ...solved, fit: given };
  for (let iteration = 0; iteration < MAX_ITERATIONS && !monitor.isStopped; iteration++) {
    if (given.boneCount < 3 || !measureLimit(best.fit, options.size).isUnseen) break;
    const trial = dropBones(best.fit, () => false);
    await trial.solveWeights('warm');
    await trial.alternate(ITERATIONS, () => monitor.tick(0, given.eRms));
    await measureMoments(trial);
    const isNew = !isSameTree(best.tree, jointTopology(trial, options.jointSolver, options.rod).edges);
    const next = monitor.isStopped ? undefined : await solveStrict(trial, options);
    const isBetter = next !== undefined && trial.error < best.fit.error;
    const isLast = !isBetter || (!isNew && trial.error > FALL * best.fit.error);
    if (next && isBetter) best = { ...next, fit: trial, iterations: best.iterations + next.iterations };
    if (isLast) break;
  }
  return best;
}

/** Whether edges, each once, are those of a tree. */
function isSameTree(tree: JointTree, edges: readonly JointEdge[]): boolean {
  const keyOf = ({ a, b }: JointEdge): number => Math.min(a, b) * tree.boneCount + Math.max(a, b);
  const known = new Set(listJointEdges(tree).map(keyOf));
  return edges.every((edge) => known.has(keyOf(edge)));
}
