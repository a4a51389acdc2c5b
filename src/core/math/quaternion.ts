// SPDX-License-Identifier: MIT
// Quaternions x y z w, as glTF. Functions take an offset so that arrays of quaternions are worked on in place; a destination may be one of
// the sources. q and −q are the same rotation.

import type { NumberArray } from './mat4.ts';
import { cosineOf, sineOf } from './sine.ts';

/** Below this angle between quaternions (radians) slerp is linear to double precision: the dropped terms are of second order. */
const SMALL_ANGLE = 1e-8;
/** For lengths in this range the sum of four squares neither underflows nor overflows. */
const SHORTEST = 1e-140;
const LONGEST = 1e140;

/**
 * Fills out with the unit quaternion of a rotation, w not negative. Of the four formulas, the one with the largest
 * divisor is used (S. W. Shepperd, "Quaternion from rotation matrix", J. Guidance and Control 1, 1978).
 * @param m 4x4, column-major; its upper 3x3 must be a rotation, without scale and shear
 */
export function quaternionFromMatrix(m: ArrayLike<number>, out: NumberArray, mOffset = 0, outOffset = 0): void {
  const o = mOffset;
  const m00 = m[o],
    m10 = m[o + 1],
    m20 = m[o + 2],
    m01 = m[o + 4],
    m11 = m[o + 5],
    m21 = m[o + 6],
    m02 = m[o + 8],
    m12 = m[o + 9],
    m22 = m[o + 10];
  let x: number, y: number, z: number, w: number;
  if (m00 + m11 + m22 >= 0) {
    w = 1 + m00 + m11 + m22;
    x = m21 - m12;
    y = m02 - m20;
    z = m10 - m01;
  } else if (m00 >= m11 && m00 >= m22) {
    w = m21 - m12;
    x = 1 + m00 - m11 - m22;
    y = m01 + m10;
    z = m02 + m20;
  } else if (m11 >= m22) {
    w = m02 - m20;
    x = m01 + m10;
    y = 1 - m00 + m11 - m22;
    z = m12 + m21;
  } else {
    w = m10 - m01;
    x = m02 + m20;
    y = m12 + m21;
    z = 1 - m00 - m11 + m22;
  }
  writeUnit(w < 0 ? -x : x, w < 0 ? -y : y, w < 0 ? -z : z, Math.abs(w), out, outOffset);
}

/** Fills out with q scaled to unit length. Zero and non-finite input give the identity. */
export function normalizeQuaternion(q: ArrayLike<number>, out: NumberArray, qOffset = 0, outOffset = 0): void {
  writeUnit(q[qOffset], q[qOffset + 1], q[qOffset + 2], q[qOffset + 3], out, outOffset);
}

/** out = a * b: rotates by b first, then by a. */
export function multiplyQuaternions(
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  out: NumberArray,
  aOffset = 0,
  bOffset = 0,
  outOffset = 0,
): void {
  const ax = a[aOffset],
    ay = a[aOffset + 1],
    az = a[aOffset + 2],
    aw = a[aOffset + 3];
  const bx = b[bOffset],
    by = b[bOffset + 1],
    bz = b[bOffset + 2],
    bw = b[bOffset + 3];
  out[outOffset] = aw * bx + ax * bw + ay * bz - az * by;
  out[outOffset + 1] = aw * by - ax * bz + ay * bw + az * bx;
  out[outOffset + 2] = aw * bz + ax * by - ay * bx + az * bw;
  out[outOffset + 3] = aw * bw - ax * bx - ay * by - az * bz;
}

/** Fills out with the conjugate: of a unit quaternion, the inverse rotation. */
export function conjugateQuaternion(q: ArrayLike<number>, out: NumberArray, qOffset = 0, outOffset = 0): void {
  out[outOffset] = -q[qOffset];
  out[outOffset + 1] = -q[qOffset + 1];
  out[outOffset + 2] = -q[qOffset + 2];
  out[outOffset + 3] = q[qOffset + 3];
}

/** Fills out with the rotation about an axis (any length but zero; zero gives the identity) by an angle in radians. */
export function quaternionFromAxisAngle(
  axis: ArrayLike<number>,
  angle: number,
  out: NumberArray,
  axisOffset = 0,
  outOffset = 0,
): void {
  const length = Math.hypot(axis[axisOffset], axis[axisOffset + 1], axis[axisOffset + 2]);
  const s = length > 0 ? sineOf(angle / 2) / length : 0;
  const w = length > 0 ? cosineOf(angle / 2) : 1;
  out[outOffset] = axis[axisOffset] * s;
  out[outOffset + 1] = axis[axisOffset + 1] * s;
  out[outOffset + 2] = axis[axisOffset + 2] * s;
  out[outOffset + 3] = w;
}

