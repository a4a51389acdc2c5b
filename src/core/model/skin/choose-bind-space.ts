// SPDX-License-Identifier: MIT
// The rest space of a skin's vertices. glTF defines how joints move bind space, but not where bind space is in the scene: a file in
// centimetres with Z up may store its vertices in these units, and rotate them upright by the pose of its joints. B maps bind space to
// model space. If the nodes rest in the bind pose, every W(j) IBM(j) is the same matrix, which is B: the rest shape is the drawn one.
// If the nodes rest in another pose, B is what all joints have in common: the axes and the scale. If there are rigid parts, which rest
// where they are drawn, the skin must stay connected to them: B is then the W(j) IBM(j) of the joint that connects it.
import { determinant3, IDENTITY } from '../../math/mat4.ts';

/** Tolerance on differences of W(j) IBM(j), relative to the size of the shape. */
const SAME_TOLERANCE = 1e-4;

/** Tolerance within which a common matrix is the identity: vertices then keep their exact values. */
const IDENTITY_TOLERANCE = 1e-5;

/** Tolerance within which a scale is rounded to a power of ten (metres, centimetres, millimetres). */
const ROUND_TOLERANCE = 1e-3;

/**
 * Chooses B, 16 numbers, column-major.
 * @param drawn jointCount x 16: W(j) IBM(j) at rest
 * @param weights jointCount: total weight of each joint; if all joints with weight agree, they determine B
 * @param radius maximum distance of a vertex from the origin of bind space
 * @param anchor the joint at which the shape must be as drawn, if there are rigid parts
 */
export function chooseBindSpace(
  drawn: Float64Array,
  weights: Float64Array,
  radius: number,
  anchor?: number,
): Float64Array {
  const mean = new Float64Array(16);
  let total = 0;
  for (let j = 0; j < weights.length; j++) {
    // All joints count equally: B must not change when weights are rounded or scaled.
    if (!(weights[j] > 0)) continue;
    total++;
    for (let c = 0; c < 16; c++) mean[c] += drawn[16 * j + c];
  }
  if (!(total > 0)) return Float64Array.from(IDENTITY);
  for (let c = 0; c < 16; c++) mean[c] /= total;

  let same = true;
  for (let j = 0; j < weights.length; j++) {
    if (weights[j] > 0 && !isSameBind(drawn, mean, radius, SAME_TOLERANCE, 16 * j)) same = false;
  }
  if (same && isRegular(mean)) {
    return isSameBind(mean, IDENTITY, radius, IDENTITY_TOLERANCE) ? Float64Array.from(IDENTITY) : mean;
  }
  if (anchor !== undefined && isRegular(drawn, 16 * anchor)) return drawn.slice(16 * anchor, 16 * anchor + 16);
  // All joints with weight of a hand may be rotated; the rest of the skeleton defines the upright axes.
  const axes = new Float64Array(16);
  let scale = 0;
  for (let j = 0; j < weights.length; j++) {
    if (!isRegular(drawn, 16 * j)) continue;
    const size = Math.cbrt(Math.abs(determinant3(drawn, 16 * j)));
    for (let c = 0; c < 12; c++) axes[c] += drawn[16 * j + c] / size;
    if (weights[j] > 0) scale += size / total;
  }
  return nearestAxes(axes, roundScale(scale));
}

/** Whether two matrices agree within the tolerance, relative to the size, for all points within radius of the origin. */
export function isSameBind(
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  radius: number,
  tolerance: number,
  aOffset = 0,
): boolean {
  let size = 0;
  let difference = 0;
  for (let c = 0; c < 12; c++) {
    size = Math.max(size, Math.abs(b[c]));
    difference = Math.max(difference, Math.abs(a[aOffset + c] - b[c]));
  }
  let moved = 0;
  for (let c = 12; c < 15; c++) moved = Math.max(moved, Math.abs(a[aOffset + c] - b[c]));
  return difference * radius + moved <= tolerance * size * radius;
}

/** Whether a matrix has a well-conditioned inverse: no axis is flattened. */
export function isRegular(m: ArrayLike<number>, offset = 0): boolean {
  let size = 0;
  for (let c = 0; c < 12; c++) size = Math.max(size, Math.abs(m[offset + c]));
  return Math.abs(determinant3(m, offset)) > 1e-12 * size * size * size;
}

function roundScale(scale: number): number {
  for (let power = 1e-6; power < 2e6; power *= 10) {
    const round = power < 1 ? 1 / Math.round(1 / power) : Math.round(power);
    if (Math.abs(scale / round - 1) < ROUND_TOLERANCE) return round;
  }
  return Number.isFinite(scale) && scale > 0 ? scale : 1;
}

const ORDERS = [
  [0, 1, 2],
  [1, 2, 0],
  [2, 0, 1],
  [0, 2, 1],
  [2, 1, 0],
  [1, 0, 2],
];

/** The signed permutation of axes closest to m (largest trace of PᵀM), of the same handedness, times scale. */
function nearestAxes(m: Float64Array, scale: number): Float64Array {
  const hand = determinant3(m) < 0 ? -1 : 1;
  const size = m.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  // Of several equally close ones the first is used; the margin prevents rounding from deciding.
  let best = -4 * size;
  let chosen = Float64Array.from(IDENTITY);
  for (const order of ORDERS) {
    for (let signs = 0; signs < 8; signs++) {
      const candidate = new Float64Array(16);
      let match = 0;
      for (let c = 0; c < 3; c++) {
        const sign = (signs >> c) & 1 ? -1 : 1;
        candidate[4 * c + order[c]] = sign * scale;
        match += sign * m[4 * c + order[c]];
      }
      candidate[15] = 1;
      if (determinant3(candidate) * hand > 0 && match > best + 1e-9 * size) {
        best = match;
        chosen = candidate;
      }
    }
  }
  return chosen;
}
