// SPDX-License-Identifier: MIT

import { multiplyQuaternions } from './quaternion.ts';
import { cosineOf, sineOf } from './sine.ts';

/** The unit quaternion x y z w of Rx Ry Rz, radians: the angles of ranges of motion. */
export function composeEuler(x: number, y: number, z: number): [number, number, number, number] {
  const q: [number, number, number, number] = [sineOf(x / 2), 0, 0, cosineOf(x / 2)];
  multiplyQuaternions(q, [0, sineOf(y / 2), 0, cosineOf(y / 2)], q);
  multiplyQuaternions(q, [0, 0, sineOf(z / 2), cosineOf(z / 2)], q);
  return q;
}

/** Angles of Rx Ry Rz: R = [cy cz, −cy sz, sy; …; …, −sx cy, cx cy]. */
export function eulerOf(q: ArrayLike<number>, o = 0): [number, number, number] {
  const [x, y, z, w] = [q[o], q[o + 1], q[o + 2], q[o + 3]];
  const sin = Math.max(-1, Math.min(1, 2 * (x * z + w * y)));
  const ey = Math.asin(sin);
  if (Math.abs(sin) > 1 - 1e-12) return [2 * Math.atan2(x, w), ey, 0];
  return [
    Math.atan2(2 * (w * x - y * z), 1 - 2 * (x * x + y * y)),
    ey,
    Math.atan2(2 * (w * z - x * y), 1 - 2 * (y * y + z * z)),
  ];
}
