// SPDX-License-Identifier: MIT
import { conjugateQuaternion, multiplyQuaternions, quaternionFromAxisAngle } from '../../core/math/quaternion.ts';

/**
 * How a joint rotation is divided. 'quaternion': the twist is the part of the quaternion along the axis; undefined only where the swing is a half turn.
 * 'euler': three angles, the twist applied first, as in rigs with Euler angles; beyond a swing of 90 degrees about the middle axis, all three angles flip.
 */
export type TwistDivision = 'quaternion' | 'euler';

/** A quaternion whose part in the plane of the twist is shorter has no twist. Rounding of float32 rotations gives 1e-7. */
const NO_TWIST = 1e-7;

/**
 * Divides a rotation into a twist about an axis, applied first, and a swing. Fills swing with the quaternion of the second and returns the angle of the
 * first, radians, from −π to π.
 * @param q unit quaternion x y z w, not the same array as swing
 * @param axis unit vector
 */
export function swingTwistInto(
  q: ArrayLike<number>,
  axis: ArrayLike<number>,
  division: TwistDivision,
  swing: Float64Array,
): number {
  const angle = division === 'euler' ? eulerTwistOf(q, axis) : twistOf(q, axis);
  quaternionFromAxisAngle(axis, -angle, swing);
  multiplyQuaternions(q, swing, swing);
  return angle;
}

function twistOf(q: ArrayLike<number>, axis: ArrayLike<number>): number {
  const along = q[0] * axis[0] + q[1] * axis[1] + q[2] * axis[2];
  if (Math.hypot(along, q[3]) < NO_TWIST) return 0;
  // q and −q are the same rotation: the shorter one is used
  return 2 * Math.atan2(q[3] < 0 ? -along : along, Math.abs(q[3]));
}

/** The angle about the axis a of R = R_c R_b R_a, with a, b, c orthonormal. */
function eulerTwistOf(q: ArrayLike<number>, axis: ArrayLike<number>): number {
  const [b, c] = acrossOf(axis);
  // R21 = c·R b and R22 = c·R c, both times the cosine of the middle angle, which is never negative
  const rb = rotated(q, b);
  const rc = rotated(q, c);
  return Math.atan2(dot(c, rb), dot(c, rc));
}

/** Above this x component, y replaces x as the direction of the first vector across. */
const ALONG_X = 0.9;

/** Two unit vectors that make a right-handed frame with a unit vector: the first is x, made perpendicular, unless the vector is along x. */
export function acrossOf(a: ArrayLike<number>): [b: number[], c: number[]] {
  const k = Math.abs(a[0]) < ALONG_X ? 0 : 1;
  const b = [0, 1, 2].map((n) => (n === k ? 1 : 0) - a[k] * a[n]);
  const length = Math.hypot(...b);
  const unit = b.map((x) => x / length);
  return [unit, [a[1] * unit[2] - a[2] * unit[1], a[2] * unit[0] - a[0] * unit[2], a[0] * unit[1] - a[1] * unit[0]]];
}

function rotated(q: ArrayLike<number>, v: readonly number[]): Float64Array {
  const inverse = new Float64Array(4);
  const out = new Float64Array(4);
  conjugateQuaternion(q, inverse);
  multiplyQuaternions(q, [v[0], v[1], v[2], 0], out);
  multiplyQuaternions(out, inverse, out);
  return out;
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
