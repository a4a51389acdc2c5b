// SPDX-License-Identifier: MIT
// Bones that no patch of the surface shows. A short bone in thick flesh may have less than half of every vertex: nothing moves as it does, and a decomposition that starts
// from patches goes without it. What is left shows in the strict form: an error that is small, but not as small as that of exact data. There a bone halfway between two linked
// ones is tried at the joints that have most of the error in what they blend, and stays when the squared error falls so far that it would not be removed again
// (remove-bones.ts). (What a bone halfway would gain beside the present blend, kernels/insertion-gains.ts, ranks knees before a missing neck.)
import { addBone } from './add-bone.ts';
import { proposeBones } from './propose-bones.ts';
import { type RefinedSolution, refineTopology } from './refine-topology.ts';
import { KNEE, UNSEEN } from './remove-bones.ts';
import { type SolveStrictOptions, solveStrict } from './solve-strict.ts';

/** Bones are inserted where the RMSE is between these parts of what nobody sees: below, the motion is fit as exactly as it can be; above, it is not exact at all. */
const EXACT = 0.4;
const NEARLY = 4;
/** Proposals that are tried, and alternations with free bones of each. */
const TRIALS = 3;
const ITERATIONS = 20;
/** Most bones that are inserted. */
const MOST = 3;

/** Inserts bones into a solved skeleton that is nearly exact; returns the solution to go on with, in the scope of the given one. */
export async function insertBones(solved: RefinedSolution, options: SolveStrictOptions): Promise<RefinedSolution> {
  let best = solved;
  for (let n = 0; n < MOST && best.fit.boneCount > 1; n++) {
    const { vertexCount, frameCount } = best.fit.trajectories;
    const part = Math.sqrt(best.fit.error / (vertexCount * frameCount)) / (UNSEEN * options.size);
    if (!(part > EXACT && part < NEARLY)) break;
    const larger = await insertBone(best, options);
    if (!larger) break;
    best = larger;
  }
  return best;
}

/** The skeleton with one bone more, or nothing where none of those tried belongs there. */
async function insertBone(solved: RefinedSolution, options: SolveStrictOptions): Promise<RefinedSolution | undefined> {
  for (const motion of await proposeBones(solved, TRIALS)) {
    if (options.monitor.isStopped) break;
    const trial = addBone(solved.fit, motion);
    await trial.solveWeights('both');
    await trial.alternate(ITERATIONS, () => options.monitor.tick(0, solved.fit.eRms));
    const next = await refineTopology(trial, await solveStrict(trial, options), options);
    if (next.fit.error < solved.fit.error / KNEE) return { ...next, iterations: solved.iterations + next.iterations };
  }
  return undefined;
}
