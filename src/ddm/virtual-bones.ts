// SPDX-License-Identifier: MIT
import { type MultiWeights, shiftOmega } from '../model/direct-delta-mush.ts';
import type { Skeleton } from '../model/skeleton.ts';
import type { CompressPoints } from './compress-points.ts';
import { dropMultiWeights } from './drop-multi-weights.ts';

/** A virtual bone while it is fitted: Δ of its master bones about its center, which are about the origin of the points. */
export interface VirtualBone {
  /** master bones, falling in their weight when the bone was made */
  bones: Uint32Array;
  /** bones x 10 */
  deltas: Float64Array;
  /** p, three numbers */
  center: Float64Array;
  /** Σ Δ about the center: xx xy xz yy yz zz */
  spread: Float64Array;
}

/** Makes virtual bones that move as points do: the mean of their multi-weights (§4.1), small entries folded into their nearest kept bone. */
export interface BoneMaker {
  make(members: ArrayLike<number>): VirtualBone;
}

/** @param threshold entries of less weight are folded away */
export function makeBoneMaker(points: CompressPoints, skeleton: Skeleton, threshold: number): BoneMaker {
  const boneCount = skeleton.names.length;
  const sums = new Float64Array(10 * boneCount);
  const isUsed = new Uint8Array(boneCount);
  const omega = new Float64Array(10);
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
          for (let c = 0; c < 10; c++) omega[c] = points.centered[10 * e + c];
          shiftOmega(omega, 0, points.centers[3 * i], points.centers[3 * i + 1], points.centers[3 * i + 2]);
          for (let c = 0; c < 10; c++) sums[10 * j + c] += scale * omega[c];
        }
      }
      const bones = Array.from(isUsed.keys()).filter((j) => isUsed[j] === 1);
      const omegas = new Float64Array(10 * bones.length);
      bones.forEach((j, e) => {
        omegas.set(sums.subarray(10 * j, 10 * j + 10), 10 * e);
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

/** Takes multi-weights about the origin to a bone about its own center; they are changed. */
export function centerBone(bones: Uint32Array, deltas: Float64Array): VirtualBone {
  const center = new Float64Array(3);
  let weight = 0;
  for (let o = 0; o < deltas.length; o += 10) {
    center[0] += deltas[o + 3];
    center[1] += deltas[o + 6];
    center[2] += deltas[o + 8];
    weight += deltas[o + 9];
  }
  for (let c = 0; c < 3; c++) center[c] /= weight;
  for (let o = 0; o < deltas.length; o += 10) {
    for (let c = 0; c < 10; c++) deltas[o + c] /= weight;
    shiftOmega(deltas, o, -center[0], -center[1], -center[2]);
  }
  return { bones, deltas, center, spread: sumSpread(deltas) };
}

export function sumSpread(deltas: Float64Array): Float64Array {
  const spread = new Float64Array(6);
  for (let o = 0; o < deltas.length; o += 10) {
    spread[0] += deltas[o];
    spread[1] += deltas[o + 1];
    spread[2] += deltas[o + 2];
    spread[3] += deltas[o + 4];
    spread[4] += deltas[o + 5];
    spread[5] += deltas[o + 7];
  }
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

/** Bones as rows of multi-weights, about their centers, which are moved back to file coordinates. Weights fall within a row. */
export function packVirtualBones(
  bones: readonly VirtualBone[],
  origin: readonly number[],
): { virtualBones: MultiWeights; centers: Float64Array } {
  const rowStart = new Uint32Array(bones.length + 1);
  bones.forEach((bone, k) => {
    rowStart[k + 1] = rowStart[k] + bone.bones.length;
  });
  const boneIndices = new Uint32Array(rowStart[bones.length]);
  const omegas = new Float64Array(10 * rowStart[bones.length]);
  const centers = new Float64Array(3 * bones.length);
  bones.forEach((bone, k) => {
    const order = Array.from(bone.bones.keys()).sort(
      (a, b) => bone.deltas[10 * b + 9] - bone.deltas[10 * a + 9] || bone.bones[a] - bone.bones[b],
    );
    order.forEach((from, n) => {
      boneIndices[rowStart[k] + n] = bone.bones[from];
      omegas.set(bone.deltas.subarray(10 * from, 10 * from + 10), 10 * (rowStart[k] + n));
    });
    for (let c = 0; c < 3; c++) centers[3 * k + c] = bone.center[c] + origin[c];
  });
  return { virtualBones: { rowStart, boneIndices, omegas }, centers };
}
