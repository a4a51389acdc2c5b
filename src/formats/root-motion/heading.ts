// SPDX-License-Identifier: MIT
import { compose, transformPoint } from '../../core/math/mat4.ts';
import { conjugateQuaternion, multiplyQuaternions } from '../../core/math/quaternion.ts';

const ONES = [1, 1, 1];

/** Where a node stands: its rotation in model space and its position. */
export interface Stand {
  /** x y z w */
  rotation: Float64Array;
  /** x y z */
  position: Float64Array;
}

/**
 * Follows a trunk on the ground. G is the motion of the ground plane (a turn about the y axis, and a horizontal translation) that takes the trunk at rest below the
 * trunk of a frame, with its heading. The heading is the twist of the rotation since rest about the y axis; it is not defined upside down, where the last one stays.
 */
export class Heading {
  readonly #rest: Stand;
  readonly #turn = Float64Array.of(0, 0, 0, 1);

  constructor(rest: Stand) {
    this.#rest = rest;
  }

  /** Fills 16 numbers with G. Frames follow one another. */
  followInto({ rotation, position }: Stand, out: Float64Array): void {
    const { rotation: restRotation, position: restPosition } = this.#rest;
    const since = new Float64Array(4);
    conjugateQuaternion(restRotation, since);
    multiplyQuaternions(rotation, since, since);
    const length = Math.hypot(since[1], since[3]);
    if (length > UPSIDE_DOWN) {
      this.#turn[1] = since[1] / length;
      this.#turn[3] = since[3] / length;
    }
    compose([0, 0, 0], this.#turn, ONES, out);
    const turned = new Float64Array(3);
    transformPoint(out, restPosition, turned);
    out[12] = position[0] - turned[0];
    out[14] = position[2] - turned[2];
  }
}

/** Cosine of half the tilt at which no heading is left: within half a degree of upside down. */
const UPSIDE_DOWN = 0.005;

/** Angle of a turn about the y axis, radians, 0 to π. */
export function turnOf(ground: ArrayLike<number>): number {
  return Math.abs(Math.atan2(ground[8], ground[0]));
}
