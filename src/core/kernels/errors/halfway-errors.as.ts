// SPDX-License-Identifier: MIT
// Rigid motions of parts, and distances from the reference halfway between frames; halfway-errors.ts has the arguments. Vectors are padded to four doubles: two registers.
import { f64s } from '../matrices/vectors.as';
import { HalfwayErrors, PartMoments } from '../slots.as';

/** The first two of three floats as doubles, and the third one with a zero. */
// @ts-ignore: decorator
@inline function loadXy(p: usize): v128 { return f64x2.promote_low_f32x4(v128.load64_zero(p)); }
// @ts-ignore: decorator
@inline function loadZ(p: usize): v128 { return f64x2.promote_low_f32x4(v128.load32_zero(p, 8)); }
/** Adds to two doubles in memory. */
// @ts-ignore: decorator
@inline function add(p: usize, v: v128): void { v128.store(p, f64x2.add(v128.load(p), v)); }

export function partMoments(args: usize, chunk: i32, _thread: i32): void {
  const rest = <usize>load<f64>(args, PartMoments.rest), rowStart = <usize>load<f64>(args, PartMoments.rowStart);
  const parts = <usize>load<f64>(args, PartMoments.parts), weights = <usize>load<f64>(args, PartMoments.weights);
  const centers = <usize>load<f64>(args, PartMoments.centers), totals = <usize>load<f64>(args, PartMoments.totals);
  const vertexCount = <i32>load<f64>(args, PartMoments.vertexCount), partCount = <i32>load<f64>(args, PartMoments.partCount);
  const frame = <usize>load<f64>(args, PartMoments.frames) + <usize>chunk * <usize>vertexCount * 12;
  const out = <usize>load<f64>(args, PartMoments.moments) + f64s(<usize>chunk * <usize>partCount * 16);
  memory.fill(out, 0, f64s(<usize>partCount * 16));
  let e = <usize>load<u32>(rowStart);
  for (let i = 0; i < vertexCount; i++) {
    const f = frame + <usize>i * 12, rowEnd = <usize>load<u32>(rowStart + (<usize>(i + 1) << 2));
    const xy = loadXy(f), z = loadZ(f);
    for (; e < rowEnd; e++) {
      const w = <f64>load<f32>(weights + (e << 2)), share = f64x2.splat(w * w);
      const o = out + (<usize>load<u32>(parts + (e << 2)) << 7);
      add(o, f64x2.mul(share, xy));
      add(o + 16, f64x2.mul(share, z));
    }
  }
  for (let p = 0; p < partCount; p++) {
    const o = out + (<usize>p << 7), total = v128.load64_splat(totals + f64s(p));
    v128.store(o, f64x2.div(v128.load(o), total));
    v128.store(o, f64x2.div(v128.load(o, 16), total), 16);
  }
  e = <usize>load<u32>(rowStart);
  for (let i = 0; i < vertexCount; i++) {
    const f = frame + <usize>i * 12, r = rest + <usize>i * 12, rowEnd = <usize>load<u32>(rowStart + (<usize>(i + 1) << 2));
    const xy = loadXy(f), z = loadZ(f), restXy = loadXy(r), restZ = loadZ(r);
    for (; e < rowEnd; e++) {
      const w = <f64>load<f32>(weights + (e << 2)), part = <usize>load<u32>(parts + (e << 2)), share = f64x2.splat(w * w);
      const o = out + (part << 7), c = centers + (part << 5);
      const dxy = f64x2.sub(xy, v128.load(o));
      const dz = f64x2.replace_lane(f64x2.sub(z, v128.load(o, 16)), 1, 0);
      const sxy = f64x2.mul(share, dxy), sz = f64x2.mul(share, dz);
      const qxy = f64x2.sub(restXy, v128.load(c)), qz = f64x2.sub(restZ, v128.load(c, 16));
      const q0 = f64x2.splat(f64x2.extract_lane(qxy, 0)), q1 = f64x2.splat(f64x2.extract_lane(qxy, 1)), q2 = f64x2.splat(f64x2.extract_lane(qz, 0));
      add(o + 32, f64x2.mul(sxy, q0)); add(o + 48, f64x2.mul(sz, q0));
      add(o + 64, f64x2.mul(sxy, q1)); add(o + 80, f64x2.mul(sz, q1));
      add(o + 96, f64x2.mul(sxy, q2)); add(o + 112, f64x2.mul(sz, q2));
      const spread = f64x2.add(f64x2.mul(sxy, dxy), f64x2.mul(sz, dz));
      store<f64>(o, load<f64>(o, 24) + f64x2.extract_lane(spread, 0) + f64x2.extract_lane(spread, 1), 24);
    }
  }
}

