// SPDX-License-Identifier: MIT
// Rigid motions of parts, and distances from the reference halfway between frames; halfway-errors.ts has the arguments.
import { f64s } from './vectors.as';

/** args: frames (frames x vertexCount x 3 f32), rest, rowStart, parts, weights, restCenters (partCount x 3), totals (partCount), out (frames x partCount x 13), vertexCount, partCount */
export function partMoments(args: usize, chunk: i32, _thread: i32): void {
  const rest = <usize>load<f64>(args, 8), rowStart = <usize>load<f64>(args, 16), parts = <usize>load<f64>(args, 24), weights = <usize>load<f64>(args, 32);
  const centers = <usize>load<f64>(args, 40), totals = <usize>load<f64>(args, 48);
  const vertexCount = <i32>load<f64>(args, 64), partCount = <i32>load<f64>(args, 72);
  const frame = <usize>load<f64>(args) + <usize>chunk * <usize>vertexCount * 12;
  const out = <usize>load<f64>(args, 56) + f64s(<usize>chunk * <usize>partCount * 13);
  memory.fill(out, 0, f64s(<usize>partCount * 13));
  let e = <usize>load<u32>(rowStart);
  for (let i = 0; i < vertexCount; i++) {
    const f = frame + <usize>i * 12, rowEnd = <usize>load<u32>(rowStart + (<usize>(i + 1) << 2));
    const x = <f64>load<f32>(f), y = <f64>load<f32>(f, 4), z = <f64>load<f32>(f, 8);
    for (; e < rowEnd; e++) {
      const w = <f64>load<f32>(weights + (e << 2)), share = w * w;
      const o = out + f64s(<usize>load<u32>(parts + (e << 2)) * 13);
      store<f64>(o, load<f64>(o) + share * x); store<f64>(o, load<f64>(o, 8) + share * y, 8); store<f64>(o, load<f64>(o, 16) + share * z, 16);
    }
  }
  for (let p = 0; p < partCount; p++) {
    const o = out + f64s(<usize>p * 13), total = load<f64>(totals + f64s(p));
    for (let c: usize = 0; c < 24; c += 8) store<f64>(o + c, load<f64>(o + c) / total);
  }
  e = <usize>load<u32>(rowStart);
  for (let i = 0; i < vertexCount; i++) {
    const f = frame + <usize>i * 12, r = rest + <usize>i * 12, rowEnd = <usize>load<u32>(rowStart + (<usize>(i + 1) << 2));
    const x = <f64>load<f32>(f), y = <f64>load<f32>(f, 4), z = <f64>load<f32>(f, 8);
    const rx = <f64>load<f32>(r), ry = <f64>load<f32>(r, 4), rz = <f64>load<f32>(r, 8);
    for (; e < rowEnd; e++) {
      const w = <f64>load<f32>(weights + (e << 2)), part = <usize>load<u32>(parts + (e << 2));
      const o = out + f64s(part * 13), c = centers + f64s(3 * part);
      const dx = x - load<f64>(o), dy = y - load<f64>(o, 8), dz = z - load<f64>(o, 16);
      const sx = w * w * dx, sy = w * w * dy, sz = w * w * dz;
      const qx = rx - load<f64>(c), qy = ry - load<f64>(c, 8), qz = rz - load<f64>(c, 16);
      store<f64>(o, load<f64>(o, 24) + sx * qx, 24); store<f64>(o, load<f64>(o, 32) + sy * qx, 32); store<f64>(o, load<f64>(o, 40) + sz * qx, 40);
      store<f64>(o, load<f64>(o, 48) + sx * qy, 48); store<f64>(o, load<f64>(o, 56) + sy * qy, 56); store<f64>(o, load<f64>(o, 64) + sz * qy, 64);
      store<f64>(o, load<f64>(o, 72) + sx * qz, 72); store<f64>(o, load<f64>(o, 80) + sy * qz, 80); store<f64>(o, load<f64>(o, 88) + sz * qz, 88);
      store<f64>(o, load<f64>(o, 96) + sx * dx + sy * dy + sz * dz, 96);
    }
  }
}

