// SPDX-License-Identifier: MIT
import {
  addScaledSym4,
  addSecondSym4,
  centroidSym4Into,
  SYM4_11,
  SYM4_SIZE,
  translateSym4,
} from '../../../core/math/sym4.ts';
import type { MultiWeights } from '../../../core/model/deformed/direct-delta-mush.ts';
import type { Skeleton } from '../../../core/model/skin/skeleton.ts';
import { dropMultiWeights } from '../../../deformers/direct-delta-mush/index.ts';
import type { CompressPoints } from '../compress-points.ts';

/** A virtual bone during the fit: Δ of its master bones about its center; the center is relative to the origin of the points. */
export interface VirtualBone {
  /** master bones, in descending order of their initial weight */
  bones: Uint32Array;
  /** bones x 10 */
  deltas: Float64Array;
  /** p, three numbers */
  center: Float64Array;
  /** Σ Δ about the center: xx xy xz yy yz zz */
  spread: Float64Array;
}

/** Makes virtual bones from points: the mean of their multi-weights (§4.1), with small entries added to their nearest kept bone. */
export interface BoneMaker {
  make(members: ArrayLike<number>): VirtualBone;
}

/** @param threshold minimum weight of kept entries */
export function makeBoneMaker(points: CompressPoints, skeleton: Skeleton, threshold: number): BoneMaker {
  const boneCount = skeleton.names.length;
  const sums = new Float64Array(SYM4_SIZE * boneCount);
  const isUsed = new Uint8Array(boneCount);
  const omega = new Float64Array(SYM4_SIZE);
  return {
    make(members) {
      sums.fill(0);
      isUsed.fill(0);
      const scale = 1 / members.length;
      for (let n = 0; n < members.length; n++) {
        const i = members[n];
        for (let e = points.rowStart[i]; e < points.rowStart[i + 1]; e++) {
          const j = points.boneIndices[e];
          isUsed[j] = 1;
          omega.set(points.centered.subarray(SYM4_SIZE * e, SYM4_SIZE * (e + 1)));
          translateSym4(omega, 0, points.centers[3 * i], points.centers[3 * i + 1], points.centers[3 * i + 2]);
          addScaledSym4(scale, omega, 0, sums, SYM4_SIZE * j);
        }
      }
      const bones = Array.from(isUsed.keys()).filter((j) => isUsed[j] === 1);
      const omegas = new Float64Array(SYM4_SIZE * bones.length);
      bones.forEach((j, e) => {
        omegas.set(sums.subarray(SYM4_SIZE * j, SYM4_SIZE * (j + 1)), SYM4_SIZE * e);
      });
      const row: MultiWeights = {
        rowStart: Uint32Array.of(0, bones.length),
        boneIndices: Uint32Array.from(bones),
        omegas,
      };
      const kept = dropMultiWeights(row, skeleton, { threshold, drop: 'fold' });
      return centerBone(kept.boneIndices, kept.omegas);
    },
  };
}

/** Converts multi-weights about the origin to a bone about its own center. The multi-weights are changed in place. */
export function centerBone(bones: Uint32Array, deltas: Float64Array): VirtualBone {
  const center = new Float64Array(3);
  const weight = centroidSym4Into(deltas, 0, deltas.length, center);
  for (let o = 0; o < deltas.length; o += SYM4_SIZE) {
    for (let c = 0; c < SYM4_SIZE; c++) deltas[o + c] /= weight;
    translateSym4(deltas, o, -center[0], -center[1], -center[2]);
  }
  return { bones, deltas, center, spread: sumSpread(deltas) };
}

export function sumSpread(deltas: Float64Array): Float64Array {
  const spread = new Float64Array(6);
  for (let o = 0; o < deltas.length; o += SYM4_SIZE) addSecondSym4(deltas, o, spread);
  return spread;
}

export function copyBone(bone: VirtualBone): VirtualBone {
  return {
    bones: bone.bones,
    deltas: bone.deltas.slice(),
    center: bone.center.slice(),
    spread: bone.spread.slice(),
  };
}

/** Bones as rows of multi-weights, about their centers, which are converted to file coordinates. Weights are in descending order within a row. */
export function packVirtualBones(
  bones: readonly VirtualBone[],
  origin: readonly number[],
): { virtualBones: MultiWeights; centers: Float64Array } {
  const rowStart = new Uint32Array(bones.length + 1);
  bones.forEach((bone, k) => {
    rowStart[k + 1] = rowStart[k] + bone.bones.length;
  });
  const boneIndices = new Uint32Array(rowStart[bones.length]);
  const omegas = new Float64Array(SYM4_SIZE * rowStart[bones.length]);
  const centers = new Float64Array(3 * bones.length);
  bones.forEach((bone, k) => {
    const order = Array.from(bone.bones.keys()).sort(
      (a, b) => weightOf(bone, b) - weightOf(bone, a) || bone.bones[a] - bone.bones[b],
    );
    order.forEach((from, n) => {
      boneIndices[rowStart[k] + n] = bone.bones[from];
      omegas.set(bone.deltas.subarray(SYM4_SIZE * from, SYM4_SIZE * (from + 1)), SYM4_SIZE * (rowStart[k] + n));
    });
    for (let c = 0; c < 3; c++) centers[3 * k + c] = bone.center[c] + origin[c];
  });
  return { virtualBones: { rowStart, boneIndices, omegas }, centers };
}

function weightOf({ deltas }: VirtualBone, entry: number): number {
  return deltas[SYM4_SIZE * entry + SYM4_11];
}
