// SPDX-License-Identifier: MIT
// Error reduction by new bones added to the present blend; insertion-gains.ts has the algebra and the arguments.
import { f64s } from '../matrices/vectors.as';
import { InsertionGains } from '../slots.as';

export function insertionGains(args: usize, chunk: i32, thread: i32): void {
  const u = <usize>load<f64>(args, InsertionGains.rest), v = <usize>load<f64>(args, InsertionGains.posed);
  const t = <usize>load<f64>(args, InsertionGains.bones), bones = <usize>load<f64>(args, InsertionGains.ids);
  const weights = <usize>load<f64>(args, InsertionGains.weights), fresh = <usize>load<f64>(args, InsertionGains.fresh);
  const count = <i32>load<f64>(args, InsertionGains.vertexCount), rows = <i32>load<f64>(args, InsertionGains.rows);
  const boneCount = <i32>load<f64>(args, InsertionGains.boneCount), influences = <i32>load<f64>(args, InsertionGains.influences);
  const newCount = <i32>load<f64>(args, InsertionGains.newCount), size = <i32>load<f64>(args, InsertionGains.chunkSize);
  const step = <i32>load<f64>(args, InsertionGains.step);
  const own = <usize>load<f64>(args, InsertionGains.scratch) + <usize>thread * <usize>load<f64>(args, InsertionGains.bytesPerThread);
  const cross = own + f64s(newCount);
  const gains = <usize>load<f64>(args, InsertionGains.parts) + f64s(chunk * newCount);
  const begin = chunk * size, end = min(count, begin + size), stride = f64s(4 * boneCount), line = f64s(newCount);
  memory.fill(gains, 0, line);
  for (let i = begin; i < end; i += step) {
    const x = load<f64>(u + f64s(3 * i)), y = load<f64>(u + f64s(3 * i), 8), z = load<f64>(u + f64s(3 * i), 16);
    const ids = bones + (<usize>(i * influences) << 2), ws = weights + f64s(i * influences);
    const xx = f64x2.splat(x), yy = f64x2.splat(y), zz = f64x2.splat(z);
    memory.fill(own, 0, 2 * line);
    let error: f64 = 0;
    for (let row = 0; row < rows; row++) {
      const target = load<f64>(v + f64s(i * rows + row)), base = t + <usize>row * stride;
      let residual = -target;
      for (let a = 0; a < influences; a++) {
        const w = load<f64>(ws + f64s(a)), m = base + (<usize>load<u32>(ids + (<usize>a << 2)) << 5);
        residual += w * (load<f64>(m) * x + load<f64>(m, 8) * y + load<f64>(m, 16) * z + load<f64>(m, 24));
      }
      error += residual * residual;
      const r = f64x2.splat(residual), goal = f64x2.splat(target), m = fresh + <usize>row * 4 * line;
      for (let o: usize = 0; o < line; o += 16) {
        const p = m + o;
        let e = f64x2.sub(v128.load(p + 3 * line), goal);
        e = f64x2.add(e, f64x2.mul(v128.load(p), xx));
        e = f64x2.add(e, f64x2.mul(v128.load(p + line), yy));
        e = f64x2.add(e, f64x2.mul(v128.load(p + 2 * line), zz));
        v128.store(own + o, f64x2.add(v128.load(own + o), f64x2.mul(e, e)));
        v128.store(cross + o, f64x2.add(v128.load(cross + o), f64x2.mul(e, r)));
      }
    }
    for (let p = 0; p < newCount; p++) {
      const r = load<f64>(cross + f64s(p)), top = error - r, bottom = error - 2 * r + load<f64>(own + f64s(p));
      if (top > 0 && bottom > 0) store<f64>(gains + f64s(p), load<f64>(gains + f64s(p)) + top * min(top / bottom, 1));
    }
  }
}
