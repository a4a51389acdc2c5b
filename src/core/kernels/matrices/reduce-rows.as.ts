// SPDX-License-Identifier: MIT
// Sums over the coordinates of a basis become sums over frames; reduce-rows.ts has the algebra.
import { f64s, multiplyTrajectories } from './vectors.as';
import { ExpandTargets } from '../slots.as';

export function expandTargets(args: usize, j: i32, _thread: i32): void {
  const transposed = <usize>load<f64>(args, ExpandTargets.transposed), sums = <usize>load<f64>(args, ExpandTargets.sums);
  const targets = <usize>load<f64>(args, ExpandTargets.targets);
  const rows = <i32>load<f64>(args, ExpandTargets.rows), rank = <i32>load<f64>(args, ExpandTargets.rank);
  multiplyTrajectories(transposed, sums + f64s(4 * rank * j), targets + f64s(4 * rows * j), 0, rows, rank, 4);
}