/** The row of A v + A' v' + t - (v + v') / 2 at m: t, then three numbers of A and three of A', by column. */
// @ts-ignore: decorator
@inline function rowOf(m: usize, x: f64, y: f64, z: f64, u: f64, s: f64, r: f64, mean: f64): f64 {
  return load<f64>(m, 24) * x + load<f64>(m, 48) * y + load<f64>(m, 72) * z + load<f64>(m, 96) * u + load<f64>(m, 120) * s + load<f64>(m, 144) * r + load<f64>(m) - mean;
}

/**
 * args: frames (chunks + 1 x vertexCount x 3 f32), shapes (chunks x vertexCount x 3 f32), rowStart, parts, weights, isRigid (chunks x partCount u32), maps (chunks x partCount x 21),
 * pointOfVertex, sums (chunks x 3), vertexCount, partCount, pointCount, scratch, bytes per thread
 */
export function halfwayErrors(args: usize, chunk: i32, thread: i32): void {
  const rowStart = <usize>load<f64>(args, 16), parts = <usize>load<f64>(args, 24), weights = <usize>load<f64>(args, 32), pointOfVertex = <usize>load<f64>(args, 56);
  const vertexCount = <i32>load<f64>(args, 72), partCount = <usize>load<f64>(args, 80), pointCount = <i32>load<f64>(args, 88);
  const stride = <usize>vertexCount * 12;
  const before = <usize>load<f64>(args) + <usize>chunk * stride, after = before + stride, shape = <usize>load<f64>(args, 8) + <usize>chunk * stride;
  const isRigid = <usize>load<f64>(args, 40) + ((<usize>chunk * partCount) << 2), maps = <usize>load<f64>(args, 48) + f64s(<usize>chunk * partCount * 21);
  const sums = <usize>load<f64>(args, 64) + f64s(<usize>chunk * 3);
  const points = <usize>load<f64>(args, 96) + <usize>thread * <usize>load<f64>(args, 104);
  memory.fill(points, 0, f64s(pointCount));
  let bad: f64 = -1;
  let e = <usize>load<u32>(rowStart);
  for (let i = 0; i < vertexCount; i++) {
    const b = before + <usize>i * 12, a = after + <usize>i * 12, q = shape + <usize>i * 12, rowEnd = <usize>load<u32>(rowStart + (<usize>(i + 1) << 2));
    const x = <f64>load<f32>(b), y = <f64>load<f32>(b, 4), z = <f64>load<f32>(b, 8);
    const u = <f64>load<f32>(a), s = <f64>load<f32>(a, 4), r = <f64>load<f32>(a, 8);
    const mx = (x + u) / 2, my = (y + s) / 2, mz = (z + r) / 2;
    let hx = mx, hy = my, hz = mz;
    for (; e < rowEnd; e++) {
      const part = <usize>load<u32>(parts + (e << 2));
      if (!load<u32>(isRigid + (part << 2))) continue;
      const w = <f64>load<f32>(weights + (e << 2)), m = maps + f64s(part * 21);
      hx += w * rowOf(m, x, y, z, u, s, r, mx);
      hy += w * rowOf(m + 8, x, y, z, u, s, r, my);
      hz += w * rowOf(m + 16, x, y, z, u, s, r, mz);
    }
    const dx = <f64>load<f32>(q) - <f64><f32>hx, dy = <f64>load<f32>(q, 4) - <f64><f32>hy, dz = <f64>load<f32>(q, 8) - <f64><f32>hz;
    const square = dx * dx + dy * dy + dz * dz;
    if (!(square < Infinity) && bad < 0) bad = i;
    const p = points + f64s(load<u32>(pointOfVertex + (<usize>i << 2)));
    if (square > load<f64>(p)) store<f64>(p, square);
  }
  let sum: f64 = 0, largest: f64 = 0;
  for (let p = 0; p < pointCount; p++) {
    const square = load<f64>(points + f64s(p));
    sum += square;
    if (square > largest) largest = square;
  }
  store<f64>(sums, sum); store<f64>(sums, largest, 8); store<f64>(sums, bad, 16);
}
