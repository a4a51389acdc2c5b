// SPDX-License-Identifier: MIT
import type { NumberArray } from '../../core/math/mat4.ts';

/** out = q v: a vector rotated by a unit quaternion. v + 2 w (u x v) + 2 u x (u x v), with q = (u, w). */
export function rotateInto(q: ArrayLike<number>, v: ArrayLike<number>, out: NumberArray, qo = 0, vo = 0, oo = 0): void {
  const [x, y, z, w] = [q[qo], q[qo + 1], q[qo + 2], q[qo + 3]];
  const [a, b, c] = [v[vo], v[vo + 1], v[vo + 2]];
  const tx = 2 * (y * c - z * b);
  const ty = 2 * (z * a - x * c);
  const tz = 2 * (x * b - y * a);
  out[oo] = a + w * tx + y * tz - z * ty;
  out[oo + 1] = b + w * ty + z * tx - x * tz;
  out[oo + 2] = c + w * tz + x * ty - y * tx;
}

export type Vector = [number, number, number];

export const minus = (a: ArrayLike<number>, b: ArrayLike<number>): Vector => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const plus = (a: ArrayLike<number>, b: ArrayLike<number>, t = 1): Vector => [
  a[0] + t * b[0],
  a[1] + t * b[1],
  a[2] + t * b[2],
];
export const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const lengthOf = (a: ArrayLike<number>): number => Math.sqrt(dot(a, a));
export const cross = (a: ArrayLike<number>, b: ArrayLike<number>): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

/** A vector of unit length; undefined for zero. */
export function unitOf(a: ArrayLike<number>): Vector | undefined {
  const length = lengthOf(a);
  return length > 0 ? [a[0] / length, a[1] / length, a[2] / length] : undefined;
}

/** The shortest rotation between two unit vectors: (a x b, 1 + a·b), normalized. Opposite vectors turn about any axis across. */
export function swingBetween(a: ArrayLike<number>, b: ArrayLike<number>): Float64Array {
  const axis = cross(a, b);
  const w = 1 + dot(a, b);
  if (w < OPPOSITE) {
    const across = unitOf(cross(a, Math.abs(a[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0])) ?? [1, 0, 0];
    return Float64Array.of(...across, 0);
  }
  const length = Math.hypot(axis[0], axis[1], axis[2], w);
  return Float64Array.of(axis[0] / length, axis[1] / length, axis[2] / length, w / length);
}

/** 1 + cosine below which two directions are opposite. */
const OPPOSITE = 1e-9;

/** The rotation about the y axis between two horizontal directions. */
export function yawBetween(a: ArrayLike<number>, b: ArrayLike<number>): Float64Array {
  const angle = Math.atan2(a[2] * b[0] - a[0] * b[2], a[0] * b[0] + a[2] * b[2]);
  return Float64Array.of(0, Math.sin(angle / 2), 0, Math.cos(angle / 2));
}
