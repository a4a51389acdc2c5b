// SPDX-License-Identifier: MIT
// Removes leaf bones that no vertex mainly follows: their joints have almost no effect, and nothing determines where they are.
import { contractTree } from './contract-bone.ts';
import { dropBones } from './drop-bones.ts';
import type { JointTree } from './joint-tree.ts';
import { listFollowed } from './list-followed.ts';
import { type SolveStrictOptions, type StrictSolution, solveStrict } from './solve-strict.ts';

/** Maximum number of iterations after a removal: little changes. */
const ITERATIONS = 20;

/** Removes leaf bones until every leaf is the main bone of a vertex. Returns the given solution, or a new one in its scope. */
export async function pruneLeaves(given: StrictSolution, options: SolveStrictOptions): Promise<StrictSolution> {
  let solved = given;
  for (let bone = findIdleLeaf(solved); bone >= 0 && solved.fit.boneCount > 1; bone = findIdleLeaf(solved)) {
    let { fit, tree } = solved;
    for (; bone >= 0; bone = findIdleLeaf({ fit, tree })) {
      const into = tree.parents[bone] < 0 ? tree.parents.indexOf(bone) : tree.parents[bone];
      tree = contractTree(tree, bone, into);
      fit = dropBones(fit, (j) => j === bone);
    }
    await fit.solveWeights('warm');
    const next = await solveStrict(fit, { ...options, iterations: Math.min(ITERATIONS, options.iterations), tree });
    solved = { ...next, iterations: solved.iterations + next.iterations };
  }
  return solved;
}

/** The last bone with one joint that no vertex mainly follows, or -1. */
function findIdleLeaf({ fit, tree }: { fit: StrictSolution['fit']; tree: JointTree }): number {
  const degrees = new Uint32Array(tree.boneCount);
  tree.parents.forEach((p, j) => {
    if (p < 0) return;
    degrees[p]++;
    degrees[j]++;
  });
  const isFollowed = listFollowed(fit);
  for (let j = tree.boneCount - 1; j >= 0; j--) if (degrees[j] === 1 && !isFollowed[j]) return j;
  return -1;
}
