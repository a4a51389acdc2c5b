// SPDX-License-Identifier: MIT
// Variants 0 and 1, about the centers of the patches; ddm.ts has the algebra.
import { r00, r01, r02, r10, r11, r12, r20, r21, r22, rotateLanes } from './rotate-lanes.as';
import { putCofactorNormals, putPositions, putVectors } from './put-lanes.as';

/** A map whose determinant is below this part of its size cubed is taken for singular: rounding is all it is. */
const SINGULAR: f32 = 1e-6;

let q00: v128 = i32x4.splat(0);
let q10: v128 = i32x4.splat(0);
let q20: v128 = i32x4.splat(0);
let q01: v128 = i32x4.splat(0);
let q11: v128 = i32x4.splat(0);
let q21: v128 = i32x4.splat(0);
let q02: v128 = i32x4.splat(0);
let q12: v128 = i32x4.splat(0);
let q22: v128 = i32x4.splat(0);
let qx: v128 = i32x4.splat(0);
let qy: v128 = i32x4.splat(0);
let qz: v128 = i32x4.splat(0);

// @ts-ignore: decorator
@inline function add(a: v128, b: v128): v128 { return f32x4.add(a, b); }
// @ts-ignore: decorator
@inline function mul(a: v128, b: v128): v128 { return f32x4.mul(a, b); }
// @ts-ignore: decorator
@inline function dot(ax: v128, ay: v128, az: v128, bx: v128, by: v128, bz: v128): v128 {
  return f32x4.add(f32x4.add(f32x4.mul(ax, bx), f32x4.mul(ay, by)), f32x4.mul(az, bz));
}
// @ts-ignore: decorator
@inline function minor(a: v128, b: v128, c: v128, d: v128): v128 { return f32x4.sub(f32x4.mul(a, b), f32x4.mul(c, d)); }

/** Q* and q of four vertices: v0. */
// @ts-ignore: decorator
@inline function sum(from: usize, to: usize, entries: usize, rest: usize, bones: usize): void {
  const px = v128.load(rest, 48), py = v128.load(rest, 64), pz = v128.load(rest, 80);
  const zero = f32x4.splat(0);
  let a00 = zero, a01 = zero, a02 = zero, a03 = zero, a10 = zero, a11 = zero, a12 = zero, a13 = zero, a20 = zero, a21 = zero, a22 = zero, a23 = zero;
  let e = entries;
  for (let b = from; b < to; b += 4, e += 160) {
    const m = bones + (<usize>load<u32>(b) << 6);
    const xx = v128.load(e), xy = v128.load(e, 16), xz = v128.load(e, 32), x1 = v128.load(e, 48), yy = v128.load(e, 64);
    const yz = v128.load(e, 80), y1 = v128.load(e, 96), zz = v128.load(e, 112), z1 = v128.load(e, 128), w = v128.load(e, 144);
    let x = v128.load32_splat(m), y = v128.load32_splat(m, 4), z = v128.load32_splat(m, 8);
    let s = add(dot(x, y, z, px, py, pz), v128.load32_splat(m, 12));
    a00 = add(a00, add(dot(x, y, z, xx, xy, xz), mul(s, x1)));
    a01 = add(a01, add(dot(x, y, z, xy, yy, yz), mul(s, y1)));
    a02 = add(a02, add(dot(x, y, z, xz, yz, zz), mul(s, z1)));
    a03 = add(a03, add(dot(x, y, z, x1, y1, z1), mul(s, w)));
    x = v128.load32_splat(m, 16); y = v128.load32_splat(m, 20); z = v128.load32_splat(m, 24);
    s = add(dot(x, y, z, px, py, pz), v128.load32_splat(m, 28));
    a10 = add(a10, add(dot(x, y, z, xx, xy, xz), mul(s, x1)));
    a11 = add(a11, add(dot(x, y, z, xy, yy, yz), mul(s, y1)));
    a12 = add(a12, add(dot(x, y, z, xz, yz, zz), mul(s, z1)));
    a13 = add(a13, add(dot(x, y, z, x1, y1, z1), mul(s, w)));
    x = v128.load32_splat(m, 32); y = v128.load32_splat(m, 36); z = v128.load32_splat(m, 40);
    s = add(dot(x, y, z, px, py, pz), v128.load32_splat(m, 44));
    a20 = add(a20, add(dot(x, y, z, xx, xy, xz), mul(s, x1)));
    a21 = add(a21, add(dot(x, y, z, xy, yy, yz), mul(s, y1)));
    a22 = add(a22, add(dot(x, y, z, xz, yz, zz), mul(s, z1)));
    a23 = add(a23, add(dot(x, y, z, x1, y1, z1), mul(s, w)));
  }
  q00 = a00; q01 = a01; q02 = a02; q10 = a10; q11 = a11; q12 = a12; q20 = a20; q21 = a21; q22 = a22;
  qx = a03; qy = a13; qz = a23;
}

