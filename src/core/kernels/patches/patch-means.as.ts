// SPDX-License-Identifier: MIT
// Means of points over frames, carried by rigid patches; patch-means.ts has the algebra. Two frames at a time, in the lanes of f64x2.
import { rotateTwo } from './rotations.as';
import { f64s } from '../matrices/vectors.as';
import { PatchMeans } from '../slots.as';

// @ts-ignore: decorator
@inline function mul(a: v128, b: v128): v128 { return f64x2.mul(a, b); }
// @ts-ignore: decorator
@inline function add(a: v128, b: v128): v128 { return f64x2.add(a, b); }
// @ts-ignore: decorator
@inline function sub(a: v128, b: v128): v128 { return f64x2.sub(a, b); }
/** Splits a pair between two matrices that follow one another. */
// @ts-ignore: decorator
@inline function split(m: usize, c: usize, value: v128): void {
  store<f64>(m + (c << 3), f64x2.extract_lane(value, 0));
  store<f64>(m + (c << 3), f64x2.extract_lane(value, 1), 72);
}
// @ts-ignore: decorator
@inline function pair(m: usize, c: usize): v128 {
  return f64x2.replace_lane(f64x2.splat(load<f64>(m + (c << 3))), 1, load<f64>(m + (c << 3), 72));
}

export function patchMeans(args: usize, chunk: i32, thread: i32): void {
  const rest = <usize>load<f64>(args, PatchMeans.rest), posed = <usize>load<f64>(args, PatchMeans.posed);
  const patches = <usize>load<f64>(args, PatchMeans.patches), sizes = <usize>load<f64>(args, PatchMeans.sizes);
  const means = <usize>load<f64>(args, PatchMeans.means);
  const frameCount = <i32>load<f64>(args, PatchMeans.frameCount), width = <i32>load<f64>(args, PatchMeans.width);
  const scale = load<f64>(args, PatchMeans.scale), isFirst = load<f64>(args, PatchMeans.isFirst) != 0;
  const per = <i32>load<f64>(args, PatchMeans.chunkSize), end = min(<i32>load<f64>(args, PatchMeans.pointCount), (chunk + 1) * per);
  const row = f64s(frameCount + (frameCount & 1));
  const offsets = <usize>load<f64>(args, PatchMeans.scratch) + f64s(<usize>thread * <usize>load<f64>(args, PatchMeans.scratchLength));
  const m = offsets + f64s(3 * width), misfits = m + 144, sorted = misfits + row, carried = sorted + row;
  for (let i = chunk * per; i < end; i++) {
    const patch = patches + (<usize>(i * width) << 2), size = <i32>load<u32>(sizes + (<usize>i << 2));
    carryPoint(rest, posed, patch, size, row, offsets, m, misfits, carried);
    const bend = isFirst ? max(scale, middleOf(misfits, frameCount, sorted)) : scale;
    const from = rest + <usize>i * 24, mean = means + <usize>i * 24;
    store<f64>(mean, load<f64>(from)); store<f64>(mean, load<f64>(from, 8), 8); store<f64>(mean, load<f64>(from, 16), 16);
    average(carried, misfits, row, frameCount, bend, 0, mean);
    average(carried, misfits, row, frameCount, bend, 4 * scale, mean);
  }
}

