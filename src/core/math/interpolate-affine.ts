// SPDX-License-Identifier: MIT
import { compose, multiply, type NumberArray } from './mat4.ts';
import { quaternionFromMatrix, slerpInto } from './quaternion.ts';
import { nearestRotationInto } from './rotation.ts';

const ONES = [1, 1, 1];

/**
 * Fills out with the affine matrix at t between a (t = 0) and b (t = 1): each is split into rotation and stretch (polar decomposition);
 * rotations turn along the shorter arc, stretch and translation change linearly. (K. Shoemake, T. Duff, "Matrix animation and polar
 * decomposition", Graphics Interface 1992.)
 */
export function interpolateAffineInto(a: ArrayLike<number>, b: ArrayLike<number>, t: number, out: NumberArray): void {
  const [turnA, turnB, turn] = [new Float64Array(4), new Float64Array(4), new Float64Array(4)];
  const stretchA = splitInto(a, turnA);
  const stretchB = splitInto(b, turnB);
  slerpInto(turnA, turnB, t, turn);
  const translation = [12, 13, 14].map((c) => (1 - t) * a[c] + t * b[c]);
  const stretch = stretchA.map((x, c) => (1 - t) * x + t * stretchB[c]);
  compose(translation, turn, ONES, out);
  multiply(out, stretch, out);
}

/** Writes the rotation as a quaternion; returns the stretch as 4x4. */
function splitInto(m: ArrayLike<number>, turn: Float64Array): Float64Array {
  const linear = [0, 1, 2, 4, 5, 6, 8, 9, 10].map((c) => m[c]);
  const rotation = new Float64Array(9);
  nearestRotationInto(linear, rotation);
  const stretch = new Float64Array(16);
  stretch[15] = 1;
  for (let c = 0; c < 3; c++) {
    for (let r = 0; r < 3; r++) {
      for (let n = 0; n < 3; n++) stretch[4 * c + r] += rotation[3 * r + n] * linear[3 * c + n];
    }
  }
  const matrix = new Float64Array(16);
  for (let c = 0; c < 3; c++) matrix.set(rotation.subarray(3 * c, 3 * c + 3), 4 * c);
  matrix[15] = 1;
  quaternionFromMatrix(matrix, turn);
  return stretch;
}
