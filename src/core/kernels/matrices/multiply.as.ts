// SPDX-License-Identifier: MIT
// A dense product; multiply.ts has the arguments.
import { f64s, multiplyTrajectories } from './vectors.as';

/** args: A (rows x inner), B (inner x columns, a multiple of four), out (rows x columns), rows, inner, columns, rows per chunk */
export function multiply(args: usize, chunk: i32, _thread: i32): void {
  const a = <usize>load<f64>(args), b = <usize>load<f64>(args, 8), out = <usize>load<f64>(args, 16);
  const rows = <i32>load<f64>(args, 24), inner = <i32>load<f64>(args, 32), columns = <i32>load<f64>(args, 40), size = <i32>load<f64>(args, 48);
  const begin = chunk * size, end = min(rows, begin + size);
  multiplyTrajectories(a, b, out + f64s(begin * columns), begin, end, inner, columns);
}
