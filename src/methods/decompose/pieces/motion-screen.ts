// SPDX-License-Identifier: MIT
// Rules out most pairs of groups and motions by one frame. Exact: what is ruled out has a larger error than the limit, within a bound of the rounding.
import {
  addFrameUnder,
  type Group,
  listScreenFrames,
  type Moments,
  meanSquare,
  measureUnder,
  squaredMotion,
} from './rigid-moments.ts';

/** Exceeds the rounding of an error, relative to the squares of places at rest and posed. The error of a frame is a difference of such squares. */
const ROUNDING = 1e-11;

export class MotionScreen {
  /** Evenly spaced frames, for errors that need not be exact. */
  readonly frames: readonly number[];
  /** That of the largest motion. */
  readonly #frame: number;
  /** Of errors, per vertex. */
  readonly #rounding: number;

  /** @param groups those that are compared, before they are merged: merged ones have no larger mean squares */
  constructor(groups: readonly Group[]) {
    this.frames = listScreenFrames(groups[0].motion.length / 12);
    const squares = this.frames.map((k) => groups.reduce((sum, { moments }) => sum + squaredMotion(moments, k), 0));
    this.#frame = this.frames[squares.reduce((best, square, n) => (square > squares[best] ? n : best), 0)];
    this.#rounding =
      ROUNDING *
      groups.reduce((max, { moments }) => this.frames.reduce((m, k) => Math.max(m, meanSquare(moments, k)), max), 0);
  }

  /** The squared error of vertices under a motion, over all frames or some of them; infinity if it exceeds a limit. */
  measure(moments: Moments, motion: Float64Array, limit: number, frames?: readonly number[]): number {
    const bound = limit + this.#rounding * moments.count;
    if (addFrameUnder(0, moments, motion, this.#frame) > bound) return Number.POSITIVE_INFINITY;
    return measureUnder(moments, motion, bound, frames);
  }
}
