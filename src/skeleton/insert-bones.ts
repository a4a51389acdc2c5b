// SPDX-License-Identifier: MIT
// Bones that no patch of the surface shows. A short bone in thick flesh may have less than half of every vertex: nothing moves as it does, and a decomposition that starts
// from patches goes without it. What is left shows in the strict form: an error that is small, but not as small as that of exact data. There a bone halfway between two linked
// ones is tried at the joints that have most of the error in what they blend, and stays when the squared error falls so far that it would not be removed again
// (remove-bones.ts). (What a bone halfway would gain beside the present blend, kernels/insertion-gains.ts, ranks knees before a missing neck.)
import type { SkinFit } from '../fit/skin-fit.ts';
import { nearestRotationInto } from '../math/rotation.ts';
import { addBone } from './add-bone.ts';
import { measureBlends } from './bone-blends.ts';
import { listJointEdges } from './joint-tree.ts';
import { type RefinedSolution, refineTopology } from './refine-topology.ts';
import { KNEE, UNSEEN } from './remove-bones.ts';
import { measureMoments, type SolveStrictOptions, solveStrict } from './solve-strict.ts';

/** Bones are inserted where the RMSE is between these parts of what nobody sees: below, the motion is fit as exactly as it can be; above, it is not exact at all. */
const EXACT = 0.4;
const NEARLY = 4;
/** Proposals that are tried, and alternations with free bones of each. */
const TRIALS = 3;
const ITERATIONS = 20;
/** Most bones that are inserted. */
const MOST = 3;

/** Inserts bones into a solved skeleton that is nearly exact; returns the solution to go on with, fits of others are freed. */
export async function insertBones(solved: RefinedSolution, options: SolveStrictOptions): Promise<RefinedSolution> {
  let best = solved;
  for (let n = 0; n < MOST && best.fit.boneCount > 1; n++) {
    const { vertexCount, frameCount } = best.fit.trajectories;
    const part = Math.sqrt(best.fit.error / (vertexCount * frameCount)) / (UNSEEN * options.size);
    if (!(part > EXACT && part < NEARLY)) break;
    const larger = await insertBone(best, options);
    if (!larger) break;
    best.fit.free();
    best = larger;
  }
  return best;
}

/** The skeleton with one bone more, or nothing where none of those tried belongs there. */
async function insertBone(solved: RefinedSolution, options: SolveStrictOptions): Promise<RefinedSolution | undefined> {
  for (const motion of await listProposals(solved)) {
    if (options.watch.isStopped) break;
    const trial = addBone(solved.fit, motion);
    await trial.solveWeights('both');
    await trial.alternate(ITERATIONS, () => options.watch.tick(0, solved.fit.eRms));
    const next = await refineTopology(trial, await solveStrict(trial, options), options);
    if (next.fit.error < solved.fit.error / KNEE) return { ...next, iterations: solved.iterations + next.iterations };
    next.fit.free();
  }
  return undefined;
}

/** Motions halfway between linked bones, 3 frameCount x 4 each; first where most of the error is in what the two blend. */
async function listProposals({ fit, tree }: RefinedSolution): Promise<Float64Array[]> {
  const { boneCount } = fit;
  await measureMoments(fit);
  const { centers } = measureBlends(fit);
  const errors = measureBlendErrors(fit);
  const edges = listJointEdges(tree).map(({ a, b }) => ({ a, b, o: a * boneCount + b }));
  edges.sort((p, q) => errors[q.o] - errors[p.o] || p.o - q.o);
  return edges.slice(0, TRIALS).map(({ a, b, o }) => meanMotion(fit, a, b, centers.subarray(3 * o, 3 * o + 3)));
}

/** boneCount x boneCount: Σᵢ wᵢⱼ wᵢₗ eᵢ with eᵢ the squared error of a vertex. */
function measureBlendErrors({ weights, boneCount, trajectories }: SkinFit): Float64Array {
  const sums = new Float64Array(boneCount * boneCount);
  const [ids, values, errors] = [weights.bones.view(), weights.weights.view(), weights.errors.view()];
  const most = weights.influences;
  for (let i = 0; i < trajectories.vertexCount; i++) {
    for (let p = i * most; p < (i + 1) * most; p++)
      for (let q = i * most; q < (i + 1) * most; q++)
        sums[ids[p] * boneCount + ids[q]] += values[p] * values[q] * errors[i];
  }
  return sums;
}

/** The rotations between those of two bones, and translations that take a point to the middle of where the two take it. */
function meanMotion(fit: SkinFit, a: number, b: number, [x, y, z]: Float64Array): Float64Array {
  const bones = fit.bones.view();
  const stride = 4 * fit.boneCount;
  const motion = new Float64Array(12 * fit.trajectories.frameCount);
  const m = new Float64Array(9);
  const middle = [0, 0, 0];
  for (let k = 0; k < fit.trajectories.frameCount; k++) {
    for (let r = 0; r < 3; r++) {
      const [o, p] = [(3 * k + r) * stride + 4 * a, (3 * k + r) * stride + 4 * b];
      for (let c = 0; c < 3; c++) m[3 * c + r] = bones[o + c] + bones[p + c];
      middle[r] = 0.5 * (m[r] * x + m[3 + r] * y + m[6 + r] * z + bones[o + 3] + bones[p + 3]);
    }
    nearestRotationInto(m, m);
    for (let r = 0; r < 3; r++) {
      const o = 12 * k + 4 * r;
      for (let c = 0; c < 3; c++) motion[o + c] = m[3 * c + r];
      motion[o + 3] = middle[r] - (m[r] * x + m[3 + r] * y + m[6 + r] * z);
    }
  }
  return motion;
}
