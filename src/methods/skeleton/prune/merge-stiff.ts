// SPDX-License-Identifier: MIT
// Merges two bones if their joint hardly rotates; only if the number of bones is not given. The mean rotation at a joint follows from the gap of
// its two bones (pair-joints.ts): the trace of Q is Σₖ |Rⱼ − Rₗ|² = 4 Σₖ (1 − cos θₖ), about 2 Σₖ θₖ².
import type { SkinFit } from '../../../fit/skin/index.ts';
import { jointTopology } from '../joints/joint-topology.ts';
import { pairGapInto } from '../joints/pair-joints.ts';
import type { JointSolver } from '../options.ts';
import { dropBones } from './drop-bones.ts';

/** Minimum root mean square rotation of a joint over the frames, radians. Chosen by hand. */
const STIFF = (2 * Math.PI) / 180;
/** Minimum sum of weights of a bone, in vertices. Chosen by hand. */
const MIN_MASS = 0.1;
/** Iterations after a merge. */
const ITERATIONS = 4;

/** Merges bones over stiff joints, the stiffest first. Returns the given fit, or a smaller one in its scope. */
export async function mergeStiff(given: SkinFit, jointSolver: JointSolver): Promise<SkinFit> {
  let fit = given;
  while (fit.boneCount > 1) {
    const stiff = await listStiff(fit, jointSolver);
    if (stiff.length === 0) break;
    const merged = dropBones(fit, (j) => stiff.includes(j));
    fit = merged;
    await fit.solveWeights('both');
    await fit.alternate(ITERATIONS);
  }
  return fit;
}

/** All bones with almost no weight, so that none of them replaces another; or, of the two bones of the stiffest joint, the one with less weight. */
async function listStiff(fit: SkinFit, jointSolver: JointSolver): Promise<number[]> {
  const { boneCount, trajectories } = fit;
  await fit.measureMoments();
  const { edges, blends } = jointTopology(fit, jointSolver);
  const idle = Array.from(blends.masses.keys()).filter((j) => !(blends.masses[j] > MIN_MASS));
  if (idle.length > 0) return idle;
  const pairs = fit.products.pairs.view();
  const gap = new Float64Array(10);
  let lowest = STIFF ** 2;
  let found: number[] = [];
  for (const { a, b } of edges) {
    pairGapInto(pairs, boneCount, a, b, gap);
    const square = (gap[0] + gap[4] + gap[7]) / (2 * trajectories.frameCount);
    if (!(square < lowest)) continue;
    lowest = square;
    found = [blends.masses[a] < blends.masses[b] ? a : b];
  }
  return found;
}
