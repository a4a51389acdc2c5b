// SPDX-License-Identifier: MIT
// Nearest rotations of 3x3 matrices, two at a time in f64x2; rotations.ts has the algebra and the arguments.
// rotateFast is the closed form of core/math/rotation.ts, rotateJacobi is for pairs in which one matrix is nearly degenerate.
import { Rotations } from '../slots.as';

const MAX_SWEEPS: i32 = 8;

// @ts-ignore: decorator
@inline function mul(a: v128, b: v128): v128 { return f64x2.mul(a, b); }
// @ts-ignore: decorator
@inline function add(a: v128, b: v128): v128 { return f64x2.add(a, b); }
// @ts-ignore: decorator
@inline function sub(a: v128, b: v128): v128 { return f64x2.sub(a, b); }
// @ts-ignore: decorator
@inline function dot(ax: v128, ay: v128, az: v128, bx: v128, by: v128, bz: v128): v128 {
  return add(add(mul(ax, bx), mul(ay, by)), mul(az, bz));
}
// @ts-ignore: decorator
@inline function select2(mask: v128, yes: v128, no: v128): v128 { return v128.bitselect(yes, no, mask); }
// @ts-ignore: decorator
@inline function lanes(m: usize, n: usize, c: usize): v128 {
  return f64x2.replace_lane(f64x2.splat(load<f64>(m + (c << 3))), 1, load<f64>(n + (c << 3)));
}
// @ts-ignore: decorator
@inline function put(m: usize, n: usize, c: usize, value: v128): void {
  store<f64>(m + (c << 3), f64x2.extract_lane(value, 0));
  store<f64>(n + (c << 3), f64x2.extract_lane(value, 1));
}
/** Tangent of the rotation that makes two columns orthogonal, without dividing by their product: 2g sgn(d) / (|d| + sqrt(d^2 + 4g^2)). */
// @ts-ignore: decorator
@inline function tangent(alpha: v128, beta: v128, gamma: v128): v128 {
  const d = sub(beta, alpha);
  const twice = add(gamma, gamma);
  const bottom = add(f64x2.abs(d), f64x2.sqrt(add(mul(d, d), mul(twice, twice))));
  const signed = v128.xor(twice, v128.and(d, f64x2.splat(-0.0)));
  const safe = f64x2.gt(bottom, f64x2.splat(0));
  return v128.and(f64x2.div(signed, select2(safe, bottom, f64x2.splat(1))), safe);
}

export function rotations(args: usize, chunk: i32, _thread: i32): void {
  const matrices = <usize>load<f64>(args, Rotations.matrices), out = <usize>load<f64>(args, Rotations.out);
  const count = <i32>load<f64>(args, Rotations.count), size = <i32>load<f64>(args, Rotations.chunkSize);
  const begin = chunk * size, end = min(count, begin + size);
  for (let i = begin; i < end; i += 2) {
    const next = min(i + 1, end - 1); // an odd last matrix fills both lanes
    const m = matrices + <usize>i * 72, n = matrices + <usize>next * 72, p = out + <usize>i * 72, q = out + <usize>next * 72;
    if (!rotateFast(m, n, p, q)) rotateJacobi(m, n, p, q);
  }
}

/** The nearest rotation of one matrix (9 numbers, column-major); out may be m. */
export function rotateOne(m: usize, out: usize): void {
  if (!rotateFast(m, m, out, out)) rotateJacobi(m, m, out, out);
}

/** The nearest rotations p and q of two matrices; they may be m and n. */
export function rotateTwo(m: usize, n: usize, p: usize, q: usize): void {
  if (!rotateFast(m, n, p, q)) rotateJacobi(m, n, p, q);
}

const ZETA_FLOOR: f64 = 0.005;
const MAX_NEWTON_STEPS: i32 = 16;
const LAMBDA_STEP: f64 = 1e-15;

