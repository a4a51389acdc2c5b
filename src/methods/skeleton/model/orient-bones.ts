// SPDX-License-Identifier: MIT
// Axes of joints at rest, as riggers expect them: y along the bone, x the main rotation axis of the joint (a hinge rotates about its own x), z perpendicular to both. A root
// keeps the axes of the model. If a joint hardly rotates, x is the model's axis that is most perpendicular to the bone.

import { eigenSymmetric } from '../../../core/algebra/eigen-symmetric.ts';
import { quaternionFromMatrix, rotationVectorFromQuaternion } from '../../../core/math/quaternion.ts';

/** Minimum mean rotation that determines an axis, radians. */
const MIN_TURN = 1e-3;

/**
 * Bind matrices from joints: boneCount x 16.
 * @param parents boneCount; -1 for roots
 * @param joints boneCount x 3, file units
 * @param tips boneCount x 3: the end of each bone
 * @param matrices frameCount x boneCount x 16, rest to posed
 */
export function orientBones(
  parents: Int32Array,
  joints: Float64Array,
  tips: Float64Array,
  matrices: Float64Array,
): Float64Array {
  const boneCount = parents.length;
  const binds = new Float64Array(16 * boneCount);
  for (let j = 0; j < boneCount; j++) {
    const o = 16 * j;
    for (let r = 0; r < 3; r++) {
      binds[o + 5 * r] = 1;
      binds[o + 12 + r] = joints[3 * j + r];
    }
    binds[o + 15] = 1;
    if (parents[j] < 0) continue;
    const y = unit([0, 1, 2].map((r) => tips[3 * j + r] - joints[3 * j + r]));
    if (!y) continue;
    const turn = findTurnAxis(matrices, boneCount, j, parents[j]);
    const x = (turn && across(turn, y)) ?? across(mostAcross(y), y);
    if (!x) continue;
    const z = [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]];
    for (let r = 0; r < 3; r++) {
      binds[o + r] = x[r];
      binds[o + 4 + r] = y[r];
      binds[o + 8 + r] = z[r];
    }
  }
  return binds;
}

function unit(v: number[]): number[] | undefined {
  const length = Math.hypot(v[0], v[1], v[2]);
  return length > 0 ? v.map((c) => c / length) : undefined;
}

/** The part of a direction across y, unit length; undefined where hardly any is left. */
function across(v: number[], y: number[]): number[] | undefined {
  const along = v[0] * y[0] + v[1] * y[1] + v[2] * y[2];
  if (Math.abs(along) > 0.95) return undefined;
  return unit(v.map((c, r) => c - along * y[r]));
}

function mostAcross(y: number[]): number[] {
  const axis = [0, 1, 2].reduce((best, r) => (Math.abs(y[r]) < Math.abs(y[best]) ? r : best), 0);
  return [0, 1, 2].map((r) => (r === axis ? 1 : 0));
}

/** The main direction of the turns of a bone against its parent over all frames, in axes of the rest pose. */
function findTurnAxis(matrices: Float64Array, boneCount: number, bone: number, parent: number): number[] | undefined {
  const frameCount = matrices.length / (16 * boneCount);
  const spread = new Float64Array(9);
  const local = new Float64Array(16);
  const q = new Float64Array(4);
  const v = new Float64Array(3);
  for (let k = 0; k < frameCount; k++) {
    const [a, b] = [(k * boneCount + parent) * 16, (k * boneCount + bone) * 16];
    for (let c = 0; c < 3; c++) {
      for (let r = 0; r < 3; r++) {
        let sum = 0;
        for (let e = 0; e < 3; e++) sum += matrices[a + 4 * r + e] * matrices[b + 4 * c + e];
        local[4 * c + r] = sum;
      }
    }
    quaternionFromMatrix(local, q);
    rotationVectorFromQuaternion(q, v);
    for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) spread[3 * r + c] += v[r] * v[c];
  }
  const { values, vectors } = eigenSymmetric(spread, 3);
  return values[0] > frameCount * MIN_TURN ** 2 ? [...vectors.subarray(0, 3)] : undefined;
}
