// SPDX-License-Identifier: MIT
// The targets of a controller: the local transform of a helper in every training pose, relative to its rest (Helper, §5.4; Eq. 17, corrected).
//   M_q = G̃_ψ⁻¹ A_ψ,q⁻¹ A_h,q G̃_h = T(t) R(q) diag(s);   Δt = t − t₀, Δr = log(q₀⁻¹ q), Δs = s/s₀ − 1.
// G̃_h is the frame at the weighted center of the helper's points, along their principal axes: A_h,q scales along these, so that M_q has no shear, and the
// moments of the region are diagonal: a small error costs Σw²|δt|² + Σₖ (Σλ − λₖ) δrₖ² + Σₖ λₖ δsₖ².

import { invertAffine, multiply } from '../../../core/math/mat4.ts';
import { orthonormalizeInto } from '../../../core/math/orthonormalize.ts';
import {
  conjugateQuaternion,
  multiplyQuaternions,
  quaternionFromMatrix,
  rotationVectorFromQuaternion,
} from '../../../core/math/quaternion.ts';
import { CONTROLLER_OUTPUTS } from '../../../core/model/deformed/helper-bones.ts';
import { LOCAL_SIZE, restLocalInto } from '../../../core/model/skin/rest-local.ts';
import type { Skeleton } from '../../../core/model/skin/skeleton.ts';
import type { TrainingSet } from '../sample/shape-set.ts';

/** A helper of the decomposition, in file space. */
export interface SolvedHelper {
  /** 16 numbers: its frame at rest */
  bind: Float64Array;
  /** frameCount x 16: rest to posed */
  matrices: Float64Array;
  /** Σ w², and Σ w² y² along its three axes: the squared error per unit of translation, rotation and scale */
  moments: readonly [number, number, number, number];
}

/** 9 x frameCount: Δt, Δr and Δs relative to a parent. */
export function helperTargets(
  helper: SolvedHelper,
  skeleton: Skeleton,
  parent: number,
  { bones, rotations, moved }: Pick<TrainingSet, 'bones' | 'rotations' | 'moved'>,
): Float64Array {
  const jointCount = skeleton.names.length;
  const frameCount = helper.matrices.length / 16;
  const pair: Skeleton = {
    names: [skeleton.names[parent], 'helper'],
    parents: Int32Array.of(-1, 0),
    bindMatrices: new Float64Array(32),
  };
  pair.bindMatrices.set(skeleton.bindMatrices.subarray(16 * parent, 16 * parent + 16));
  pair.bindMatrices.set(helper.bind, 16);
  const rest = new Float64Array(LOCAL_SIZE);
  restLocalInto(pair, 1, rest);
  const inverseBind = new Float64Array(16);
  invertAffine(pair.bindMatrices, inverseBind);
  const back = new Float64Array(4);
  conjugateQuaternion(rest, back, 3);

  const targets = new Float64Array(CONTROLLER_OUTPUTS * frameCount);
  const m = new Float64Array(16);
  const q = new Float64Array(4);
  const r = new Float64Array(3);
  for (let k = 0; k < frameCount; k++) {
    if (!invertAffine(bones, m, (k * jointCount + parent) * 16)) continue;
    multiply(inverseBind, m, m);
    multiply(m, helper.matrices, m, 0, 16 * k);
    multiply(m, helper.bind, m);
    for (let c = 0; c < 3; c++) {
      targets[c * frameCount + k] = m[12 + c] - rest[c];
      const length = Math.sqrt(m[4 * c] ** 2 + m[4 * c + 1] ** 2 + m[4 * c + 2] ** 2);
      targets[(6 + c) * frameCount + k] = length / rest[7 + c] - 1;
    }
    orthonormalizeInto(m);
    quaternionFromMatrix(m, q);
    multiplyQuaternions(back, q, q);
    rotationVectorFromQuaternion(q, r);
    for (let c = 0; c < 3; c++) targets[(3 + c) * frameCount + k] = r[c];
  }
  unwind(targets, frameCount, rotations, moved);
  return targets;
}

/**
 * Makes rotation vectors continuous: near half a turn r and r ± 2π r/|r| are the same rotation. Poses are visited from the rest
 * pose on, each after its nearest visited pose. If poses rotate one joint at a time, only poses of the same joint are neighbours.
 */
function unwind(targets: Float64Array, frameCount: number, rotations: Float64Array, moved: Int32Array): void {
  const at = (k: number): [number, number, number] => [
    targets[3 * frameCount + k],
    targets[4 * frameCount + k],
    targets[5 * frameCount + k],
  ];
  const jointCount = rotations.length / (4 * frameCount);
  for (const joint of new Set(moved)) {
    const frames = Array.from(moved.keys()).filter((k) => moved[k] === joint);
    // without a large rotation, all vectors are continuous already
    if (!frames.some((k) => Math.hypot(...at(k)) > Math.PI / 2)) continue;
    const joints = joint >= 0 ? [joint] : Array.from({ length: jointCount }, (_, j) => j);
    // |q·p| summed over joints: the larger, the nearer; -1 is the rest pose
    const nearness = (a: number, b: number): number => {
      let sum = 0;
      for (const j of joints) {
        let dot = 0;
        for (let c = 0; c < 4; c++)
          dot +=
            rotations[(a * jointCount + j) * 4 + c] *
            (b < 0 ? Number(c === 3) : rotations[(b * jointCount + j) * 4 + c]);
        sum += Math.abs(dot);
      }
      return sum;
    };
    const fromRest = new Map(frames.map((k) => [k, nearness(k, -1)]));
    const order = frames.sort((a, b) => fromRest.get(b)! - fromRest.get(a)! || a - b);
    for (const [place, k] of order.entries()) {
      let near = -1;
      let nearest = fromRest.get(k)!;
      for (const other of order.slice(0, place)) {
        const value = nearness(k, other);
        if (value > nearest) [near, nearest] = [other, value];
      }
      const r = at(k);
      const angle = Math.hypot(...r);
      if (angle === 0) continue;
      const anchor = near < 0 ? [0, 0, 0] : at(near);
      const distanceOf = (factor: number): number =>
        Math.hypot(factor * r[0] - anchor[0], factor * r[1] - anchor[1], factor * r[2] - anchor[2]);
      const turn = (2 * Math.PI) / angle;
      let factor = 1;
      for (const other of [1 - turn, 1 + turn]) if (distanceOf(other) < distanceOf(factor)) factor = other;
      for (let c = 0; c < 3; c++) targets[(3 + c) * frameCount + k] = factor * r[c];
    }
  }
}
