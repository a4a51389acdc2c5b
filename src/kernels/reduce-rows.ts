// SPDX-License-Identifier: MIT
// Long clips have low rank: trajectories (rows of 3 frameCount numbers) lie close to a space of a few dozen dimensions. With an orthonormal basis Q of it,
// products of data with bones, V T ≈ (V Qᵀ)(Q T), cost rank instead of 3 frameCount. Bones keep all their frames (rotations stay exact), and so do
// products of bones with bones; only products with data go through the basis.
import type { Compute, Resident } from './compute.ts';
import { multiplyInto } from './multiply.ts';
import type { ReducedRows, Trajectories } from './trajectories.ts';

/** Data and bones to multiply: unchanged, or in the coordinates of the basis. */
export async function reduceBones(
  compute: Compute,
  trajectories: Trajectories,
  bones: Resident<Float64Array>,
  boneCount: number,
): Promise<{ rows: number; posed: Resident<Float64Array>; turned: Resident<Float64Array> }> {
  const { reduced, frameCount, posed } = trajectories;
  if (!reduced) return { rows: 3 * frameCount, posed, turned: bones };
  const turned = compute.float64(reduced.rank * 4 * boneCount);
  await multiplyInto(compute, reduced.basis, bones, turned, 4 * boneCount);
  return { rows: reduced.rank, posed: reduced.coordinates, turned };
}

/**
 * Sums over coordinates become sums over frames: Dⱼ = Qᵀ D′ⱼ.
 * @param sums boneCount x rank x 4
 * @param targets boneCount x (3 frameCount) x 4
 */
export async function expandTargets(
  compute: Compute,
  reduced: ReducedRows,
  sums: Resident<Float64Array>,
  targets: Resident<Float64Array>,
  boneCount: number,
): Promise<void> {
  const rows = reduced.transposed.length / reduced.rank;
  // all bones side by side make one product of useful width
  const columns = 4 * boneCount;
  await compute.scope(async (memory) => {
    const wide = memory.float64(reduced.rank * columns);
    const from = sums.view();
    const to = wide.view();
    for (let j = 0; j < boneCount; j++) {
      for (let n = 0; n < reduced.rank; n++) {
        for (let c = 0; c < 4; c++) to[n * columns + 4 * j + c] = from[(j * reduced.rank + n) * 4 + c];
      }
    }
    const out = memory.float64(rows * columns);
    await multiplyInto(compute, reduced.transposed, wide, out, columns);
    const result = out.view();
    const place = targets.view();
    for (let j = 0; j < boneCount; j++) {
      for (let row = 0; row < rows; row++) {
        for (let c = 0; c < 4; c++) place[(j * rows + row) * 4 + c] = result[row * columns + 4 * j + c];
      }
    }
  });
}
