// SPDX-License-Identifier: MIT

import { multiplyQuaternions } from '../math/quaternion.ts';
import { cosineOf, sineOf } from '../math/sine.ts';

/** The unit quaternion x y z w of Rx Ry Rz, the convention of ranges of motion; angles in radians. */
export function composeEuler(x: number, y: number, z: number): [number, number, number, number] {
  const q: [number, number, number, number] = [sineOf(x / 2), 0, 0, cosineOf(x / 2)];
  multiplyQuaternions(q, [0, sineOf(y / 2), 0, cosineOf(y / 2)], q);
  multiplyQuaternions(q, [0, 0, sineOf(z / 2), cosineOf(z / 2)], q);
  return q;
}
