// SPDX-License-Identifier: MIT
// Long clips have low rank: trajectories (rows of 3 frameCount numbers) lie close to a space of a few dozen dimensions. With an orthonormal basis Q of it,
// products of data with bones, V T ≈ (V Qᵀ)(Q T), cost rank instead of 3 frameCount. Bones keep all their frames (rotations stay exact), and so do
// products of bones with bones; only products with data go through the basis.
import type { Compute } from '../compute.ts';
import { callOf, type KernelCall, kernel, type Resident } from '../kernel.ts';
import { callMultiply } from './multiply.ts';
import { multiplyTrajectories, type ReducedRows, type Trajectories } from './trajectories.ts';

/** Data and bones to multiply: unchanged, or in the coordinates of the basis after the calls, with memory from the given compute. */
export function callReduceBones(
  memory: Compute,
  trajectories: Trajectories,
  bones: Resident<Float64Array>,
  boneCount: number,
): { calls: KernelCall[]; rows: number; posed: Resident<Float64Array>; turned: Resident<Float64Array> } {
  const { reduced, frameCount, posed } = trajectories;
  if (!reduced) return { calls: [], rows: 3 * frameCount, posed, turned: bones };
  const turned = memory.float64(reduced.rank * 4 * boneCount);
  const calls = [callMultiply(reduced.basis, bones, turned, 4 * boneCount)];
  return { calls, rows: reduced.rank, posed: reduced.coordinates, turned };
}

/**
 * Sums over coordinates become sums over frames: Dⱼ = Qᵀ D′ⱼ.
 * @param sums boneCount x rank x 4
 * @param targets boneCount x (3 frameCount) x 4
 */
export function callExpandTargets(
  reduced: ReducedRows,
  sums: Resident<Float64Array>,
  targets: Resident<Float64Array>,
  boneCount: number,
): KernelCall {
  const { transposed, rank } = reduced;
  return callOf(expandTargetsKernel, { transposed, sums, targets, rows: transposed.length / rank, rank }, boneCount);
}

/** One chunk per bone. */
export const expandTargetsKernel = kernel(
  'expandTargets',
  {
    /** rows x rank */
    transposed: 'f64',
    /** boneCount x rank x 4 */
    sums: 'f64',
    /** boneCount x rows x 4, filled */
    targets: 'f64',
    rows: 'int',
    rank: 'int',
  },
  ({ transposed, sums, targets, rows, rank }, j) => {
    const own = sums.subarray(4 * rank * j, 4 * rank * (j + 1));
    multiplyTrajectories(transposed, own, targets.subarray(4 * rows * j), 0, rows, rank, 4);
  },
);