/** Returns false, without writing, if the closed form would be inaccurate for one of the two. */
function rotateFast(m: usize, n: usize, p: usize, q: usize): bool {
  const one = f64x2.splat(1), half = f64x2.splat(0.5), zero = f64x2.splat(0);
  let m00 = lanes(m, n, 0), m10 = lanes(m, n, 1), m20 = lanes(m, n, 2), m01 = lanes(m, n, 3), m11 = lanes(m, n, 4), m21 = lanes(m, n, 5), m02 = lanes(m, n, 6), m12 = lanes(m, n, 7), m22 = lanes(m, n, 8);
  let g00 = dot(m00, m10, m20, m00, m10, m20), g11 = dot(m01, m11, m21, m01, m11, m21), g22 = dot(m02, m12, m22, m02, m12, m22);
  const square = add(add(g00, g11), g22);
  if (!i64x2.all_true(v128.and(f64x2.gt(square, f64x2.splat(1e-60)), f64x2.lt(square, f64x2.splat(1e60))))) return false;
  const inverse = f64x2.div(one, square), scale = f64x2.sqrt(inverse);
  g00 = mul(g00, inverse); g11 = mul(g11, inverse); g22 = mul(g22, inverse);
  m00 = mul(m00, scale); m10 = mul(m10, scale); m20 = mul(m20, scale); m01 = mul(m01, scale); m11 = mul(m11, scale); m21 = mul(m21, scale); m02 = mul(m02, scale); m12 = mul(m12, scale); m22 = mul(m22, scale);
  const g01 = dot(m00, m10, m20, m01, m11, m21), g02 = dot(m00, m10, m20, m02, m12, m22), g12 = dot(m01, m11, m21, m02, m12, m22);
  const c00 = sub(mul(m11, m22), mul(m12, m21));
  const c10 = sub(mul(m02, m21), mul(m01, m22));
  const c20 = sub(mul(m01, m12), mul(m02, m11));
  const c01 = sub(mul(m12, m20), mul(m10, m22));
  const c11 = sub(mul(m00, m22), mul(m02, m20));
  const c21 = sub(mul(m02, m10), mul(m00, m12));
  const c02 = sub(mul(m10, m21), mul(m11, m20));
  const c12 = sub(mul(m01, m20), mul(m00, m21));
  const c22 = sub(mul(m00, m11), mul(m01, m10));
  const det = dot(m00, m10, m20, c00, c10, c20);
  const cof = add(add(dot(c00, c10, c20, c00, c10, c20), dot(c01, c11, c21, c01, c11, c21)), dot(c02, c12, c22, c02, c12, c22));
  const det8 = mul(det, f64x2.splat(8)), cof4 = mul(cof, f64x2.splat(4));
  let lambda = add(cof, mul(f64x2.splat(3.4641016151377544), f64x2.max(det, zero)));
  lambda = f64x2.sqrt(add(one, mul(f64x2.splat(2), f64x2.sqrt(lambda))));
  for (let step = 0; step < MAX_NEWTON_STEPS; step++) {
    const e2 = sub(mul(lambda, lambda), one);
    const slope = sub(mul(f64x2.splat(4), mul(lambda, e2)), det8);
    if (!i64x2.all_true(f64x2.gt(slope, f64x2.splat(8 * ZETA_FLOOR)))) return false;
    const change = f64x2.div(sub(sub(mul(e2, e2), mul(lambda, det8)), cof4), slope);
    lambda = sub(lambda, change);
    if (i64x2.all_true(f64x2.le(f64x2.abs(change), f64x2.splat(LAMBDA_STEP)))) break;
  }
  const kappa = mul(half, sub(mul(lambda, lambda), one));
  const zeta = sub(mul(kappa, lambda), det);
  if (!i64x2.all_true(f64x2.gt(zeta, f64x2.splat(ZETA_FLOOR)))) return false;
  const d = f64x2.div(one, zeta), k = add(kappa, one), l = mul(lambda, d);
  const h00 = mul(sub(k, g00), d), h11 = mul(sub(k, g11), d), h22 = mul(sub(k, g22), d);
  const h01 = f64x2.neg(mul(g01, d)), h02 = f64x2.neg(mul(g02, d)), h12 = f64x2.neg(mul(g12, d));
  const r00 = add(dot(m00, m01, m02, h00, h01, h02), mul(l, c00));
  const r10 = add(dot(m10, m11, m12, h00, h01, h02), mul(l, c10));
  const r20 = add(dot(m20, m21, m22, h00, h01, h02), mul(l, c20));
  const r01 = add(dot(m00, m01, m02, h01, h11, h12), mul(l, c01));
  const r11 = add(dot(m10, m11, m12, h01, h11, h12), mul(l, c11));
  const r21 = add(dot(m20, m21, m22, h01, h11, h12), mul(l, c21));
  const r02 = add(dot(m00, m01, m02, h02, h12, h22), mul(l, c02));
  const r12 = add(dot(m10, m11, m12, h02, h12, h22), mul(l, c12));
  const r22 = add(dot(m20, m21, m22, h02, h12, h22), mul(l, c22));
  // R (3I - R^T R)/2
  const threeHalves = f64x2.splat(1.5), minusHalf = f64x2.splat(-0.5);
  const q00 = add(threeHalves, mul(minusHalf, dot(r00, r10, r20, r00, r10, r20)));
  const q11 = add(threeHalves, mul(minusHalf, dot(r01, r11, r21, r01, r11, r21)));
  const q22 = add(threeHalves, mul(minusHalf, dot(r02, r12, r22, r02, r12, r22)));
  const q01 = mul(minusHalf, dot(r00, r10, r20, r01, r11, r21));
  const q02 = mul(minusHalf, dot(r00, r10, r20, r02, r12, r22));
  const q12 = mul(minusHalf, dot(r01, r11, r21, r02, r12, r22));
  put(p, q, 0, dot(r00, r01, r02, q00, q01, q02));
  put(p, q, 1, dot(r10, r11, r12, q00, q01, q02));
  put(p, q, 2, dot(r20, r21, r22, q00, q01, q02));
  put(p, q, 3, dot(r00, r01, r02, q01, q11, q12));
  put(p, q, 4, dot(r10, r11, r12, q01, q11, q12));
  put(p, q, 5, dot(r20, r21, r22, q01, q11, q12));
  put(p, q, 6, dot(r00, r01, r02, q02, q12, q22));
  put(p, q, 7, dot(r10, r11, r12, q02, q12, q22));
  put(p, q, 8, dot(r20, r21, r22, q02, q12, q22));
  return true;
}

