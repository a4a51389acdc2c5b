// SPDX-License-Identifier: MIT
// Squared error of every vertex under every single bone; bone-errors.ts has the arguments.
import { f64s, multiplyTrajectories, putProductsSym4, dotSym4Table } from '../matrices/vectors.as';

/** args: u, V, squares, T, diagonal (10 x width), errors (n x width), n, rows, boneCount, width, scratch, bytes per thread, vertices per chunk */
export function boneErrors(args: usize, chunk: i32, thread: i32): void {
  const u = <usize>load<f64>(args), v = <usize>load<f64>(args, 8), squares = <usize>load<f64>(args, 16), t = <usize>load<f64>(args, 24);
  const diagonal = <usize>load<f64>(args, 32), errors = <usize>load<f64>(args, 40);
  const count = <i32>load<f64>(args, 48), rows = <i32>load<f64>(args, 56), boneCount = <i32>load<f64>(args, 64), width = <i32>load<f64>(args, 72);
  const scratch = <usize>load<f64>(args, 80) + <usize>thread * <usize>load<f64>(args, 88), size = <i32>load<f64>(args, 96);
  const begin = chunk * size, end = min(count, begin + size);
  const products = scratch + 80;
  multiplyTrajectories(v, t, products, begin, end, rows, 4 * boneCount);
  for (let i = begin; i < end; i++) {
    const x = load<f64>(u + f64s(3 * i)), y = load<f64>(u + f64s(3 * i), 8), z = load<f64>(u + f64s(3 * i), 16);
    putProductsSym4(x, y, z, scratch);
    const out = errors + f64s(i * width);
    dotSym4Table(diagonal, scratch, width, out);
    const square = load<f64>(squares + f64s(i));
    const b = products + f64s((i - begin) * 4 * boneCount);
    for (let j = 0; j < boneCount; j++) {
      const p = b + f64s(4 * j);
      const g = load<f64>(p) * x + load<f64>(p, 8) * y + load<f64>(p, 16) * z + load<f64>(p, 24);
      store<f64>(out + f64s(j), max(0, load<f64>(out + f64s(j)) - 2 * g + square));
    }
  }
}