export function halfwayErrors(args: usize, chunk: i32, thread: i32): void {
  const rowStart = <usize>load<f64>(args, HalfwayErrors.rowStart), parts = <usize>load<f64>(args, HalfwayErrors.parts);
  const weights = <usize>load<f64>(args, HalfwayErrors.weights), pointOfVertex = <usize>load<f64>(args, HalfwayErrors.pointOfVertex);
  const vertexCount = <i32>load<f64>(args, HalfwayErrors.vertexCount), partCount = <usize>load<f64>(args, HalfwayErrors.partCount);
  const pointCount = <i32>load<f64>(args, HalfwayErrors.pointCount);
  const stride = <usize>vertexCount * 12;
  const before = <usize>load<f64>(args, HalfwayErrors.frames) + <usize>chunk * stride, after = before + stride;
  const shape = <usize>load<f64>(args, HalfwayErrors.shapes) + <usize>chunk * stride;
  const isRigid = <usize>load<f64>(args, HalfwayErrors.isRigid) + ((<usize>chunk * partCount) << 2);
  const maps = <usize>load<f64>(args, HalfwayErrors.maps) + f64s(<usize>chunk * partCount * 28);
  const sums = <usize>load<f64>(args, HalfwayErrors.sums) + f64s(<usize>chunk * 3);
  const points = <usize>load<f64>(args, HalfwayErrors.scratch) + <usize>thread * <usize>load<f64>(args, HalfwayErrors.bytesPerThread);
  memory.fill(points, 0, f64s(pointCount));
  const half = f64x2.splat(0.5), zero = f64x2.splat(0);
  let bad: f64 = -1;
  let e = <usize>load<u32>(rowStart);
  for (let i = 0; i < vertexCount; i++) {
    const b = before + <usize>i * 12, a = after + <usize>i * 12, q = shape + <usize>i * 12, rowEnd = <usize>load<u32>(rowStart + (<usize>(i + 1) << 2));
    // the maps of the parts are blended, and applied once
    let t0 = zero, t1 = zero, a0 = zero, a1 = zero, a2 = zero, a3 = zero, a4 = zero, a5 = zero, b0 = zero, b1 = zero, b2 = zero, b3 = zero, b4 = zero, b5 = zero;
    let mean: f64 = 1;
    for (; e < rowEnd; e++) {
      const part = <usize>load<u32>(parts + (e << 2));
      if (!load<u32>(isRigid + (part << 2))) continue;
      const weight = <f64>load<f32>(weights + (e << 2)), w = f64x2.splat(weight), m = maps + f64s(part * 28);
      mean -= weight;
      t0 = f64x2.add(t0, f64x2.mul(w, v128.load(m))); t1 = f64x2.add(t1, f64x2.mul(w, v128.load(m, 16)));
      a0 = f64x2.add(a0, f64x2.mul(w, v128.load(m, 32))); a1 = f64x2.add(a1, f64x2.mul(w, v128.load(m, 48)));
      a2 = f64x2.add(a2, f64x2.mul(w, v128.load(m, 64))); a3 = f64x2.add(a3, f64x2.mul(w, v128.load(m, 80)));
      a4 = f64x2.add(a4, f64x2.mul(w, v128.load(m, 96))); a5 = f64x2.add(a5, f64x2.mul(w, v128.load(m, 112)));
      b0 = f64x2.add(b0, f64x2.mul(w, v128.load(m, 128))); b1 = f64x2.add(b1, f64x2.mul(w, v128.load(m, 144)));
      b2 = f64x2.add(b2, f64x2.mul(w, v128.load(m, 160))); b3 = f64x2.add(b3, f64x2.mul(w, v128.load(m, 176)));
      b4 = f64x2.add(b4, f64x2.mul(w, v128.load(m, 192))); b5 = f64x2.add(b5, f64x2.mul(w, v128.load(m, 208)));
    }
    const m = f64x2.mul(half, f64x2.splat(mean));
    let xy = f64x2.add(t0, f64x2.mul(m, f64x2.add(loadXy(b), loadXy(a)))), z = f64x2.add(t1, f64x2.mul(m, f64x2.add(loadZ(b), loadZ(a))));
    let c = f64x2.splat(<f64>load<f32>(b));
    xy = f64x2.add(xy, f64x2.mul(a0, c)); z = f64x2.add(z, f64x2.mul(a1, c));
    c = f64x2.splat(<f64>load<f32>(b, 4));
    xy = f64x2.add(xy, f64x2.mul(a2, c)); z = f64x2.add(z, f64x2.mul(a3, c));
    c = f64x2.splat(<f64>load<f32>(b, 8));
    xy = f64x2.add(xy, f64x2.mul(a4, c)); z = f64x2.add(z, f64x2.mul(a5, c));
    c = f64x2.splat(<f64>load<f32>(a));
    xy = f64x2.add(xy, f64x2.mul(b0, c)); z = f64x2.add(z, f64x2.mul(b1, c));
    c = f64x2.splat(<f64>load<f32>(a, 4));
    xy = f64x2.add(xy, f64x2.mul(b2, c)); z = f64x2.add(z, f64x2.mul(b3, c));
    c = f64x2.splat(<f64>load<f32>(a, 8));
    xy = f64x2.add(xy, f64x2.mul(b4, c)); z = f64x2.add(z, f64x2.mul(b5, c));
    const dxy = f64x2.sub(loadXy(q), f64x2.promote_low_f32x4(f32x4.demote_f64x2_zero(xy)));
    const dz = <f64>load<f32>(q, 8) - <f64><f32>f64x2.extract_lane(z, 0);
    const sq = f64x2.mul(dxy, dxy);
    const square = f64x2.extract_lane(sq, 0) + f64x2.extract_lane(sq, 1) + dz * dz;
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
