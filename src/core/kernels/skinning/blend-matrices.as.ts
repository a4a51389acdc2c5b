// SPDX-License-Identifier: MIT
// Blended matrices in f32x4, a row per register; blend-matrices.ts has the arguments.
import { BlendMatrices } from '../slots.as';

export function blendMatrices(args: usize, chunk: i32, _thread: i32): void {
  const rowStart = <usize>load<f64>(args, BlendMatrices.rowStart), indices = <usize>load<f64>(args, BlendMatrices.boneIndices);
  const weights = <usize>load<f64>(args, BlendMatrices.weights);
  const count = <i32>load<f64>(args, BlendMatrices.rowCount), size = <i32>load<f64>(args, BlendMatrices.chunkSize);
  const boneCount = <i32>load<f64>(args, BlendMatrices.boneCount);
  const chunks = (count + size - 1) / size, pose = chunk / chunks;
  const bones = <usize>load<f64>(args, BlendMatrices.bones) + (<usize>(pose * boneCount) << 6);
  const out = <usize>load<f64>(args, BlendMatrices.out) + (<usize>(pose * count) << 6);
  const begin = (chunk - pose * chunks) * size, end = min(count, begin + size);
  let e = <usize>load<u32>(rowStart + (<usize>begin << 2));
  for (let k = begin; k < end; k++) {
    const rowEnd = <usize>load<u32>(rowStart + (<usize>(k + 1) << 2));
    let x = f32x4.splat(0), y = f32x4.splat(0), z = f32x4.splat(0);
    let x1 = f32x4.splat(0), y1 = f32x4.splat(0), z1 = f32x4.splat(0);
    let x2 = f32x4.splat(0), y2 = f32x4.splat(0), z2 = f32x4.splat(0);
    let x3 = f32x4.splat(0), y3 = f32x4.splat(0), z3 = f32x4.splat(0);
    // four entries at a time with separate sums, so that no addition waits for the previous one
    for (; e + 4 <= rowEnd; e += 4) {
      const i = indices + (e << 2), v = weights + (e << 2);
      const m0 = bones + (<usize>load<u32>(i) << 6), m1 = bones + (<usize>load<u32>(i, 4) << 6);
      const m2 = bones + (<usize>load<u32>(i, 8) << 6), m3 = bones + (<usize>load<u32>(i, 12) << 6);
      const w0 = v128.load32_splat(v), w1 = v128.load32_splat(v, 4), w2 = v128.load32_splat(v, 8), w3 = v128.load32_splat(v, 12);
      x = f32x4.add(x, f32x4.mul(w0, v128.load(m0)));
      x1 = f32x4.add(x1, f32x4.mul(w1, v128.load(m1)));
      x2 = f32x4.add(x2, f32x4.mul(w2, v128.load(m2)));
      x3 = f32x4.add(x3, f32x4.mul(w3, v128.load(m3)));
      y = f32x4.add(y, f32x4.mul(w0, v128.load(m0, 16)));
      y1 = f32x4.add(y1, f32x4.mul(w1, v128.load(m1, 16)));
      y2 = f32x4.add(y2, f32x4.mul(w2, v128.load(m2, 16)));
      y3 = f32x4.add(y3, f32x4.mul(w3, v128.load(m3, 16)));
      z = f32x4.add(z, f32x4.mul(w0, v128.load(m0, 32)));
      z1 = f32x4.add(z1, f32x4.mul(w1, v128.load(m1, 32)));
      z2 = f32x4.add(z2, f32x4.mul(w2, v128.load(m2, 32)));
      z3 = f32x4.add(z3, f32x4.mul(w3, v128.load(m3, 32)));
    }
    for (; e < rowEnd; e++) {
      const w = v128.load32_splat(weights + (e << 2));
      const m = bones + (<usize>load<u32>(indices + (e << 2)) << 6);
      x = f32x4.add(x, f32x4.mul(w, v128.load(m)));
      y = f32x4.add(y, f32x4.mul(w, v128.load(m, 16)));
      z = f32x4.add(z, f32x4.mul(w, v128.load(m, 32)));
    }
    x = f32x4.add(f32x4.add(x, x1), f32x4.add(x2, x3));
    y = f32x4.add(f32x4.add(y, y1), f32x4.add(y2, y3));
    z = f32x4.add(f32x4.add(z, z1), f32x4.add(z2, z3));
    const o = out + (<usize>k << 6);
    v128.store(o, x);
    v128.store(o, y, 16);
    v128.store(o, z, 32);
  }
}
