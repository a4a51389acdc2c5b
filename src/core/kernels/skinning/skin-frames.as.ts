// SPDX-License-Identifier: MIT
// Linear blend skinning of whole frames in f64x2, in the order of sums of makeLinearBlend, so that both give the same floats; skin-frames.ts has the arguments.
import { SkinFrames } from '../slots.as';

export function skinFrames(args: usize, chunk: i32, _thread: i32): void {
  const boneCount = <usize>load<f64>(args, SkinFrames.boneCount);
  const bones = <usize>load<f64>(args, SkinFrames.bones) + <usize>chunk * (boneCount << 7);
  const rowStart = <usize>load<f64>(args, SkinFrames.rowStart), indices = <usize>load<f64>(args, SkinFrames.boneIndices);
  const weights = <usize>load<f64>(args, SkinFrames.weights), rest = <usize>load<f64>(args, SkinFrames.rest);
  const count = <i32>load<f64>(args, SkinFrames.vertexCount);
  const positions = <usize>load<f64>(args, SkinFrames.positions) + <usize>chunk * <usize>count * 12;
  let e = <usize>load<u32>(rowStart);
  for (let i = 0; i < count; i++) {
    const rowEnd = <usize>load<u32>(rowStart + (<usize>(i + 1) << 2));
    let a0 = f64x2.splat(0), a1 = a0, a2 = a0, a3 = a0, b0 = a0, b1 = a0, b2 = a0, b3 = a0;
    if (rowEnd - e == 1 && load<f32>(weights + (e << 2)) == 1) {
      // most vertices follow one bone; the sum with zero makes no negative zeros, as below
      const m = bones + (<usize>load<u32>(indices + (e << 2)) << 7);
      a0 = f64x2.add(a0, v128.load(m)); b0 = f64x2.add(b0, v128.load(m, 16));
      a1 = f64x2.add(a1, v128.load(m, 32)); b1 = f64x2.add(b1, v128.load(m, 48));
      a2 = f64x2.add(a2, v128.load(m, 64)); b2 = f64x2.add(b2, v128.load(m, 80));
      a3 = f64x2.add(a3, v128.load(m, 96)); b3 = f64x2.add(b3, v128.load(m, 112));
      e++;
    }
    for (; e < rowEnd; e++) {
      const w = f64x2.splat(<f64>load<f32>(weights + (e << 2)));
      const m = bones + (<usize>load<u32>(indices + (e << 2)) << 7);
      a0 = f64x2.add(a0, f64x2.mul(w, v128.load(m))); b0 = f64x2.add(b0, f64x2.mul(w, v128.load(m, 16)));
      a1 = f64x2.add(a1, f64x2.mul(w, v128.load(m, 32))); b1 = f64x2.add(b1, f64x2.mul(w, v128.load(m, 48)));
      a2 = f64x2.add(a2, f64x2.mul(w, v128.load(m, 64))); b2 = f64x2.add(b2, f64x2.mul(w, v128.load(m, 80)));
      a3 = f64x2.add(a3, f64x2.mul(w, v128.load(m, 96))); b3 = f64x2.add(b3, f64x2.mul(w, v128.load(m, 112)));
    }
    const r = rest + <usize>i * 12, o = positions + <usize>i * 12;
    const x = f64x2.splat(<f64>load<f32>(r)), y = f64x2.splat(<f64>load<f32>(r, 4)), z = f64x2.splat(<f64>load<f32>(r, 8));
    const p = f64x2.add(f64x2.add(f64x2.add(f64x2.mul(a0, x), f64x2.mul(a1, y)), f64x2.mul(a2, z)), a3);
    const q = f64x2.add(f64x2.add(f64x2.add(f64x2.mul(b0, x), f64x2.mul(b1, y)), f64x2.mul(b2, z)), b3);
    v128.store64_lane(o, f32x4.demote_f64x2_zero(p), 0);
    store<f32>(o, <f32>f64x2.extract_lane(q, 0), 8);
  }
}
