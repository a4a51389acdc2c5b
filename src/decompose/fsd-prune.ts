// SPDX-License-Identifier: MIT
// A fit with more bones than wanted loses those that are cheapest to lose, a few at a time, and settles in between. Bones that start in surplus find the parts
// that move on their own, and which of them are needed is seen from the fit itself (pdance, 24 bones out of 32: docs/fsd.md).
//
// The cost of a bone is what its vertices would miss, re-solved without it (kernels/convex-weights.ts). Bones that share a vertex are not lost together, since
// each would count on the other.
import { keepBonesInto } from '../fit/keep-bones.ts';
import { listByCost } from '../fit/relocate-bones.ts';
import type { SkinFit } from '../fit/skin-fit.ts';
import { FsdFit } from './fsd-fit.ts';

/** The surplus is lost in about so many steps. */
const STEPS = 10;
/** Alternations after each of them. */
const ITERATIONS = 4;

/**
 * A fit with at most boneCount bones, in the scope of the given one; that one itself where it has no more.
 * @param isStopped true: the rest of the surplus is lost at once
 */
export async function fsdPrune(fit: FsdFit, boneCount: number, isStopped: () => boolean): Promise<FsdFit> {
  let pruned = fit;
  const step = Math.max(1, Math.round((fit.boneCount - boneCount) / STEPS));
  while (pruned.boneCount > boneCount) {
    const order = await listByCost(pruned);
    const surplus = pruned.boneCount - boneCount;
    const lost = isStopped() ? new Set(order.slice(0, surplus)) : listApart(pruned, order, Math.min(step, surplus));
    const next = await withoutBones(pruned, lost);
    pruned = next;
    if (!isStopped()) await pruned.alternate(ITERATIONS);
  }
  return pruned;
}

/** The first of an order of bones, at most count, of which no two share a vertex. */
function listApart({ boneCount, weights }: SkinFit, order: readonly number[], count: number): Set<number> {
  const ids = weights.bones.view();
  const ws = weights.weights.view();
  const influences = weights.influences;
  const isNear = new Uint8Array(boneCount * boneCount);
  for (let o = 0; o < ws.length; o += influences) {
    for (let a = o; a < o + influences; a++) {
      for (let b = o; b < o + influences; b++) if (ws[a] > 0 && ws[b] > 0) isNear[ids[a] * boneCount + ids[b]] = 1;
    }
  }
  const chosen = new Set<number>();
  for (const j of order) {
    if (chosen.size >= count) break;
    let isApart = true;
    for (const other of chosen) if (isNear[j * boneCount + other]) isApart = false;
    if (isApart) chosen.add(j);
  }
  return chosen;
}

/** The same fit without some bones; what is left of a vertex's weights is scaled to sum to one, and solved again. */
async function withoutBones(fit: FsdFit, lost: ReadonlySet<number>): Promise<FsdFit> {
  const kept = Array.from({ length: fit.boneCount }, (_, j) => j).filter((j) => !lost.has(j));
  const next = new FsdFit(fit.compute, fit.trajectories, kept.length, fit.options);
  keepBonesInto(fit, next, kept);
  // a vertex that has no weight left starts from its best bone
  await next.solveWeights('warm');
  return next;
}
