// SPDX-License-Identifier: MIT
// Variants 2 to 5: blends of bones or of their quaternions; ddm.ts has the algebra. Each function evaluates one pose for groups begin to end: one call
// per group would cost 4 ns per vertex.
import { putCofactorNormals, putPositions, putVectors } from '../matrices/put-lanes.as';

// @ts-ignore: decorator
@inline function add(a: v128, b: v128): v128 { return f32x4.add(a, b); }
// @ts-ignore: decorator
@inline function sub(a: v128, b: v128): v128 { return f32x4.sub(a, b); }
// @ts-ignore: decorator
@inline function mul(a: v128, b: v128): v128 { return f32x4.mul(a, b); }
// @ts-ignore: decorator
@inline function dot(ax: v128, ay: v128, az: v128, bx: v128, by: v128, bz: v128): v128 {
  return f32x4.add(f32x4.add(f32x4.mul(ax, bx), f32x4.mul(ay, by)), f32x4.mul(az, bz));
}

/** v5: x = M u with M the blend; normals by its cofactors. */
export function blendGroups(groupStart: usize, groupBones: usize, entries: usize, rests: usize, vertices: usize, bones: usize, origin: usize, positions: usize, normals: usize, begin: i32, end: i32): void {
  const zero = f32x4.splat(0);
  let rest = rests + <usize>begin * 144, vertex = vertices + (<usize>begin << 4);
  const first = <usize>load<u32>(groupStart + (<usize>begin << 2));
  let b = groupBones + (first << 2), e = entries + (first << 4);
  for (let g = groupStart + (<usize>begin << 2), last = groupStart + (<usize>end << 2); g < last; g += 4, rest += 144, vertex += 16) {
    const to = groupBones + (<usize>load<u32>(g, 4) << 2);
    let a00 = zero, a01 = zero, a02 = zero, a03 = zero, a10 = zero, a11 = zero, a12 = zero, a13 = zero, a20 = zero, a21 = zero, a22 = zero, a23 = zero;
    for (; b < to; b += 4, e += 16) {
      const m = bones + (<usize>load<u32>(b) << 6), w = v128.load(e);
      a00 = add(a00, mul(w, v128.load32_splat(m))); a01 = add(a01, mul(w, v128.load32_splat(m, 4)));
      a02 = add(a02, mul(w, v128.load32_splat(m, 8))); a03 = add(a03, mul(w, v128.load32_splat(m, 12)));
      a10 = add(a10, mul(w, v128.load32_splat(m, 16))); a11 = add(a11, mul(w, v128.load32_splat(m, 20)));
      a12 = add(a12, mul(w, v128.load32_splat(m, 24))); a13 = add(a13, mul(w, v128.load32_splat(m, 28)));
      a20 = add(a20, mul(w, v128.load32_splat(m, 32))); a21 = add(a21, mul(w, v128.load32_splat(m, 36)));
      a22 = add(a22, mul(w, v128.load32_splat(m, 40))); a23 = add(a23, mul(w, v128.load32_splat(m, 44)));
    }
    const x = v128.load(rest), y = v128.load(rest, 16), z = v128.load(rest, 32);
    putPositions(positions, vertex, origin, add(dot(a00, a01, a02, x, y, z), a03), add(dot(a10, a11, a12, x, y, z), a13), add(dot(a20, a21, a22, x, y, z), a23));
    if (normals) putCofactorNormals(normals, vertex, rest, a00, a10, a20, a01, a11, a21, a02, a12, a22);
  }
}

/** v3: x = q + R d with R the blend of the bones' matrices and q from the last columns. */
export function blendRotations(groupStart: usize, groupBones: usize, entries: usize, rests: usize, vertices: usize, bones: usize, origin: usize, positions: usize, normals: usize, begin: i32, end: i32): void {
  const zero = f32x4.splat(0);
  let rest = rests + <usize>begin * 144, vertex = vertices + (<usize>begin << 4);
  const first = <usize>load<u32>(groupStart + (<usize>begin << 2));
  let b = groupBones + (first << 2), e = entries + (first << 6);
  for (let g = groupStart + (<usize>begin << 2), last = groupStart + (<usize>end << 2); g < last; g += 4, rest += 144, vertex += 16) {
    const to = groupBones + (<usize>load<u32>(g, 4) << 2);
    let a00 = zero, a01 = zero, a02 = zero, a10 = zero, a11 = zero, a12 = zero, a20 = zero, a21 = zero, a22 = zero, qx = zero, qy = zero, qz = zero;
    for (; b < to; b += 4, e += 64) {
      const m = bones + (<usize>load<u32>(b) << 6), x = v128.load(e), y = v128.load(e, 16), z = v128.load(e, 32), w = v128.load(e, 48);
      let k = v128.load32_splat(m), l = v128.load32_splat(m, 4), n = v128.load32_splat(m, 8);
      qx = add(qx, add(dot(k, l, n, x, y, z), mul(w, v128.load32_splat(m, 12)))); a00 = add(a00, mul(w, k)); a01 = add(a01, mul(w, l)); a02 = add(a02, mul(w, n));
      k = v128.load32_splat(m, 16); l = v128.load32_splat(m, 20); n = v128.load32_splat(m, 24);
      qy = add(qy, add(dot(k, l, n, x, y, z), mul(w, v128.load32_splat(m, 28)))); a10 = add(a10, mul(w, k)); a11 = add(a11, mul(w, l)); a12 = add(a12, mul(w, n));
      k = v128.load32_splat(m, 32); l = v128.load32_splat(m, 36); n = v128.load32_splat(m, 40);
      qz = add(qz, add(dot(k, l, n, x, y, z), mul(w, v128.load32_splat(m, 44)))); a20 = add(a20, mul(w, k)); a21 = add(a21, mul(w, l)); a22 = add(a22, mul(w, n));
    }
    const x = v128.load(rest), y = v128.load(rest, 16), z = v128.load(rest, 32);
    putPositions(positions, vertex, origin, add(qx, dot(a00, a01, a02, x, y, z)), add(qy, dot(a10, a11, a12, x, y, z)), add(qz, dot(a20, a21, a22, x, y, z)));
    if (!normals) continue;
    putCofactorNormals(normals, vertex, rest, a00, a10, a20, a01, a11, a21, a02, a12, a22);
  }
}

