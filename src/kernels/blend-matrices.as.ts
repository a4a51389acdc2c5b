// SPDX-License-Identifier: MIT
// Blended matrices in f64x2; blend-matrices.ts has the arguments.

export function blendMatrices(args: usize, chunk: i32, _thread: i32): void {
  const bones = <usize>load<f64>(args), rowStart = <usize>load<f64>(args, 8), indices = <usize>load<f64>(args, 16);
  const weights = <usize>load<f64>(args, 24), out = <usize>load<f64>(args, 32);
  const count = <i32>load<f64>(args, 40), size = <i32>load<f64>(args, 48);
  const begin = chunk * size, end = min(count, begin + size);
  let e = <usize>load<u32>(rowStart + (<usize>begin << 2));
  for (let k = begin; k < end; k++) {
    const rowEnd = <usize>load<u32>(rowStart + (<usize>(k + 1) << 2));
    let m0 = f64x2.splat(0), m1 = f64x2.splat(0), m2 = f64x2.splat(0), m3 = f64x2.splat(0);
    let m4 = f64x2.splat(0), m5 = f64x2.splat(0), m6 = f64x2.splat(0), m7 = f64x2.splat(0);
    for (; e < rowEnd; e++) {
      const w = f64x2.splat(<f64>load<f32>(weights + (e << 2)));
      const m = bones + (<usize>load<u32>(indices + (e << 2)) << 7);
      m0 = f64x2.add(m0, f64x2.mul(w, v128.load(m)));
      m1 = f64x2.add(m1, f64x2.mul(w, v128.load(m, 16)));
      m2 = f64x2.add(m2, f64x2.mul(w, v128.load(m, 32)));
      m3 = f64x2.add(m3, f64x2.mul(w, v128.load(m, 48)));
      m4 = f64x2.add(m4, f64x2.mul(w, v128.load(m, 64)));
      m5 = f64x2.add(m5, f64x2.mul(w, v128.load(m, 80)));
      m6 = f64x2.add(m6, f64x2.mul(w, v128.load(m, 96)));
      m7 = f64x2.add(m7, f64x2.mul(w, v128.load(m, 112)));
    }
    const o = out + (<usize>k << 7);
    v128.store(o, m0);
    v128.store(o, m1, 16);
    v128.store(o, m2, 32);
    v128.store(o, m3, 48);
    v128.store(o, m4, 64);
    v128.store(o, m5, 80);
    v128.store(o, m6, 96);
    v128.store(o, m7, 112);
  }
}
