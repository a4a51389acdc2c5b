// SPDX-License-Identifier: MIT
// Nearest rotations of four 3x3 matrices at once in f32x4, one per lane.
//
// With M = U diag(a, b, c) V^T, U and V rotations, a >= b >= |c| and c of the sign of det M, the cofactor matrix is U diag(bc, ca, ab) V^T, so that
// M + m cof M keeps the rotation U V^T while pairs grow as (a + b)(1 + m c), (b + c)(1 + m a), (c + a)(1 + m b). With m = |M| / |cof M| none of the
// factors is negative (m |c| <= 1), and for flat matrices, c = 0, a step gives (a, b, a) up to a factor: no division by the determinant, no trouble with
// reflections. This is Newton's iteration for the polar factor (cof M = det M M^-T), scaled as in Higham 1986.
// Three unscaled steps at the end leave singular values at 1 to rounding: within 0.2 of 1 before them, then 0.02, 2e-4, 2e-8. What has not converged
// by then (rank one or less, reflections with b = -c, non-finite numbers) is computed in doubles by singular values.
import { rotateOne } from './rotations.as';

const MAX_STEPS: i32 = 8;

export let r00: v128 = i32x4.splat(0);
export let r10: v128 = i32x4.splat(0);
export let r20: v128 = i32x4.splat(0);
export let r01: v128 = i32x4.splat(0);
export let r11: v128 = i32x4.splat(0);
export let r21: v128 = i32x4.splat(0);
export let r02: v128 = i32x4.splat(0);
export let r12: v128 = i32x4.splat(0);
export let r22: v128 = i32x4.splat(0);

// @ts-ignore: decorator
@inline function mul(a: v128, b: v128): v128 { return f32x4.mul(a, b); }
// @ts-ignore: decorator
@inline function add(a: v128, b: v128): v128 { return f32x4.add(a, b); }
// @ts-ignore: decorator
@inline function minor(a: v128, b: v128, c: v128, d: v128): v128 { return f32x4.sub(f32x4.mul(a, b), f32x4.mul(c, d)); }
// @ts-ignore: decorator
@inline function dot(ax: v128, ay: v128, az: v128, bx: v128, by: v128, bz: v128): v128 {
  return f32x4.add(f32x4.add(f32x4.mul(ax, bx), f32x4.mul(ay, by)), f32x4.mul(az, bz));
}

