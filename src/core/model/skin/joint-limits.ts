// SPDX-License-Identifier: MIT

/** Rotation limits of a joint relative to its bind pose, in its own frame, R = Rx Ry Rz. glTF nodes store them as `extras.jointLimits`. */
export interface JointLimits {
  /** Low and high ends about x, y and z, degrees. */
  rotation: [[number, number], [number, number], [number, number]];
}
