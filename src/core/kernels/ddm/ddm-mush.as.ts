// SPDX-License-Identifier: MIT
// Variants 0 and 1, about the centers of the patches; ddm.ts has the algebra. Each function evaluates one pose for groups begin to end.
import { r00, r01, r02, r10, r11, r12, r20, r21, r22, rotateLanes } from '../patches/rotate-lanes.as';
import { putCofactorNormals, putPositions, putVectors } from '../matrices/put-lanes.as';

/** A map is treated as singular if its determinant, relative to its size cubed, is smaller: it is then rounding error. */
const SINGULAR: f32 = 1e-6;

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

/** v0: x = q + R d with R the nearest rotation to Q*, which a00 to a22 hold; a03 to a23 hold q. */
export function mushRotation(groupStart: usize, groupBones: usize, entries: usize, rests: usize, vertices: usize, bones: usize, origin: usize, positions: usize, normals: usize, begin: i32, end: i32, scratch: usize): void {
  const zero = f32x4.splat(0);
  let rest = rests + <usize>begin * 144, vertex = vertices + (<usize>begin << 4);
  const first = <usize>load<u32>(groupStart + (<usize>begin << 2));
  let b = groupBones + (first << 2), e = entries + first * 160;
  for (let g = groupStart + (<usize>begin << 2), last = groupStart + (<usize>end << 2); g < last; g += 4, rest += 144, vertex += 16) {
    const to = groupBones + (<usize>load<u32>(g, 4) << 2);
    const px = v128.load(rest, 48), py = v128.load(rest, 64), pz = v128.load(rest, 80);
    let a00 = zero, a01 = zero, a02 = zero, a03 = zero, a10 = zero, a11 = zero, a12 = zero, a13 = zero, a20 = zero, a21 = zero, a22 = zero, a23 = zero;
    for (; b < to; b += 4, e += 160) {
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
    rotateLanes(scratch, a00, a10, a20, a01, a11, a21, a02, a12, a22);
    const dx = v128.load(rest), dy = v128.load(rest, 16), dz = v128.load(rest, 32);
    putPositions(positions, vertex, origin, add(a03, dot(r00, r01, r02, dx, dy, dz)), add(a13, dot(r10, r11, r12, dx, dy, dz)), add(a23, dot(r20, r21, r22, dx, dy, dz)));
    if (!normals) continue;
    const ax = v128.load(rest, 96), ay = v128.load(rest, 112), az = v128.load(rest, 128);
    putVectors(normals, vertex, dot(r00, r01, r02, ax, ay, az), dot(r10, r11, r12, ax, ay, az), dot(r20, r21, r22, ax, ay, az));
  }
}

/** v1: x = q + cof F d / det F, and normals by cof F; where F is singular, both by the nearest rotation to it. */
export function mushInverse(groupStart: usize, groupBones: usize, entries: usize, rests: usize, vertices: usize, bones: usize, origin: usize, positions: usize, normals: usize, begin: i32, end: i32, scratch: usize): void {
  const zero = f32x4.splat(0);
  let rest = rests + <usize>begin * 144, vertex = vertices + (<usize>begin << 4);
  const first = <usize>load<u32>(groupStart + (<usize>begin << 2));
  let b = groupBones + (first << 2), e = entries + first * 256;
  for (let g = groupStart + (<usize>begin << 2), last = groupStart + (<usize>end << 2); g < last; g += 4, rest += 144, vertex += 16) {
    const to = groupBones + (<usize>load<u32>(g, 4) << 2);
    const px = v128.load(rest, 48), py = v128.load(rest, 64), pz = v128.load(rest, 80);
    let a00 = zero, a01 = zero, a02 = zero, a03 = zero, a10 = zero, a11 = zero, a12 = zero, a13 = zero, a20 = zero, a21 = zero, a22 = zero, a23 = zero;
    for (; b < to; b += 4, e += 256) {
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
    let c00 = minor(a11, a22, a12, a21), c10 = minor(a02, a21, a01, a22), c20 = minor(a01, a12, a02, a11);
    let c01 = minor(a12, a20, a10, a22), c11 = minor(a00, a22, a02, a20), c21 = minor(a02, a10, a00, a12);
    let c02 = minor(a10, a21, a11, a20), c12 = minor(a01, a20, a00, a21), c22 = minor(a00, a11, a01, a10);
    let det = dot(a00, a10, a20, c00, c10, c20);
    const n = add(add(dot(a00, a10, a20, a00, a10, a20), dot(a01, a11, a21, a01, a11, a21)), dot(a02, a12, a22, a02, a12, a22));
    const safe = f32x4.gt(mul(det, det), mul(mul(n, n), mul(n, f32x4.splat(SINGULAR * SINGULAR))));
    if (!i32x4.all_true(safe)) {
      rotateLanes(scratch, a00, a10, a20, a01, a11, a21, a02, a12, a22);
      c00 = v128.bitselect(c00, r00, safe); c10 = v128.bitselect(c10, r10, safe); c20 = v128.bitselect(c20, r20, safe);
      c01 = v128.bitselect(c01, r01, safe); c11 = v128.bitselect(c11, r11, safe); c21 = v128.bitselect(c21, r21, safe);
      c02 = v128.bitselect(c02, r02, safe); c12 = v128.bitselect(c12, r12, safe); c22 = v128.bitselect(c22, r22, safe);
      a00 = v128.bitselect(a00, r00, safe); a10 = v128.bitselect(a10, r10, safe); a20 = v128.bitselect(a20, r20, safe);
      a01 = v128.bitselect(a01, r01, safe); a11 = v128.bitselect(a11, r11, safe); a21 = v128.bitselect(a21, r21, safe);
      a02 = v128.bitselect(a02, r02, safe); a12 = v128.bitselect(a12, r12, safe); a22 = v128.bitselect(a22, r22, safe);
      det = v128.bitselect(det, f32x4.splat(1), safe);
    }
    const s = f32x4.div(f32x4.splat(1), det);
    const dx = mul(s, v128.load(rest)), dy = mul(s, v128.load(rest, 16)), dz = mul(s, v128.load(rest, 32));
    putPositions(positions, vertex, origin, add(a03, dot(c00, c01, c02, dx, dy, dz)), add(a13, dot(c10, c11, c12, dx, dy, dz)), add(a23, dot(c20, c21, c22, dx, dy, dz)));
    if (normals) putCofactorNormals(normals, vertex, rest, a00, a10, a20, a01, a11, a21, a02, a12, a22);
  }
}
