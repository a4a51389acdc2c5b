// SPDX-License-Identifier: MIT
import { svd3ProperInto } from '../../core/math/svd3.ts';

/**
 * The principal axes of some points, longest first, as a rotation: the frame in which a similarity scales.
 * @param rest vertexCount x 3
 * @param out nine numbers at offset, column-major
 */
export function principalAxesInto(
  rest: Float64Array,
  points: ArrayLike<number>,
  out: Float64Array,
  offset: number,
): void {
  const center = [0, 0, 0];
  for (let n = 0; n < points.length; n++)
    for (let r = 0; r < 3; r++) center[r] += rest[3 * points[n] + r] / points.length;
  const spread = new Float64Array(9);
  for (let n = 0; n < points.length; n++) {
    for (let c = 0; c < 3; c++) {
      for (let r = 0; r < 3; r++)
        spread[3 * c + r] += (rest[3 * points[n] + c] - center[c]) * (rest[3 * points[n] + r] - center[r]);
    }
  }
  const u = new Float64Array(9);
  svd3ProperInto(spread, u, new Float64Array(3), new Float64Array(9));
  for (let e = 0; e < 9; e++) out[offset + e] = u[e];
}

/** Axes of every bone from the points of its label. */
export function boneAxesInto(
  rest: Float64Array,
  labels: ArrayLike<number>,
  boneCount: number,
  axes: Float64Array,
): void {
  const points: number[][] = Array.from({ length: boneCount }, () => []);
  for (let i = 0; i < labels.length; i++) points[labels[i]].push(i);
  for (let j = 0; j < boneCount; j++) if (points[j].length > 0) principalAxesInto(rest, points[j], axes, 9 * j);
}
