// SPDX-License-Identifier: MIT
import { nearestRotationInto } from './rotation.ts';

const linear = new Float64Array(9);

/** Replaces the upper 3x3 of a matrix by its nearest rotation; translation and last row do not change. */
export function orthonormalizeInto(m: Float64Array, offset = 0): void {
  for (let c = 0; c < 3; c++) for (let r = 0; r < 3; r++) linear[3 * c + r] = m[offset + 4 * c + r];
  nearestRotationInto(linear, linear);
  for (let c = 0; c < 3; c++) for (let r = 0; r < 3; r++) m[offset + 4 * c + r] = linear[3 * c + r];
}
