// SPDX-License-Identifier: MIT
// Helper, §5.2: helper bones are added one at a time where the error is largest, and each is followed by the decomposition of §5.3.
//
// The paper starts a helper from the vertex of the largest summed error and its one ring. Here that vertex is one of several proposals (others are drawn with
// probability proportional to their error), with patches of several sizes, and the proposal with the largest closed-form gain is used (core/kernels/weights/insertion-gains.ts).

import { insertionGains } from '../../../core/kernels/weights/insertion-gains.ts';
import type { Random } from '../../../core/math/random.ts';
import { drawByValue, placeBone, RigidPatches } from '../../../fit/clusters/index.ts';
import { principalAxesInto, type SkinFitOptions } from '../../../fit/skin/index.ts';
import { HelperFit } from './helper-fit.ts';

const PROPOSALS = 16;
/** Sizes of a patch, relative to the number of points with large errors, and its minimum number of points. Chosen by hand. */
const PATCH_PARTS = [0.03, 0.08, 0.2, 0.4];
const MIN_PATCH = 7;
/** Fraction of the total error that the points with large errors account for. */
const ERROR_PART = 0.8;

export interface InsertHelperOptions {
  /** Iterations after the helper was added. */
  iterations: number;
  /** Called after each iteration; return true to stop. The helper is kept. */
  onIteration?: () => Promise<boolean>;
  /** pointCount: 1 for points where a helper may start; default: all */
  isOpen?: Uint8Array;
}

/** A fit with one more helper, in the scope of the given one. Undefined if there is no error left. */
export async function insertHelper(
  before: HelperFit,
  joints: Float64Array,
  fitOptions: SkinFitOptions,
  random: Random,
  options: InsertHelperOptions,
): Promise<HelperFit | undefined> {
  const { compute, trajectories } = before;
  const { isOpen, iterations, onIteration } = options;
  const errors = before.weights.errors.view().map((error, i) => (isOpen && !isOpen[i] ? 0 : error));
  const total = errors.reduce((sum, error) => sum + error, 0);
  if (!(total > 0)) return undefined;
  const busy = countBusy(errors, total);
  const patches = new RigidPatches(trajectories);
  const fresh = new Float64Array(12 * trajectories.frameCount * PROPOSALS);
  let worst = 0;
  for (let i = 1; i < errors.length; i++) if (errors[i] > errors[worst]) worst = i;
  const found: Uint32Array[] = [];
  for (let p = 0; p < PROPOSALS; p++) {
    const size = Math.max(MIN_PATCH, Math.round(PATCH_PARTS[p % PATCH_PARTS.length] * busy));
    const seed = p < PATCH_PARTS.length ? worst : drawByValue(errors, random.next());
    found.push(patches.listNearest(seed, size));
    patches.fitInto(found[p], fresh, p, PROPOSALS);
    weighPatch(before, found[p], fresh, p);
  }
  // bones are multiplied by the roots of the pose weights, like trajectories
  const plain = before.bones.view().slice();
  before.weighBones(before.bones.view());
  const gains = await insertionGains(compute, trajectories, before.bones, before.weights, fresh, PROPOSALS);
  before.bones.view().set(plain);
  let best = 0;
  for (let p = 1; p < PROPOSALS; p++) if (gains[p] > gains[best]) best = p;

  const fit = new HelperFit(
    compute,
    trajectories,
    { roots: before.roots, joints, helperCount: before.helperCount + 1 },
    fitOptions,
  );
  fit.adopt(before);
  const helper = fit.boneCount - 1;
  fresh.forEach((value, e) => {
    fresh[e] = value / fit.roots[Math.floor(e / (12 * PROPOSALS))];
  });
  placeBone(fresh, best, PROPOSALS, fit.bones.view(), helper, fit.boneCount);
  principalAxesInto(trajectories.rest.view(), found[best], fit.axes.view(), 9 * helper);
  await fit.solveWeights('both');
  await fit.alternate(Math.ceil(iterations / 2), onIteration);
  fit.turnAxes();
  fit.dropHistory();
  await fit.alternate(Math.floor(iterations / 2), onIteration);
  return fit;
}

/**
 * A patch fitted to trajectories times r has the rotation R and the translation r v̄ − R ū; the bone times r has r R and r v̄ − r R ū.
 */
function weighPatch({ trajectories, roots }: HelperFit, patch: Uint32Array, fresh: Float64Array, p: number): void {
  const rest = trajectories.rest.view();
  const center = [0, 0, 0];
  for (const i of patch) for (let c = 0; c < 3; c++) center[c] += rest[3 * i + c] / patch.length;
  for (let row = 0; row < 3 * roots.length; row++) {
    const root = roots[Math.floor(row / 3)];
    for (let c = 0; c < 3; c++) {
      const at = (row * 4 + c) * PROPOSALS + p;
      fresh[(row * 4 + 3) * PROPOSALS + p] += (1 - root) * fresh[at] * center[c];
      fresh[at] *= root;
    }
  }
}

/** The number of points, in descending order of error, that account for most of the error. */
function countBusy(errors: Float64Array, total: number): number {
  const sorted = errors.toSorted().reverse();
  let sum = 0;
  let count = 0;
  while (count < sorted.length && sum < ERROR_PART * total) sum += sorted[count++];
  return count;
}
