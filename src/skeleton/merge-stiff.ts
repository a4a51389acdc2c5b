// SPDX-License-Identifier: MIT
// Where the number of bones is to be found, two bones that turn as one are one: a joint at which nothing bends is no joint. The mean turn at a joint comes from the gap of
// its two bones (pair-joints.ts): the trace of Q is Σₖ |Rⱼ − Rₗ|² = 4 Σₖ (1 − cos θₖ), about 2 Σₖ θₖ².
import type { SkinFit } from '../fit/skin-fit.ts';
import { skinMomentsInto } from '../kernels/skin-moments.ts';
import { dropBones } from './drop-bones.ts';
import { jointTopology } from './joint-topology.ts';
import type { JointSolver } from './pair-joints.ts';
import { pairGapInto } from './pair-joints.ts';

/** Joints that turn less than this, root mean square over the frames, are stiff. */
const STIFF = (2 * Math.PI) / 180;
/** Bones with weights that sum to less than this, in vertices, move nothing. */
const MIN_MASS = 0.1;
/** Alternations after two bones became one. */
const ITERATIONS = 4;

/** Merges bones over stiff joints, the stiffest first. Returns the fit to go on with, in the scope of the given one. */
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

/** Bones that move nothing, all at once, lest one takes a part from others; or, of the two bones of the stiffest joint, the one that moves less. */
async function listStiff(fit: SkinFit, jointSolver: JointSolver): Promise<number[]> {
  const { compute, trajectories, weights, boneCount, moments } = fit;
  await skinMomentsInto(compute, trajectories, weights.bones, weights.weights, boneCount, moments);
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