// @ts-ignore: decorator
@inline function gather(bones: usize, pivot: usize, c: usize): v128 {
  let v = v128.load32_zero(bones + (<usize>load<u32>(pivot) << 6) + c);
  v = v128.load32_lane(bones + (<usize>load<u32>(pivot, 4) << 6) + c, v, 1);
  v = v128.load32_lane(bones + (<usize>load<u32>(pivot, 8) << 6) + c, v, 2);
  return v128.load32_lane(bones + (<usize>load<u32>(pivot, 12) << 6) + c, v, 3);
}

/** v2 and v4: x = q + R d with R the normalized blend of quaternions, each turned to the hemisphere of the vertex's strongest bone. */
export function blendTurned(groupStart: usize, groupBones: usize, entries: usize, rests: usize, vertices: usize, pivots: usize, bones: usize, origin: usize, positions: usize, normals: usize, begin: i32, end: i32, columns: bool): void {
  const zero = f32x4.splat(0), signs = f32x4.splat(-0.0);
  let rest = rests + <usize>begin * 144, vertex = vertices + (<usize>begin << 4), pivot = pivots + (<usize>begin << 4);
  const first = <usize>load<u32>(groupStart + (<usize>begin << 2));
  let b = groupBones + (first << 2), e = entries + (first << (columns ? 6 : 4));
  for (let g = groupStart + (<usize>begin << 2), last = groupStart + (<usize>end << 2); g < last; g += 4, rest += 144, vertex += 16, pivot += 16) {
    const to = groupBones + (<usize>load<u32>(g, 4) << 2);
    const hx = gather(bones, pivot, 48), hy = gather(bones, pivot, 52), hz = gather(bones, pivot, 56), hw = gather(bones, pivot, 60);
    const px = v128.load(rest, 48), py = v128.load(rest, 64), pz = v128.load(rest, 80);
    let i = zero, j = zero, k = zero, r = zero, qx = zero, qy = zero, qz = zero;
    for (; b < to; b += 4) {
      const m = bones + (<usize>load<u32>(b) << 6);
      let x: v128, y: v128, z: v128, w: v128;
      if (columns) { x = v128.load(e); y = v128.load(e, 16); z = v128.load(e, 32); w = v128.load(e, 48); e += 64; }
      else { w = v128.load(e); x = mul(w, px); y = mul(w, py); z = mul(w, pz); e += 16; }
      qx = add(qx, add(dot(v128.load32_splat(m), v128.load32_splat(m, 4), v128.load32_splat(m, 8), x, y, z), mul(w, v128.load32_splat(m, 12))));
      qy = add(qy, add(dot(v128.load32_splat(m, 16), v128.load32_splat(m, 20), v128.load32_splat(m, 24), x, y, z), mul(w, v128.load32_splat(m, 28))));
      qz = add(qz, add(dot(v128.load32_splat(m, 32), v128.load32_splat(m, 36), v128.load32_splat(m, 40), x, y, z), mul(w, v128.load32_splat(m, 44))));
      x = v128.load32_splat(m, 48); y = v128.load32_splat(m, 52); z = v128.load32_splat(m, 56);
      const s = v128.load32_splat(m, 60);
      w = v128.xor(w, v128.and(add(dot(x, y, z, hx, hy, hz), mul(s, hw)), signs));
      i = add(i, mul(w, x)); j = add(j, mul(w, y)); k = add(k, mul(w, z)); r = add(r, mul(w, s));
    }
    const t = f32x4.div(f32x4.splat(2), f32x4.pmax(add(dot(i, j, k, i, j, k), mul(r, r)), f32x4.splat(1e-30)));
    const ti = mul(t, i), tj = mul(t, j), tk = mul(t, k), one = f32x4.splat(1);
    const ii = mul(ti, i), jj = mul(tj, j), kk = mul(tk, k), ij = mul(ti, j), ik = mul(ti, k), jk = mul(tj, k), ir = mul(ti, r), jr = mul(tj, r), kr = mul(tk, r);
    const a00 = sub(one, add(jj, kk)), a11 = sub(one, add(ii, kk)), a22 = sub(one, add(ii, jj));
    const a01 = sub(ij, kr), a02 = add(ik, jr), a10 = add(ij, kr), a12 = sub(jk, ir), a20 = sub(ik, jr), a21 = add(jk, ir);
    const x = v128.load(rest), y = v128.load(rest, 16), z = v128.load(rest, 32);
    putPositions(positions, vertex, origin, add(qx, dot(a00, a01, a02, x, y, z)), add(qy, dot(a10, a11, a12, x, y, z)), add(qz, dot(a20, a21, a22, x, y, z)));
    if (!normals) continue;
    const u = v128.load(rest, 96), v = v128.load(rest, 112), w = v128.load(rest, 128);
    putVectors(normals, vertex, dot(a00, a01, a02, u, v, w), dot(a10, a11, a12, u, v, w), dot(a20, a21, a22, u, v, w));
  }
}
