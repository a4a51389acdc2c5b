// SPDX-License-Identifier: MIT
// Moments of a skin: everything that bone fitting needs from the vertices; skin-moments.ts has the arguments.
import { f64s } from '../matrices/vectors.as';
import { AddParts, SkinMoments } from '../slots.as';

export function skinMoments(args: usize, chunk: i32, _thread: i32): void {
  const u = <usize>load<f64>(args, SkinMoments.rest), v = <usize>load<f64>(args, SkinMoments.posed);
  const bones = <usize>load<f64>(args, SkinMoments.bones), weights = <usize>load<f64>(args, SkinMoments.weights);
  const count = <i32>load<f64>(args, SkinMoments.vertexCount), rows = <i32>load<f64>(args, SkinMoments.rows);
  const boneCount = <i32>load<f64>(args, SkinMoments.boneCount);
  const influences = <i32>load<f64>(args, SkinMoments.influences), size = <i32>load<f64>(args, SkinMoments.chunkSize);
  const cBytes = f64s(boneCount * boneCount * 10), dBytes = f64s(boneCount * rows * 4);
  const c = <usize>load<f64>(args, SkinMoments.pairParts) + <usize>chunk * cBytes;
  const d = <usize>load<f64>(args, SkinMoments.targetParts) + <usize>chunk * dBytes;
  memory.fill(c, 0, cBytes);
  memory.fill(d, 0, dBytes);
  const begin = chunk * size, end = min(count, begin + size);
  for (let i = begin; i < end; i++) {
    const x = load<f64>(u + f64s(3 * i)), y = load<f64>(u + f64s(3 * i), 8), z = load<f64>(u + f64s(3 * i), 16);
    const ids = bones + (<usize>(i * influences) << 2), ws = weights + f64s(i * influences);
    for (let a = 0; a < influences; a++) {
      const w = load<f64>(ws + f64s(a));
      if (w == 0) continue;
      const j = <i32>load<u32>(ids + (<usize>a << 2));
      for (let b = 0; b < influences; b++) {
        const l = <i32>load<u32>(ids + (<usize>b << 2));
        const ww = w * load<f64>(ws + f64s(b));
        if (ww == 0 || l < j) continue;
        const p = c + f64s((j * boneCount + l) * 10);
        const wx = ww * x, wy = ww * y, wz = ww * z;
        store<f64>(p, load<f64>(p) + wx * x); store<f64>(p, load<f64>(p, 8) + wx * y, 8);
        store<f64>(p, load<f64>(p, 16) + wx * z, 16); store<f64>(p, load<f64>(p, 24) + wx, 24);
        store<f64>(p, load<f64>(p, 32) + wy * y, 32); store<f64>(p, load<f64>(p, 40) + wy * z, 40);
        store<f64>(p, load<f64>(p, 48) + wy, 48); store<f64>(p, load<f64>(p, 56) + wz * z, 56);
        store<f64>(p, load<f64>(p, 64) + wz, 64); store<f64>(p, load<f64>(p, 72) + ww, 72);
      }
      const xy = f64x2.replace_lane(f64x2.splat(w * x), 1, w * y), zw = f64x2.replace_lane(f64x2.splat(w * z), 1, w);
      let q = d + f64s(j * rows * 4), r = v + f64s(i * rows);
      const stop = r + f64s(rows);
      for (; r < stop; r += 8, q += 32) {
        const s = v128.load64_splat(r);
        v128.store(q, f64x2.add(v128.load(q), f64x2.mul(s, xy)));
        v128.store(q, f64x2.add(v128.load(q, 16), f64x2.mul(s, zw)), 16);
      }
    }
  }
}

/** Adds the parts in their order. */
export function addParts(args: usize, chunk: i32, _thread: i32): void {
  const parts = <usize>load<f64>(args, AddParts.parts), out = <usize>load<f64>(args, AddParts.out);
  const length = <i32>load<f64>(args, AddParts.length), partCount = <i32>load<f64>(args, AddParts.partCount);
  const size = <i32>load<f64>(args, AddParts.chunkSize);
  const begin = chunk * size, end = min(length, begin + size);
  for (let e = begin; e < end; e++) {
    let sum: f64 = 0;
    for (let p = 0; p < partCount; p++) sum += load<f64>(parts + f64s(p * length + e));
    store<f64>(out + f64s(e), sum);
  }
}
