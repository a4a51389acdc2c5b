// SPDX-License-Identifier: MIT

/** How far a joint turns about its bind pose, in its own frame, R = Rx Ry Rz; glTF nodes carry it as `extras.jointLimits`. */
export interface JointLimits {
  /** Low and high ends about x, y and z, degrees. */
  rotation: [[number, number], [number, number], [number, number]];
}
