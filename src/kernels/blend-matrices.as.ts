// SPDX-License-Identifier: MIT
// Blended matrices in f32x4, a row per register; blend-matrices.ts has the arguments.

export function blendMatrices(args: usize, chunk: i32, _thread: i32): void {
  const bones = <usize>load<f64>(args), rowStart = <usize>load<f64>(args, 8), indices = <usize>load<f64>(args, 16);
  const weights = <usize>load<f64>(args, 24), out = <usize>load<f64>(args, 32);
  const count = <i32>load<f64>(args, 40), size = <i32>load<f64>(args, 48);
  const begin = chunk * size, end = min(count, begin + size);
  let e = <usize>load<u32>(rowStart + (<usize>begin << 2));
  for (let k = begin; k < end; k++) {
    const rowEnd = <usize>load<u32>(rowStart + (<usize>(k + 1) << 2));
    let x = f32x4.splat(0), y = f32x4.splat(0), z = f32x4.splat(0);
    for (; e < rowEnd; e++) {
      const w = v128.load32_splat(weights + (e << 2));
      const m = bones + <usize>load<u32>(indices + (e << 2)) * 48;
      x = f32x4.add(x, f32x4.mul(w, v128.load(m)));
      y = f32x4.add(y, f32x4.mul(w, v128.load(m, 16)));
      z = f32x4.add(z, f32x4.mul(w, v128.load(m, 32)));
    }
    const o = out + <usize>k * 48;
    v128.store(o, x);
    v128.store(o, y, 16);
    v128.store(o, z, 32);
  }
}