function rotateJacobi(m: usize, n: usize, p: usize, q: usize): void {
  const zero = f64x2.splat(0), one = f64x2.splat(1);
  let b0x = lanes(m, n, 0), b0y = lanes(m, n, 1), b0z = lanes(m, n, 2), b1x = lanes(m, n, 3), b1y = lanes(m, n, 4), b1z = lanes(m, n, 5), b2x = lanes(m, n, 6), b2y = lanes(m, n, 7), b2z = lanes(m, n, 8);
  let largest = f64x2.abs(b0x);
  largest = f64x2.max(largest, f64x2.abs(b0y));
  largest = f64x2.max(largest, f64x2.abs(b0z));
  largest = f64x2.max(largest, f64x2.abs(b1x));
  largest = f64x2.max(largest, f64x2.abs(b1y));
  largest = f64x2.max(largest, f64x2.abs(b1z));
  largest = f64x2.max(largest, f64x2.abs(b2x));
  largest = f64x2.max(largest, f64x2.abs(b2y));
  largest = f64x2.max(largest, f64x2.abs(b2z));
  // Zero and non-finite input give the identity at the end; here they must only not trap.
  const usable = v128.and(f64x2.gt(largest, zero), f64x2.lt(largest, f64x2.splat(Infinity)));
  // The scale is applied in two halves: 1 / largest overflows for the smallest numbers.
  const root = f64x2.div(one, f64x2.sqrt(select2(usable, largest, one)));
  b0x = mul(mul(b0x, root), root);
  b0y = mul(mul(b0y, root), root);
  b0z = mul(mul(b0z, root), root);
  b1x = mul(mul(b1x, root), root);
  b1y = mul(mul(b1y, root), root);
  b1z = mul(mul(b1z, root), root);
  b2x = mul(mul(b2x, root), root);
  b2y = mul(mul(b2y, root), root);
  b2z = mul(mul(b2z, root), root);
  let v0x = one, v0y = zero, v0z = zero, v1x = zero, v1y = one, v1z = zero, v2x = zero, v2y = zero, v2z = one;
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    let busy = zero;
    let alpha: v128, beta: v128, gamma: v128, t: v128, c: v128, s: v128, h: v128;
    // columns 0 and 1
    alpha = dot(b0x, b0y, b0z, b0x, b0y, b0z);
    beta = dot(b1x, b1y, b1z, b1x, b1y, b1z);
    gamma = dot(b0x, b0y, b0z, b1x, b1y, b1z);
    busy = v128.or(busy, f64x2.gt(mul(gamma, gamma), mul(mul(alpha, beta), f64x2.splat(1e-30))));
    t = tangent(alpha, beta, gamma);
    c = f64x2.div(one, f64x2.sqrt(add(one, mul(t, t))));
    s = mul(c, t);
    h = b0x; b0x = sub(mul(c, h), mul(s, b1x)); b1x = add(mul(s, h), mul(c, b1x));
    h = b0y; b0y = sub(mul(c, h), mul(s, b1y)); b1y = add(mul(s, h), mul(c, b1y));
    h = b0z; b0z = sub(mul(c, h), mul(s, b1z)); b1z = add(mul(s, h), mul(c, b1z));
    h = v0x; v0x = sub(mul(c, h), mul(s, v1x)); v1x = add(mul(s, h), mul(c, v1x));
    h = v0y; v0y = sub(mul(c, h), mul(s, v1y)); v1y = add(mul(s, h), mul(c, v1y));
    h = v0z; v0z = sub(mul(c, h), mul(s, v1z)); v1z = add(mul(s, h), mul(c, v1z));
    // columns 0 and 2
    alpha = dot(b0x, b0y, b0z, b0x, b0y, b0z);
    beta = dot(b2x, b2y, b2z, b2x, b2y, b2z);
    gamma = dot(b0x, b0y, b0z, b2x, b2y, b2z);
    busy = v128.or(busy, f64x2.gt(mul(gamma, gamma), mul(mul(alpha, beta), f64x2.splat(1e-30))));
    t = tangent(alpha, beta, gamma);
    c = f64x2.div(one, f64x2.sqrt(add(one, mul(t, t))));
    s = mul(c, t);
    h = b0x; b0x = sub(mul(c, h), mul(s, b2x)); b2x = add(mul(s, h), mul(c, b2x));
    h = b0y; b0y = sub(mul(c, h), mul(s, b2y)); b2y = add(mul(s, h), mul(c, b2y));
    h = b0z; b0z = sub(mul(c, h), mul(s, b2z)); b2z = add(mul(s, h), mul(c, b2z));
    h = v0x; v0x = sub(mul(c, h), mul(s, v2x)); v2x = add(mul(s, h), mul(c, v2x));
    h = v0y; v0y = sub(mul(c, h), mul(s, v2y)); v2y = add(mul(s, h), mul(c, v2y));
    h = v0z; v0z = sub(mul(c, h), mul(s, v2z)); v2z = add(mul(s, h), mul(c, v2z));
    // columns 1 and 2
    alpha = dot(b1x, b1y, b1z, b1x, b1y, b1z);
    beta = dot(b2x, b2y, b2z, b2x, b2y, b2z);
    gamma = dot(b1x, b1y, b1z, b2x, b2y, b2z);
    busy = v128.or(busy, f64x2.gt(mul(gamma, gamma), mul(mul(alpha, beta), f64x2.splat(1e-30))));
    t = tangent(alpha, beta, gamma);
    c = f64x2.div(one, f64x2.sqrt(add(one, mul(t, t))));
    s = mul(c, t);
    h = b1x; b1x = sub(mul(c, h), mul(s, b2x)); b2x = add(mul(s, h), mul(c, b2x));
    h = b1y; b1y = sub(mul(c, h), mul(s, b2y)); b2y = add(mul(s, h), mul(c, b2y));
    h = b1z; b1z = sub(mul(c, h), mul(s, b2z)); b2z = add(mul(s, h), mul(c, b2z));
    h = v1x; v1x = sub(mul(c, h), mul(s, v2x)); v2x = add(mul(s, h), mul(c, v2x));
    h = v1y; v1y = sub(mul(c, h), mul(s, v2y)); v2y = add(mul(s, h), mul(c, v2y));
    h = v1z; v1z = sub(mul(c, h), mul(s, v2z)); v2z = add(mul(s, h), mul(c, v2z));
    if (!v128.any_true(busy)) break;
  }
  // Largest column first, smallest last; a swap is a rotation by 90 degrees (one column changes sign), so V stays a rotation.
  let swap: v128, h: v128;
  let n0 = dot(b0x, b0y, b0z, b0x, b0y, b0z), n1 = dot(b1x, b1y, b1z, b1x, b1y, b1z), n2 = dot(b2x, b2y, b2z, b2x, b2y, b2z);
  swap = f64x2.lt(n0, n1);
  h = n0; n0 = select2(swap, n1, n0); n1 = select2(swap, h, n1);
  h = b0x; b0x = select2(swap, b1x, h); b1x = select2(swap, f64x2.neg(h), b1x);
  h = b0y; b0y = select2(swap, b1y, h); b1y = select2(swap, f64x2.neg(h), b1y);
  h = b0z; b0z = select2(swap, b1z, h); b1z = select2(swap, f64x2.neg(h), b1z);
  h = v0x; v0x = select2(swap, v1x, h); v1x = select2(swap, f64x2.neg(h), v1x);
  h = v0y; v0y = select2(swap, v1y, h); v1y = select2(swap, f64x2.neg(h), v1y);
  h = v0z; v0z = select2(swap, v1z, h); v1z = select2(swap, f64x2.neg(h), v1z);
  swap = f64x2.lt(n0, n2);
  h = n0; n0 = select2(swap, n2, n0); n2 = select2(swap, h, n2);
  h = b0x; b0x = select2(swap, b2x, h); b2x = select2(swap, f64x2.neg(h), b2x);
  h = b0y; b0y = select2(swap, b2y, h); b2y = select2(swap, f64x2.neg(h), b2y);
  h = b0z; b0z = select2(swap, b2z, h); b2z = select2(swap, f64x2.neg(h), b2z);
  h = v0x; v0x = select2(swap, v2x, h); v2x = select2(swap, f64x2.neg(h), v2x);
  h = v0y; v0y = select2(swap, v2y, h); v2y = select2(swap, f64x2.neg(h), v2y);
  h = v0z; v0z = select2(swap, v2z, h); v2z = select2(swap, f64x2.neg(h), v2z);
  swap = f64x2.lt(n1, n2);
  h = n1; n1 = select2(swap, n2, n1); n2 = select2(swap, h, n2);
  h = b1x; b1x = select2(swap, b2x, h); b2x = select2(swap, f64x2.neg(h), b2x);
  h = b1y; b1y = select2(swap, b2y, h); b2y = select2(swap, f64x2.neg(h), b2y);
  h = b1z; b1z = select2(swap, b2z, h); b2z = select2(swap, f64x2.neg(h), b2z);
  h = v1x; v1x = select2(swap, v2x, h); v2x = select2(swap, f64x2.neg(h), v2x);
  h = v1y; v1y = select2(swap, v2y, h); v2y = select2(swap, f64x2.neg(h), v2y);
  h = v1z; v1z = select2(swap, v2z, h); v2z = select2(swap, f64x2.neg(h), v2z);
  // u0: the direction of the largest column.
  const first = f64x2.gt(n0, zero);
  let scale = f64x2.div(one, f64x2.sqrt(select2(first, n0, one)));
  const u0x = mul(b0x, scale), u0y = mul(b0y, scale), u0z = mul(b0z, scale);
  // u1: the second column; at rank one, the image of v1 under the smallest rotation from v0 to u0.
  const flat = f64x2.le(n1, mul(n0, f64x2.splat(1e-28)));
  const along = f64x2.div(dot(v1x, v1y, v1z, u0x, u0y, u0z), f64x2.max(add(one, dot(v0x, v0y, v0z, u0x, u0y, u0z)), f64x2.splat(1e-14)));
  let u1x = select2(flat, sub(v1x, mul(along, add(v0x, u0x))), b1x);
  let u1y = select2(flat, sub(v1y, mul(along, add(v0y, u0y))), b1y);
  let u1z = select2(flat, sub(v1z, mul(along, add(v0z, u0z))), b1z);
  h = dot(u1x, u1y, u1z, u0x, u0y, u0z);
  u1x = sub(u1x, mul(h, u0x)); u1y = sub(u1y, mul(h, u0y)); u1z = sub(u1z, mul(h, u0z));
  scale = f64x2.div(one, f64x2.sqrt(dot(u1x, u1y, u1z, u1x, u1y, u1z)));
  u1x = mul(u1x, scale); u1y = mul(u1y, scale); u1z = mul(u1z, scale);
  const u2x = sub(mul(u0y, u1z), mul(u0z, u1y)), u2y = sub(mul(u0z, u1x), mul(u0x, u1z)), u2z = sub(mul(u0x, u1y), mul(u0y, u1x));
  // R = U V^T, column by column.
  put(p, q, 0, select2(usable, dot(u0x, u1x, u2x, v0x, v1x, v2x), one));
  put(p, q, 1, select2(usable, dot(u0y, u1y, u2y, v0x, v1x, v2x), zero));
  put(p, q, 2, select2(usable, dot(u0z, u1z, u2z, v0x, v1x, v2x), zero));
  put(p, q, 3, select2(usable, dot(u0x, u1x, u2x, v0y, v1y, v2y), zero));
  put(p, q, 4, select2(usable, dot(u0y, u1y, u2y, v0y, v1y, v2y), one));
  put(p, q, 5, select2(usable, dot(u0z, u1z, u2z, v0y, v1y, v2y), zero));
  put(p, q, 6, select2(usable, dot(u0x, u1x, u2x, v0z, v1z, v2z), zero));
  put(p, q, 7, select2(usable, dot(u0y, u1y, u2y, v0z, v1z, v2z), zero));
  put(p, q, 8, select2(usable, dot(u0z, u1z, u2z, v0z, v1z, v2z), one));
}