/** v0: x = q + R d with R the nearest rotation to Q*. */
export function mushRotation(from: usize, to: usize, entries: usize, rest: usize, vertex: usize, bones: usize, origin: usize, positions: usize, normals: usize, scratch: usize): void {
  sum(from, to, entries, rest, bones);
  rotateLanes(scratch, q00, q10, q20, q01, q11, q21, q02, q12, q22);
  const dx = v128.load(rest), dy = v128.load(rest, 16), dz = v128.load(rest, 32);
  putPositions(positions, vertex, origin, add(qx, dot(r00, r01, r02, dx, dy, dz)), add(qy, dot(r10, r11, r12, dx, dy, dz)), add(qz, dot(r20, r21, r22, dx, dy, dz)));
  if (!normals) return;
  const ax = v128.load(rest, 96), ay = v128.load(rest, 112), az = v128.load(rest, 128);
  putVectors(normals, vertex, dot(r00, r01, r02, ax, ay, az), dot(r10, r11, r12, ax, ay, az), dot(r20, r21, r22, ax, ay, az));
}

/** F and q of four vertices: v1. */
// @ts-ignore: decorator
@inline function sumMap(from: usize, to: usize, entries: usize, rest: usize, bones: usize): void {
  const px = v128.load(rest, 48), py = v128.load(rest, 64), pz = v128.load(rest, 80);
  const zero = f32x4.splat(0);
  let a00 = zero, a01 = zero, a02 = zero, a03 = zero, a10 = zero, a11 = zero, a12 = zero, a13 = zero, a20 = zero, a21 = zero, a22 = zero, a23 = zero;
  let e = entries;
  for (let b = from; b < to; b += 4, e += 256) {
    const m = bones + (<usize>load<u32>(b) << 6);
    let x = v128.load32_splat(m), y = v128.load32_splat(m, 4), z = v128.load32_splat(m, 8);
    let s = add(dot(x, y, z, px, py, pz), v128.load32_splat(m, 12));
    a00 = add(a00, add(dot(x, y, z, v128.load(e), v128.load(e, 16), v128.load(e, 32)), mul(s, v128.load(e, 48))));
    a01 = add(a01, add(dot(x, y, z, v128.load(e, 64), v128.load(e, 80), v128.load(e, 96)), mul(s, v128.load(e, 112))));
    a02 = add(a02, add(dot(x, y, z, v128.load(e, 128), v128.load(e, 144), v128.load(e, 160)), mul(s, v128.load(e, 176))));
    a03 = add(a03, add(dot(x, y, z, v128.load(e, 192), v128.load(e, 208), v128.load(e, 224)), mul(s, v128.load(e, 240))));
    x = v128.load32_splat(m, 16); y = v128.load32_splat(m, 20); z = v128.load32_splat(m, 24);
    s = add(dot(x, y, z, px, py, pz), v128.load32_splat(m, 28));
    a10 = add(a10, add(dot(x, y, z, v128.load(e), v128.load(e, 16), v128.load(e, 32)), mul(s, v128.load(e, 48))));
    a11 = add(a11, add(dot(x, y, z, v128.load(e, 64), v128.load(e, 80), v128.load(e, 96)), mul(s, v128.load(e, 112))));
    a12 = add(a12, add(dot(x, y, z, v128.load(e, 128), v128.load(e, 144), v128.load(e, 160)), mul(s, v128.load(e, 176))));
    a13 = add(a13, add(dot(x, y, z, v128.load(e, 192), v128.load(e, 208), v128.load(e, 224)), mul(s, v128.load(e, 240))));
    x = v128.load32_splat(m, 32); y = v128.load32_splat(m, 36); z = v128.load32_splat(m, 40);
    s = add(dot(x, y, z, px, py, pz), v128.load32_splat(m, 44));
    a20 = add(a20, add(dot(x, y, z, v128.load(e), v128.load(e, 16), v128.load(e, 32)), mul(s, v128.load(e, 48))));
    a21 = add(a21, add(dot(x, y, z, v128.load(e, 64), v128.load(e, 80), v128.load(e, 96)), mul(s, v128.load(e, 112))));
    a22 = add(a22, add(dot(x, y, z, v128.load(e, 128), v128.load(e, 144), v128.load(e, 160)), mul(s, v128.load(e, 176))));
    a23 = add(a23, add(dot(x, y, z, v128.load(e, 192), v128.load(e, 208), v128.load(e, 224)), mul(s, v128.load(e, 240))));
  }
  q00 = a00; q01 = a01; q02 = a02; q10 = a10; q11 = a11; q12 = a12; q20 = a20; q21 = a21; q22 = a22;
  qx = a03; qy = a13; qz = a23;
}

