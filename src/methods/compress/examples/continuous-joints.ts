// SPDX-License-Identifier: MIT

import { addSym4, SYM4_SIZE } from '../../../core/math/sym4.ts';
import type { Skeleton } from '../../../core/model/skin/skeleton.ts';
import { type JointRange, rigidBindInto } from '../../../fit/poses/index.ts';
import type { CompressPoints } from '../compress-points.ts';

/** Switches of the maps of the formulation, for ablation. */
export interface MapSwitches {
  /** A joint moves its descendants (Eq. 6). */
  hierarchy?: boolean;
  /** A joint rotates about its own position (Eq. 8). */
  coordinates?: boolean;
}

/** The relation of a joint to a row of multi-weights: it moves none, all or some of its bones. */
export const NONE = 0;
export const FULL = 1;
export const PARTIAL = 2;

/** The joints of example poses. A joint that moves every point or none is left out: it causes no error in any model. */
export interface Joints {
  boneCount: number;
  /** count: the bone each joint moves */
  bones: Uint32Array;
  /** count x boneCount: 1 for bones that move with the joint, h of Eq. 1 */
  under: Uint8Array;
  /** count x 16: B, rigid, about the origin of the points */
  binds: Float64Array;
  /** count x 16: B⁻¹ */
  inverses: Float64Array;
  ranges: readonly JointRange[];
  /** Number of joints that move any point: the m of mean errors. */
  movingCount: number;
}

export function listJoints(
  skeleton: Skeleton,
  points: CompressPoints,
  ranges: readonly JointRange[],
  maps: MapSwitches = {},
): Joints {
  const boneCount = skeleton.names.length;
  const under = new Uint8Array(boneCount * boneCount);
  for (let j = 0; j < boneCount; j++) {
    under[j * boneCount + j] = 1;
    if (maps.hierarchy === false) continue;
    for (let a = skeleton.parents[j]; a >= 0; a = skeleton.parents[a]) under[a * boneCount + j] = 1;
  }
  const chosen: number[] = [];
  let movingCount = 0;
  for (let j = 0; j < boneCount; j++) {
    let movesSome = false;
    let leavesSome = false;
    for (let e = 0; e < points.boneIndices.length && !(movesSome && leavesSome); e++) {
      if (under[j * boneCount + points.boneIndices[e]]) movesSome = true;
      else leavesSome = true;
    }
    if (movesSome) movingCount++;
    if (movesSome && leavesSome) chosen.push(j);
  }
  const joints: Joints = {
    boneCount,
    bones: Uint32Array.from(chosen),
    under: new Uint8Array(chosen.length * boneCount),
    binds: new Float64Array(16 * chosen.length),
    inverses: new Float64Array(16 * chosen.length),
    ranges: chosen.map((j) => ranges[j]),
    movingCount: Math.max(1, movingCount),
  };
  const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
  const bind = new Float64Array(16);
  chosen.forEach((j, g) => {
    joints.under.set(under.subarray(j * boneCount, (j + 1) * boneCount), g * boneCount);
    if (maps.coordinates === false) bind.set(identity);
    else bind.set(skeleton.bindMatrices.subarray(16 * j, 16 * j + 16));
    for (let c = 0; c < 3; c++) bind[12 + c] -= points.origin[c];
    rigidBindInto(bind, 0, joints.binds, joints.inverses, 16 * g);
  });
  return joints;
}

/** A row of multi-weights: bones and ten numbers each, from entry start to entry end. */
export interface PatchRow {
  bones: ArrayLike<number>;
  deltas: Float64Array;
  start: number;
  end: number;
}

/**
 * Sums the multi-weights that move with joint g (Eq. 6, before or after a map that is linear in them): fills ten numbers, and returns whether these are none,
 * all or some of the row. Groups after the joints are whole poses: they are PARTIAL and have no such sum.
 */
export function sumUnderInto(joints: Joints, g: number, patch: PatchRow, out: Float64Array): number {
  if (g >= joints.bones.length) return PARTIAL;
  const { bones, deltas, start, end } = patch;
  const row = g * joints.boneCount;
  let count = 0;
  out.fill(0, 0, SYM4_SIZE);
  for (let e = start; e < end; e++) {
    if (joints.under[row + bones[e]] === 0) continue;
    count++;
    addSym4(deltas, SYM4_SIZE * e, out);
  }
  return count === 0 ? NONE : count === end - start ? FULL : PARTIAL;
}