/** Fills r00 to r22 (row, column). scratch: 360 bytes */
export function rotateLanes(scratch: usize, g00: v128, g10: v128, g20: v128, g01: v128, g11: v128, g21: v128, g02: v128, g12: v128, g22: v128): void {
  const tiny = f32x4.splat(1e-36), half = f32x4.splat(0.5);
  let n = add(add(dot(g00, g10, g20, g00, g10, g20), dot(g01, g11, g21, g01, g11, g21)), dot(g02, g12, g22, g02, g12, g22));
  let s = f32x4.div(f32x4.splat(1), f32x4.sqrt(f32x4.pmax(n, tiny)));
  let m00 = mul(g00, s), m10 = mul(g10, s), m20 = mul(g20, s), m01 = mul(g01, s), m11 = mul(g11, s), m21 = mul(g21, s), m02 = mul(g02, s), m12 = mul(g12, s), m22 = mul(g22, s);
  let c00: v128, c10: v128, c20: v128, c01: v128, c11: v128, c21: v128, c02: v128, c12: v128, c22: v128;
  let near: v128 = tiny;
  for (let step = 0; ; step++) {
    c00 = minor(m11, m22, m12, m21); c10 = minor(m02, m21, m01, m22); c20 = minor(m01, m12, m02, m11);
    c01 = minor(m12, m20, m10, m22); c11 = minor(m00, m22, m02, m20); c21 = minor(m02, m10, m00, m12);
    c02 = minor(m10, m21, m11, m20); c12 = minor(m01, m20, m00, m21); c22 = minor(m00, m11, m01, m10);
    n = add(add(dot(m00, m10, m20, m00, m10, m20), dot(m01, m11, m21, m01, m11, m21)), dot(m02, m12, m22, m02, m12, m22));
    const det = dot(m00, m10, m20, c00, c10, c20);
    // 27 det^2 = |M|^6 exactly for multiples of rotations
    near = v128.and(f32x4.gt(mul(mul(det, det), f32x4.splat(27)), mul(mul(n, n), mul(n, f32x4.splat(0.9)))), f32x4.gt(det, tiny));
    if (step == MAX_STEPS || i32x4.all_true(near)) break;
    const k = add(add(dot(c00, c10, c20, c00, c10, c20), dot(c01, c11, c21, c01, c11, c21)), dot(c02, c12, c22, c02, c12, c22));
    s = mul(half, f32x4.sqrt(f32x4.div(n, f32x4.pmax(k, tiny))));
    m00 = add(mul(half, m00), mul(s, c00)); m10 = add(mul(half, m10), mul(s, c10)); m20 = add(mul(half, m20), mul(s, c20));
    m01 = add(mul(half, m01), mul(s, c01)); m11 = add(mul(half, m11), mul(s, c11)); m21 = add(mul(half, m21), mul(s, c21));
    m02 = add(mul(half, m02), mul(s, c02)); m12 = add(mul(half, m12), mul(s, c12)); m22 = add(mul(half, m22), mul(s, c22));
  }
  // All singular values of M near |M| / sqrt 3: of the scaled matrix f M they are near 1, and f M + f^2 cof M is twice the mean of two near rotations.
  const square = f32x4.div(f32x4.splat(0.75), f32x4.pmax(n, tiny)); // f^2 / 4
  s = f32x4.sqrt(square);
  const t = add(square, square);
  m00 = add(mul(s, m00), mul(t, c00)); m10 = add(mul(s, m10), mul(t, c10)); m20 = add(mul(s, m20), mul(t, c20));
  m01 = add(mul(s, m01), mul(t, c01)); m11 = add(mul(s, m11), mul(t, c11)); m21 = add(mul(s, m21), mul(t, c21));
  m02 = add(mul(s, m02), mul(t, c02)); m12 = add(mul(s, m12), mul(t, c12)); m22 = add(mul(s, m22), mul(t, c22));
  // Twice M/2 + cof M / (2 det M): the size also becomes 1
  c00 = minor(m11, m22, m12, m21); c10 = minor(m02, m21, m01, m22); c20 = minor(m01, m12, m02, m11);
  s = f32x4.div(half, dot(m00, m10, m20, c00, c10, c20));
  c01 = minor(m12, m20, m10, m22); c11 = minor(m00, m22, m02, m20); c21 = minor(m02, m10, m00, m12);
  c02 = minor(m10, m21, m11, m20); c12 = minor(m01, m20, m00, m21); c22 = minor(m00, m11, m01, m10);
  m00 = add(mul(half, m00), mul(s, c00)); m10 = add(mul(half, m10), mul(s, c10)); m20 = add(mul(half, m20), mul(s, c20));
  m01 = add(mul(half, m01), mul(s, c01)); m11 = add(mul(half, m11), mul(s, c11)); m21 = add(mul(half, m21), mul(s, c21));
  m02 = add(mul(half, m02), mul(s, c02)); m12 = add(mul(half, m12), mul(s, c12)); m22 = add(mul(half, m22), mul(s, c22));
  c00 = minor(m11, m22, m12, m21); c10 = minor(m02, m21, m01, m22); c20 = minor(m01, m12, m02, m11);
  s = f32x4.div(half, dot(m00, m10, m20, c00, c10, c20));
  c01 = minor(m12, m20, m10, m22); c11 = minor(m00, m22, m02, m20); c21 = minor(m02, m10, m00, m12);
  c02 = minor(m10, m21, m11, m20); c12 = minor(m01, m20, m00, m21); c22 = minor(m00, m11, m01, m10);
  r00 = add(mul(half, m00), mul(s, c00)); r10 = add(mul(half, m10), mul(s, c10)); r20 = add(mul(half, m20), mul(s, c20));
  r01 = add(mul(half, m01), mul(s, c01)); r11 = add(mul(half, m11), mul(s, c11)); r21 = add(mul(half, m21), mul(s, c21));
  r02 = add(mul(half, m02), mul(s, c02)); r12 = add(mul(half, m12), mul(s, c12)); r22 = add(mul(half, m22), mul(s, c22));
  if (i32x4.all_true(near)) return;
  v128.store(scratch, g00); v128.store(scratch, g10, 16); v128.store(scratch, g20, 32);
  v128.store(scratch, g01, 48); v128.store(scratch, g11, 64); v128.store(scratch, g21, 80);
  v128.store(scratch, g02, 96); v128.store(scratch, g12, 112); v128.store(scratch, g22, 128);
  rotateSlowly(scratch, i32x4.bitmask(near));
}

/** Replaces the lanes of r00 to r22 that are not set in near by rotations of the matrices in scratch (9 x 4). */
function rotateSlowly(scratch: usize, near: i32): void {
  const result = scratch + 144, matrix = scratch + 288;
  v128.store(result, r00); v128.store(result, r10, 16); v128.store(result, r20, 32);
  v128.store(result, r01, 48); v128.store(result, r11, 64); v128.store(result, r21, 80);
  v128.store(result, r02, 96); v128.store(result, r12, 112); v128.store(result, r22, 128);
  for (let lane: usize = 0; lane < 4; lane++) {
    if ((near >> <i32>lane) & 1) continue;
    for (let e: usize = 0; e < 9; e++) store<f64>(matrix + (e << 3), <f64>load<f32>(scratch + (e << 4) + (lane << 2)));
    rotateOne(matrix, matrix);
    for (let e: usize = 0; e < 9; e++) store<f32>(result + (e << 4) + (lane << 2), <f32>load<f64>(matrix + (e << 3)));
  }
  r00 = v128.load(result); r10 = v128.load(result, 16); r20 = v128.load(result, 32);
  r01 = v128.load(result, 48); r11 = v128.load(result, 64); r21 = v128.load(result, 80);
  r02 = v128.load(result, 96); r12 = v128.load(result, 112); r22 = v128.load(result, 128);
}
