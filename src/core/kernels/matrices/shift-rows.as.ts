// SPDX-License-Identifier: MIT
// Steps of mean shift; shift-rows.ts has the algebra and the arguments.
import { l1Distance } from '../errors/l1-distance.as';
import { f64s } from './vectors.as';
import { ShiftRows } from '../slots.as';

export function shiftRows(args: usize, chunk: i32, thread: i32): void {
  const rows = <usize>load<f64>(args, ShiftRows.rows), weights = <usize>load<f64>(args, ShiftRows.weights);
  const here = <usize>load<f64>(args, ShiftRows.here), ids = <usize>load<f64>(args, ShiftRows.ids);
  const start = <usize>load<f64>(args, ShiftRows.starts), near = <usize>load<f64>(args, ShiftRows.near);
  const moved = <usize>load<f64>(args, ShiftRows.distances), count = <i32>load<f64>(args, ShiftRows.count);
  const stride = <usize>load<f64>(args, ShiftRows.stride), bandwidth = load<f64>(args, ShiftRows.bandwidth);
  const per = <i32>load<f64>(args, ShiftRows.chunkSize);
  const mean = <usize>load<f64>(args, ShiftRows.scratch) + <usize>thread * <usize>load<f64>(args, ShiftRows.bytesPerThread);
  const bytes = stride << 2, end = min(count, (chunk + 1) * per);
  for (let n = chunk * per; n < end; n++) {
    const q = <usize>n << 2, x = here + <usize>load<u32>(ids + q) * bytes;
    const last = near + (<usize>load<u32>(start + q, 4) << 2);
    memory.fill(mean, 0, f64s(stride));
    let total: f64 = 0;
    for (let e = near + (<usize>load<u32>(start + q) << 2); e < last; e += 4) {
      const other = <usize>load<u32>(e), row = rows + other * bytes;
      const distance = l1Distance(x, row, bytes, bandwidth);
      if (distance >= bandwidth) continue;
      const closeness = 1 - distance / bandwidth, a = load<f64>(weights + f64s(other)) * closeness * closeness;
      total += a;
      const aa = f64x2.splat(a);
      for (let o: usize = 0; o < bytes; o += 16) {
        const four = v128.load(row + o), m = mean + (o << 1);
        v128.store(m, f64x2.add(v128.load(m), f64x2.mul(aa, f64x2.promote_low_f32x4(four))));
        v128.store(m, f64x2.add(v128.load(m, 16), f64x2.mul(aa, f64x2.promote_low_f32x4(v128.shuffle<f64>(four, four, 1, 1)))), 16);
      }
    }
    let way: f64 = 0;
    if (total > 0) {
      for (let c: usize = 0; c < stride; c++) {
        const next = load<f64>(mean + f64s(c)) / total, place = x + (c << 2);
        way += abs(next - <f64>load<f32>(place));
        store<f32>(place, <f32>next);
      }
    }
    store<f64>(moved + f64s(n), way);
  }
}
