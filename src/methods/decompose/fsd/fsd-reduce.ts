// SPDX-License-Identifier: MIT
// L. Kavan, P.-P. Sloan, C. O'Sullivan, "Fast and efficient skinning of animated meshes", Computer Graphics Forum 29(2), 2010: the dimension of the problem is
// reduced before fitting. The trajectories (n x 3S) lie close to a space of r dimensions with an orthonormal basis Q (r x 3S), found from a sample of
// them (fit/skin/reduce-trajectories.ts). Affine bones of all frames are linear in the trajectories, so they lie in that space as well, T = QᵀT′, and
//   |V − W T| ² = |V Qᵀ − W T′|² + |V − V QᵀQ|²:
// weights and bones are fitted to r numbers per vertex instead of 3S, and only the last term, the tail, is lost; it is measured exactly.
// Rigid bones do not have this property: their constraint couples the three rows of a frame.

import type { Compute } from '../../../core/kernels/compute.ts';
import { multiplyInto } from '../../../core/kernels/matrices/multiply.ts';
import {
  reserveTrajectories,
  squareTrajectories,
  type Trajectories,
} from '../../../core/kernels/matrices/trajectories.ts';
import type { Random } from '../../../core/math/random.ts';
import { reduceTrajectories } from '../../../fit/skin/index.ts';

/** Power iterations of the range finder. */
const POWER_ITERATIONS = 1;

export interface FsdReduced {
  /** Rest positions, unchanged; rows of posed are coordinates, padded with zeros to a multiple of three. */
  trajectories: Trajectories;
  /** rank x (3 frameCount), orthonormal rows */
  basis: Float64Array;
  rank: number;
  /** Sum of squares outside the basis, over all points. */
  tail: number;
}

/**
 * Reduces all trajectories by a basis from a sample of them. Undefined if no basis of at most half their length leaves at most tail outside, and the longest leaves
 * more than acceptable (sums of squares).
 */
export async function fsdReduce(
  compute: Compute,
  all: Trajectories,
  sample: Trajectories,
  tail: number,
  acceptable: number,
  random: Random,
): Promise<FsdReduced | undefined> {
  const share = sample.vertexCount / all.vertexCount;
  return compute.scope(async (memory) => {
    const found = await reduceTrajectories(memory, sample, tail * share, random, acceptable * share, POWER_ITERATIONS);
    if (!found) return undefined;
    const { rank, transposed } = found;
    const coordinates = memory.float64(all.vertexCount * rank);
    await multiplyInto(compute, all.posed, transposed, coordinates, rank);
    const frameCount = Math.ceil(rank / 3);
    const trajectories = reserveTrajectories(compute, all.vertexCount, frameCount);
    trajectories.rest.view().set(all.rest.view());
    const to = trajectories.posed.view();
    const from = coordinates.view();
    for (let i = 0; i < all.vertexCount; i++) to.set(from.subarray(i * rank, (i + 1) * rank), i * 3 * frameCount);
    squareTrajectories(trajectories);
    let left = 0;
    const squares = trajectories.squares.view();
    const full = all.squares.view();
    for (let i = 0; i < all.vertexCount; i++) left += Math.max(0, full[i] - squares[i]);
    return { trajectories, basis: found.basis.view().slice(), rank, tail: left };
  });
}

/** The first coordinates, with the largest energy, of some points. */
export function cutCoordinates(compute: Compute, trajectories: Trajectories, rank: number): Trajectories {
  const frameCount = Math.ceil(rank / 3);
  const cut = reserveTrajectories(compute, trajectories.vertexCount, frameCount);
  cut.rest.view().set(trajectories.rest.view());
  const from = trajectories.posed.view();
  const to = cut.posed.view();
  const rows = 3 * trajectories.frameCount;
  for (let i = 0; i < trajectories.vertexCount; i++)
    to.set(from.subarray(i * rows, i * rows + rank), i * 3 * frameCount);
  squareTrajectories(cut);
  return cut;
}

/** The smallest number of first coordinates, a multiple of four, that leaves at most tail (a sum of squares) outside. */
export function chooseCut(trajectories: Trajectories, rank: number, tail: number): number {
  const posed = trajectories.posed.view();
  const rows = 3 * trajectories.frameCount;
  const squares = new Float64Array(rows);
  for (let e = 0; e < posed.length; e++) squares[e % rows] += posed[e] * posed[e];
  let cut = rank;
  let left = 0;
  while (cut > 4 && left + squares[cut - 1] <= tail) left += squares[--cut];
  return Math.min(rank, 4 * Math.ceil(cut / 4));
}

/**
 * Bones of all frames from bones in coordinates: T = QᵀT′.
 * @param from rows of coordinates x 4 boneCount
 * @param to (3 frameCount) x 4 boneCount
 */
export function expandBonesInto(reduced: FsdReduced, from: Float64Array, to: Float64Array, boneCount: number): void {
  const columns = 4 * boneCount;
  const rows = to.length / columns;
  to.fill(0);
  for (let n = 0; n < reduced.rank; n++) {
    for (let row = 0; row < rows; row++) {
      const q = reduced.basis[n * rows + row];
      for (let c = 0; c < columns; c++) to[row * columns + c] += q * from[n * columns + c];
    }
  }
}

/**
 * The inverse: T′ = Q T for one bone.
 * @param from (3 frameCount) x 4
 * @param to rows of coordinates x 4 x stride: filled at the given column
 */
export function projectBoneInto(
  reduced: FsdReduced,
  from: Float64Array,
  to: Float64Array,
  column: number,
  stride: number,
): void {
  const rows = from.length / 4;
  for (let n = 0; n < reduced.rank; n++) {
    for (let c = 0; c < 4; c++) {
      let sum = 0;
      for (let row = 0; row < rows; row++) sum += reduced.basis[n * rows + row] * from[4 * row + c];
      to[(4 * n + c) * stride + column] = sum;
    }
  }
}
