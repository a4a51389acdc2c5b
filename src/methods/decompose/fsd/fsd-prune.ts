// SPDX-License-Identifier: MIT
// Removes surplus bones from a fit: the ones with the lowest removal cost, a few at a time, with iterations in between. A surplus of initial bones finds parts
// that move independently, and the fit itself shows which of them are needed (pdance, 24 bones out of 32: src/methods/decompose/fsd/README.md).
//
// The removal cost of a bone is the error increase of its vertices, re-solved without it (core/kernels/weights/convex-weights.ts). Bones that share a vertex are not removed
// together, since each cost assumes that the other stays.
import { keepBonesInto, listByCost, type SkinFit } from '../../../fit/skin/index.ts';
import { FsdFit } from './fsd-fit.ts';

/** Approximate number of removal steps. Chosen with the search (fsd-search.ts). */
const STEPS = 10;
/** Iterations after each step. */
const ITERATIONS = 4;

/**
 * A fit with at most boneCount bones, in the scope of the given one; the given one if it has no more.
 * @param isStopped true: the remaining surplus is removed at once
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

/** The same fit without some bones; the remaining weights of a vertex are scaled to sum to one, and solved again. */
async function withoutBones(fit: FsdFit, lost: ReadonlySet<number>): Promise<FsdFit> {
  const kept = Array.from({ length: fit.boneCount }, (_, j) => j).filter((j) => !lost.has(j));
  const next = new FsdFit(fit.compute, fit.trajectories, kept.length, fit.options);
  keepBonesInto(fit, next, kept);
  // a vertex without remaining weights starts from its best bone
  await next.solveWeights('warm');
  return next;
}