/** v1: x = q + cof F d / det F, and normals by cof F; where F is singular, both by the nearest rotation to it. */
export function mushInverse(from: usize, to: usize, entries: usize, rest: usize, vertex: usize, bones: usize, origin: usize, positions: usize, normals: usize, scratch: usize): void {
  sumMap(from, to, entries, rest, bones);
  let c00 = minor(q11, q22, q12, q21), c10 = minor(q02, q21, q01, q22), c20 = minor(q01, q12, q02, q11);
  let c01 = minor(q12, q20, q10, q22), c11 = minor(q00, q22, q02, q20), c21 = minor(q02, q10, q00, q12);
  let c02 = minor(q10, q21, q11, q20), c12 = minor(q01, q20, q00, q21), c22 = minor(q00, q11, q01, q10);
  let det = dot(q00, q10, q20, c00, c10, c20);
  const n = add(add(dot(q00, q10, q20, q00, q10, q20), dot(q01, q11, q21, q01, q11, q21)), dot(q02, q12, q22, q02, q12, q22));
  const safe = f32x4.gt(mul(det, det), mul(mul(n, n), mul(n, f32x4.splat(SINGULAR * SINGULAR))));
  if (!i32x4.all_true(safe)) {
    rotateLanes(scratch, q00, q10, q20, q01, q11, q21, q02, q12, q22);
    c00 = v128.bitselect(c00, r00, safe); c10 = v128.bitselect(c10, r10, safe); c20 = v128.bitselect(c20, r20, safe);
    c01 = v128.bitselect(c01, r01, safe); c11 = v128.bitselect(c11, r11, safe); c21 = v128.bitselect(c21, r21, safe);
    c02 = v128.bitselect(c02, r02, safe); c12 = v128.bitselect(c12, r12, safe); c22 = v128.bitselect(c22, r22, safe);
    q00 = v128.bitselect(q00, r00, safe); q10 = v128.bitselect(q10, r10, safe); q20 = v128.bitselect(q20, r20, safe);
    q01 = v128.bitselect(q01, r01, safe); q11 = v128.bitselect(q11, r11, safe); q21 = v128.bitselect(q21, r21, safe);
    q02 = v128.bitselect(q02, r02, safe); q12 = v128.bitselect(q12, r12, safe); q22 = v128.bitselect(q22, r22, safe);
    det = v128.bitselect(det, f32x4.splat(1), safe);
  }
  const s = f32x4.div(f32x4.splat(1), det);
  const dx = mul(s, v128.load(rest)), dy = mul(s, v128.load(rest, 16)), dz = mul(s, v128.load(rest, 32));
  putPositions(positions, vertex, origin, add(qx, dot(c00, c01, c02, dx, dy, dz)), add(qy, dot(c10, c11, c12, dx, dy, dz)), add(qz, dot(c20, c21, c22, dx, dy, dz)));
  if (normals) putCofactorNormals(normals, vertex, rest, q00, q10, q20, q01, q11, q21, q02, q12, q22);
}
