// SPDX-License-Identifier: MIT
// The inputs of helper bones from a joint: monomials of its rotation vector r = θ a (axis a, angle θ from 0 to π), relative to the bind pose.
//
// At 180° a and −a are the same rotation, so r is discontinuous there. Monomials of even degree do not depend on the sign. Those of odd degree are
// multiplied by a factor that falls smoothly (1 − 3x² + 2x³) from 1 at 150° to 0 at 180°: all terms are continuous over all rotations. A vector longer
// than the joint's reach is shortened to it, which is continuous as well.
import { rotationVectorFromQuaternion } from '../../core/math/quaternion.ts';
import { FADE_FROM, listMonomials, MAX_CONTROLLER_ORDER } from '../../core/model/deformed/helper-bones.ts';

const vector = new Float64Array(3);
/** Powers 0 … order of the three components. */
const powers = new Float64Array(3 * (MAX_CONTROLLER_ORDER + 1));

/** The factor of odd terms at an angle. */
function fadeOf(angle: number): number {
  if (angle <= FADE_FROM) return 1;
  const x = Math.min(1, (angle - FADE_FROM) / (Math.PI - FADE_FROM));
  return 1 - x * x * (3 - 2 * x);
}

/**
 * Fills the terms of one joint.
 * @param rotation unit quaternion x y z w at its offset
 * @param reach radians, at most π
 * @param out monomialCountOf(order) numbers at its offset, in the order of listMonomials
 */
export function jointTermsInto(
  rotation: ArrayLike<number>,
  order: number,
  reach: number,
  out: Float64Array,
  rotationOffset = 0,
  outOffset = 0,
): void {
  rotationVectorFromQuaternion(rotation, vector, rotationOffset);
  const angle = Math.sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]);
  const fade = fadeOf(angle);
  const shorten = angle > reach ? reach / angle : 1;
  const width = order + 1;
  for (let c = 0; c < 3; c++) {
    powers[c * width] = 1;
    for (let e = 1; e <= order; e++) powers[c * width + e] = powers[c * width + e - 1] * vector[c] * shorten;
  }
  const exponents = listMonomials(order);
  for (let n = 0, o = outOffset; n < exponents.length; n += 3, o++) {
    const a = exponents[n],
      b = exponents[n + 1],
      c = exponents[n + 2];
    const value = powers[a] * powers[width + b] * powers[2 * width + c];
    out[o] = (a + b + c) & 1 ? value * fade : value;
  }
}
