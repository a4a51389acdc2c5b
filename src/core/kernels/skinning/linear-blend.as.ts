// SPDX-License-Identifier: MIT
// Linear blend skinning in f32x4: one matrix column per register; linear-blend.ts has the arguments.
import { LinearBlend } from '../slots.as';

// @ts-ignore: decorator
@inline function cross(a: v128, b: v128): v128 {
  const ayzx = i32x4.shuffle(a, a, 1, 2, 0, 3), byzx = i32x4.shuffle(b, b, 1, 2, 0, 3);
  const c = f32x4.sub(f32x4.mul(a, byzx), f32x4.mul(ayzx, b));
  return i32x4.shuffle(c, c, 1, 2, 0, 3);
}

// @ts-ignore: decorator
@inline function put(address: usize, v: v128): void {
  v128.store64_lane(address, v, 0);
  v128.store32_lane(address, v, 2, 8);
}

export function linearBlend(args: usize, chunk: i32, _thread: i32): void {
  const bones = <usize>load<f64>(args, LinearBlend.bones), rowStart = <usize>load<f64>(args, LinearBlend.rowStart);
  const indices = <usize>load<f64>(args, LinearBlend.boneIndices);
  const weights = <usize>load<f64>(args, LinearBlend.weights), rest = <usize>load<f64>(args, LinearBlend.rest);
  const restNormals = <usize>load<f64>(args, LinearBlend.restNormals);
  const positions = <usize>load<f64>(args, LinearBlend.positions), normals = <usize>load<f64>(args, LinearBlend.normals);
  const count = <i32>load<f64>(args, LinearBlend.vertexCount), size = <i32>load<f64>(args, LinearBlend.chunkSize);
  const begin = chunk * size, end = min(count, begin + size);
  let e = <usize>load<u32>(rowStart + (<usize>begin << 2));
  for (let i = begin; i < end; i++) {
    const rowEnd = <usize>load<u32>(rowStart + (<usize>(i + 1) << 2));
    let c0 = f32x4.splat(0), c1 = f32x4.splat(0), c2 = f32x4.splat(0), c3 = f32x4.splat(0);
    for (; e < rowEnd; e++) {
      const w = v128.load32_splat(weights + (e << 2));
      const m = bones + (<usize>load<u32>(indices + (e << 2)) << 6);
      c0 = f32x4.add(c0, f32x4.mul(w, v128.load(m)));
      c1 = f32x4.add(c1, f32x4.mul(w, v128.load(m, 16)));
      c2 = f32x4.add(c2, f32x4.mul(w, v128.load(m, 32)));
      c3 = f32x4.add(c3, f32x4.mul(w, v128.load(m, 48)));
    }
    const r = rest + <usize>i * 12, o = positions + <usize>i * 12;
    let p = f32x4.add(c3, f32x4.mul(c0, v128.load32_splat(r)));
    p = f32x4.add(p, f32x4.mul(c1, v128.load32_splat(r, 4)));
    put(o, f32x4.add(p, f32x4.mul(c2, v128.load32_splat(r, 8))));
    if (restNormals) {
      // The cofactor matrix is the inverse transpose up to a factor, and exists for singular blends too.
      const s = restNormals + <usize>i * 12;
      let n = f32x4.mul(cross(c1, c2), v128.load32_splat(s));
      n = f32x4.add(n, f32x4.mul(cross(c2, c0), v128.load32_splat(s, 4)));
      n = f32x4.add(n, f32x4.mul(cross(c0, c1), v128.load32_splat(s, 8)));
      const sq = f32x4.mul(n, n);
      const length = f32x4.extract_lane(sq, 0) + f32x4.extract_lane(sq, 1) + f32x4.extract_lane(sq, 2);
      const scale = length > 0 ? <f32>1 / sqrt<f32>(length) : <f32>0;
      put(normals + <usize>i * 12, f32x4.mul(n, f32x4.splat(scale)));
    }
  }
}