/** Fills the misfit of every frame, and the positions that the frames give a point: x of all frames, y, z. */
function carryPoint(rest: usize, posed: usize, patch: usize, size: i32, row: usize, offsets: usize, m: usize, misfits: usize, carried: usize): void {
  const count = <f64>size;
  let ux: f64 = 0, uy: f64 = 0, uz: f64 = 0;
  for (let n = 0; n < size; n++) {
    const p = rest + <usize>load<u32>(patch + (<usize>n << 2)) * 24;
    ux += load<f64>(p) / count; uy += load<f64>(p, 8) / count; uz += load<f64>(p, 16) / count;
  }
  let spread: f64 = 0;
  for (let n = 0; n < size; n++) {
    const p = rest + <usize>load<u32>(patch + (<usize>n << 2)) * 24, o = offsets + <usize>n * 24;
    const x = load<f64>(p) - ux, y = load<f64>(p, 8) - uy, z = load<f64>(p, 16) - uz;
    store<f64>(o, x); store<f64>(o, y, 8); store<f64>(o, z, 16);
    spread += x * x + y * y + z * z;
  }
  const zero = f64x2.splat(0), share = f64x2.splat(count);
  const cx = f64x2.splat(ux), cy = f64x2.splat(uy), cz = f64x2.splat(uz);
  for (let k: usize = 0; k < row; k += 16) {
    const first = posed + <usize>load<u32>(patch) * 3 * row + k;
    const ox = v128.load(first), oy = v128.load(first + row), oz = v128.load(first + 2 * row);
    let vx = zero, vy = zero, vz = zero, square = zero;
    let m0 = zero, m1 = zero, m2 = zero, m3 = zero, m4 = zero, m5 = zero, m6 = zero, m7 = zero, m8 = zero;
    for (let n = 0; n < size; n++) {
      const p = posed + <usize>load<u32>(patch + (<usize>n << 2)) * 3 * row + k, o = offsets + <usize>n * 24;
      const x = sub(v128.load(p), ox), y = sub(v128.load(p + row), oy), z = sub(v128.load(p + 2 * row), oz);
      const a = v128.load64_splat(o), b = v128.load64_splat(o, 8), c = v128.load64_splat(o, 16);
      vx = add(vx, x); vy = add(vy, y); vz = add(vz, z);
      square = add(square, add(add(mul(x, x), mul(y, y)), mul(z, z)));
      m0 = add(m0, mul(a, x)); m1 = add(m1, mul(b, x)); m2 = add(m2, mul(c, x));
      m3 = add(m3, mul(a, y)); m4 = add(m4, mul(b, y)); m5 = add(m5, mul(c, y));
      m6 = add(m6, mul(a, z)); m7 = add(m7, mul(b, z)); m8 = add(m8, mul(c, z));
    }
    split(m, 0, m0); split(m, 1, m1); split(m, 2, m2); split(m, 3, m3); split(m, 4, m4); split(m, 5, m5); split(m, 6, m6); split(m, 7, m7); split(m, 8, m8);
    rotateTwo(m, m + 72, m, m + 72);
    const r0 = pair(m, 0), r1 = pair(m, 1), r2 = pair(m, 2), r3 = pair(m, 3), r4 = pair(m, 4), r5 = pair(m, 5), r6 = pair(m, 6), r7 = pair(m, 7), r8 = pair(m, 8);
    let fit = mul(m0, r0);
    fit = add(fit, mul(m1, r1)); fit = add(fit, mul(m2, r2)); fit = add(fit, mul(m3, r3)); fit = add(fit, mul(m4, r4));
    fit = add(fit, mul(m5, r5)); fit = add(fit, mul(m6, r6)); fit = add(fit, mul(m7, r7)); fit = add(fit, mul(m8, r8));
    vx = f64x2.div(vx, share); vy = f64x2.div(vy, share); vz = f64x2.div(vz, share);
    const moved = sub(square, mul(share, add(add(mul(vx, vx), mul(vy, vy)), mul(vz, vz))));
    v128.store(misfits + k, f64x2.div(f64x2.max(zero, sub(add(f64x2.splat(spread), moved), mul(f64x2.splat(2), fit))), share));
    v128.store(carried + k, sub(sub(sub(cx, mul(r0, vx)), mul(r3, vy)), mul(r6, vz)));
    v128.store(carried + row + k, sub(sub(sub(cy, mul(r1, vx)), mul(r4, vy)), mul(r7, vz)));
    v128.store(carried + 2 * row + k, sub(sub(sub(cz, mul(r2, vx)), mul(r5, vy)), mul(r8, vz)));
  }
}

/** The value in the middle; sorted is filled by insertion, since frames are few. */
function middleOf(values: usize, count: i32, sorted: usize): f64 {
  for (let n = 0; n < count; n++) {
    const value = load<f64>(values + f64s(n));
    let at = n;
    while (at > 0 && load<f64>(sorted + f64s(at - 1)) > value) {
      store<f64>(sorted + f64s(at), load<f64>(sorted + f64s(at - 1)));
      at--;
    }
    store<f64>(sorted + f64s(at), value);
  }
  return load<f64>(sorted + f64s(count >> 1));
}

/** The weighted mean of positions, in place of an earlier one. */
function average(carried: usize, misfits: usize, row: usize, frameCount: i32, bend: f64, far: f64, mean: usize): void {
  const mx = load<f64>(mean), my = load<f64>(mean, 8), mz = load<f64>(mean, 16);
  let x: f64 = 0, y: f64 = 0, z: f64 = 0, total: f64 = 0;
  for (let o: usize = 0; o < f64s(frameCount); o += 8) {
    const px = load<f64>(carried + o), py = load<f64>(carried + row + o), pz = load<f64>(carried + 2 * row + o);
    const dx = px - mx, dy = py - my, dz = pz - mz, b = load<f64>(misfits + o) / bend;
    const a = far > 0 ? (dx * dx + dy * dy + dz * dz) / far : 0;
    const weight = 1 / ((1 + b * b) * (1 + a * a));
    total += weight;
    x += weight * px; y += weight * py; z += weight * pz;
  }
  store<f64>(mean, x / total); store<f64>(mean, y / total, 8); store<f64>(mean, z / total, 16);
}
