// SPDX-License-Identifier: MIT
// Squared error of every vertex under every single bone; bone-errors.ts has the arguments.
import { f64s, multiplyTrajectories, putProductsSym4, dotSym4Table } from '../matrices/vectors.as';
import { BoneErrors } from '../slots.as';

export function boneErrors(args: usize, chunk: i32, thread: i32): void {
  const u = <usize>load<f64>(args, BoneErrors.rest), v = <usize>load<f64>(args, BoneErrors.posed);
  const squares = <usize>load<f64>(args, BoneErrors.squares), t = <usize>load<f64>(args, BoneErrors.bones);
  const diagonal = <usize>load<f64>(args, BoneErrors.diagonal), errors = <usize>load<f64>(args, BoneErrors.errors);
  const count = <i32>load<f64>(args, BoneErrors.vertexCount), rows = <i32>load<f64>(args, BoneErrors.rows);
  const boneCount = <i32>load<f64>(args, BoneErrors.boneCount), width = <i32>load<f64>(args, BoneErrors.width);
  const scratch = <usize>load<f64>(args, BoneErrors.scratch) + <usize>thread * <usize>load<f64>(args, BoneErrors.bytesPerThread);
  const size = <i32>load<f64>(args, BoneErrors.chunkSize);
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