/**
 * Fills out with the rotation at t between the unit quaternions a (t = 0) and b (t = 1), at constant speed along the shorter arc: where a·b < 0, to
 * −b, as glTF requires. (K. Shoemake, "Animating rotation with quaternion curves", SIGGRAPH 1985.) For a·b = 0
 * the arc ends at b itself.
 */
export function slerpInto(
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  t: number,
  out: NumberArray,
  aOffset = 0,
  bOffset = 0,
  outOffset = 0,
): void {
  const ax = a[aOffset],
    ay = a[aOffset + 1],
    az = a[aOffset + 2],
    aw = a[aOffset + 3];
  let bx = b[bOffset],
    by = b[bOffset + 1],
    bz = b[bOffset + 2],
    bw = b[bOffset + 3];
  if (ax * bx + ay * by + az * bz + aw * bw < 0) {
    bx = -bx;
    by = -by;
    bz = -bz;
    bw = -bw;
  }
  // The angle from the chords |a − b| = 2 sin(θ/2), |a + b| = 2 cos(θ/2): the arc cosine of a·b loses half the digits near zero.
  const apart = Math.sqrt((ax - bx) ** 2 + (ay - by) ** 2 + (az - bz) ** 2 + (aw - bw) ** 2);
  const along = Math.sqrt((ax + bx) ** 2 + (ay + by) ** 2 + (az + bz) ** 2 + (aw + bw) ** 2);
  const angle = 2 * Math.atan2(apart, along);
  const sin = sineOf(angle);
  const straight = angle < SMALL_ANGLE;
  const fromA = straight ? 1 - t : sineOf((1 - t) * angle) / sin;
  const fromB = straight ? t : sineOf(t * angle) / sin;
  writeUnit(
    fromA * ax + fromB * bx,
    fromA * ay + fromB * by,
    fromA * az + fromB * bz,
    fromA * aw + fromB * bw,
    out,
    outOffset,
  );
}

/**
 * Fills out (3 numbers) with the rotation vector of a unit quaternion: axis times angle, angle in [0, π]. Near the identity angle / sin(angle/2)
 * goes to 2 without cancellation, since the arc tangent takes the sine itself.
 */
export function rotationVectorFromQuaternion(q: ArrayLike<number>, out: NumberArray, qOffset = 0, outOffset = 0): void {
  const sign = q[qOffset + 3] < 0 ? -1 : 1;
  const x = sign * q[qOffset],
    y = sign * q[qOffset + 1],
    z = sign * q[qOffset + 2];
  const sin = Math.hypot(x, y, z);
  const f = sin > 0 ? (2 * Math.atan2(sin, sign * q[qOffset + 3])) / sin : 2;
  out[outOffset] = f * x;
  out[outOffset + 1] = f * y;
  out[outOffset + 2] = f * z;
}

/** Fills out with the unit quaternion of a rotation vector (axis times angle, radians): the inverse of the above. */
export function quaternionFromRotationVector(v: ArrayLike<number>, out: NumberArray, vOffset = 0, outOffset = 0): void {
  const x = v[vOffset],
    y = v[vOffset + 1],
    z = v[vOffset + 2];
  const angle = Math.hypot(x, y, z);
  const f = angle > 0 ? sineOf(angle / 2) / angle : 0.5;
  writeUnit(f * x, f * y, f * z, cosineOf(angle / 2), out, outOffset);
}

function writeUnit(x: number, y: number, z: number, w: number, out: NumberArray, o: number): void {
  let length = Math.sqrt(x * x + y * y + z * z + w * w);
  // hypot is slow and its last bit differs between engines; it is used only where squares overflow or underflow
  if (!(length > SHORTEST && length < LONGEST)) length = Math.hypot(x, y, z, w);
  const usable = length > 0 && length < Number.POSITIVE_INFINITY;
  out[o] = usable ? x / length : 0;
  out[o + 1] = usable ? y / length : 0;
  out[o + 2] = usable ? z / length : 0;
  out[o + 3] = usable ? w / length : 1;
}
