// SPDX-License-Identifier: MIT
// A dense product; multiply.ts has the arguments.
import { f64s, multiplyTrajectories } from './vectors.as';
import { Multiply } from '../slots.as';

export function multiply(args: usize, chunk: i32, _thread: i32): void {
  const a = <usize>load<f64>(args, Multiply.a), b = <usize>load<f64>(args, Multiply.b), out = <usize>load<f64>(args, Multiply.out);
  const rows = <i32>load<f64>(args, Multiply.rows), inner = <i32>load<f64>(args, Multiply.inner);
  const columns = <i32>load<f64>(args, Multiply.columns), size = <i32>load<f64>(args, Multiply.chunkSize);
  const begin = chunk * size, end = min(rows, begin + size);
  multiplyTrajectories(a, b, out + f64s(begin * columns), begin, end, inner, columns);
}
