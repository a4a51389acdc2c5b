// SPDX-License-Identifier: MIT

import { nearestRotationInto } from '../../core/math/rotation.ts';

/**
 * Replaces the 3x3 part of every bone by the nearest rotation.
 * @param bones frameCount x 3 x (4 boneCount): row r of every bone side by side
 */
export function projectRotations(bones: Float64Array, boneCount: number): void {
  const stride = 4 * boneCount;
  const m = new Float64Array(9);
  for (let frame = 0; frame < bones.length; frame += 3 * stride) {
    for (let o = frame; o < frame + stride; o += 4) {
      for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) m[3 * c + r] = bones[o + r * stride + c];
      nearestRotationInto(m, m);
      for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) bones[o + r * stride + c] = m[3 * c + r];
    }
  }
}
