// SPDX-License-Identifier: MIT
import { multiplyQuaternions } from '../math/quaternion.ts';

/** The unit quaternion x y z w of Rx Ry Rz, as ranges of motion have their angles, radians. */
export function composeEuler(x: number, y: number, z: number): [number, number, number, number] {
  const q: [number, number, number, number] = [Math.sin(x / 2), 0, 0, Math.cos(x / 2)];
  multiplyQuaternions(q, [0, Math.sin(y / 2), 0, Math.cos(y / 2)], q);
  multiplyQuaternions(q, [0, 0, Math.sin(z / 2), Math.cos(z / 2)], q);
  return q;
}
