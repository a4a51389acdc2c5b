// SPDX-License-Identifier: MIT
// Sums over the coordinates of a basis become sums over frames; reduce-rows.ts has the algebra.
import { f64s, multiplyTrajectories } from './vectors.as';

/** args: Q^T (rows x rank), D' (boneCount x rank x 4), D (boneCount x rows x 4), rows, rank. One chunk per bone. */
export function expandTargets(args: usize, j: i32, _thread: i32): void {
  const transposed = <usize>load<f64>(args), sums = <usize>load<f64>(args, 8), targets = <usize>load<f64>(args, 16);
  const rows = <i32>load<f64>(args, 24), rank = <i32>load<f64>(args, 32);
  multiplyTrajectories(transposed, sums + f64s(4 * rank * j), targets + f64s(4 * rows * j), 0, rows, rank, 4);
}
