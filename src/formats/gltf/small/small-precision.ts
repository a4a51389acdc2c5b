// SPDX-License-Identifier: MIT
// How numbers of small files are rounded. Public types: this file imports nothing of glTF-Transform.

/** Numbers of steps that attributes are rounded to. */
export interface AttributePrecision {
  /** Side of the grid of positions, file units. Grids of all parts have the origin in common. */
  positionStep: number;
  normalBits: number;
  texcoordBits: number;
  colorBits: number;
  /** Steps in a weight of one: a divisor of 255, so that the sum of the weights of a vertex is exact. */
  weightSteps: number;
}

/** What the steps depend on. */
export interface MotionPrecision {
  /** For the largest error: displacement of a vertex by one step of a track of its bone. For the mean error: the step that a number of a rest position has. File units. */
  motionStep: number;
  /** Which error the steps are for. */
  aim: 'max' | 'mean';
}

/** The steps of a small file. */
export interface SmallPrecision extends AttributePrecision, MotionPrecision {}
