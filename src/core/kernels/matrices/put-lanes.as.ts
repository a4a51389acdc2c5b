// SPDX-License-Identifier: MIT
// Four vertices from lanes to their places in arrays of three numbers per vertex.


// @ts-ignore: decorator
@inline function placeOf(out: usize, vertex: usize, lane: usize): usize { return out + <usize>load<u32>(vertex + (lane << 2)) * 12; }

// @ts-ignore: decorator
@inline export function putVectors(out: usize, vertex: usize, x: v128, y: v128, z: v128): void {
  const low = i32x4.shuffle(x, y, 0, 4, 1, 5), high = i32x4.shuffle(x, y, 2, 6, 3, 7);
  let o = placeOf(out, vertex, 0);
  v128.store64_lane(o, low, 0); v128.store32_lane(o, z, 0, 8);
  o = placeOf(out, vertex, 1);
  v128.store64_lane(o, low, 1); v128.store32_lane(o, z, 1, 8);
  o = placeOf(out, vertex, 2);
  v128.store64_lane(o, high, 0); v128.store32_lane(o, z, 2, 8);
  o = placeOf(out, vertex, 3);
  v128.store64_lane(o, high, 1); v128.store32_lane(o, z, 3, 8);
}

/** Positions from the model's frame: times the size, plus the pose's origin. origin: x y z size */
// @ts-ignore: decorator
@inline export function putPositions(out: usize, vertex: usize, origin: usize, x: v128, y: v128, z: v128): void {
  const size = v128.load32_splat(origin, 12);
  putVectors(
    out,
    vertex,
    f32x4.add(f32x4.mul(x, size), v128.load32_splat(origin)),
    f32x4.add(f32x4.mul(y, size), v128.load32_splat(origin, 4)),
    f32x4.add(f32x4.mul(z, size), v128.load32_splat(origin, 8)),
  );
}

// @ts-ignore: decorator
@inline function minor(a: v128, b: v128, c: v128, d: v128): v128 { return f32x4.sub(f32x4.mul(a, b), f32x4.mul(c, d)); }
// @ts-ignore: decorator
@inline function dot(ax: v128, ay: v128, az: v128, bx: v128, by: v128, bz: v128): v128 {
  return f32x4.add(f32x4.add(f32x4.mul(ax, bx), f32x4.mul(ay, by)), f32x4.mul(az, bz));
}

/** Rest normals turned by the inverse transpose of maps, up to size: cofactors, with the sign of the determinant. Where that vanishes, the rest normal. */
// @ts-ignore: decorator
@inline export function putCofactorNormals(normals: usize, vertex: usize, rest: usize, a00: v128, a10: v128, a20: v128, a01: v128, a11: v128, a21: v128, a02: v128, a12: v128, a22: v128): void {
  const c00 = minor(a11, a22, a12, a21), c10 = minor(a02, a21, a01, a22), c20 = minor(a01, a12, a02, a11);
  const c01 = minor(a12, a20, a10, a22), c11 = minor(a00, a22, a02, a20), c21 = minor(a02, a10, a00, a12);
  const c02 = minor(a10, a21, a11, a20), c12 = minor(a01, a20, a00, a21), c22 = minor(a00, a11, a01, a10);
  const x = v128.load(rest, 96), y = v128.load(rest, 112), z = v128.load(rest, 128);
  const px = dot(c00, c01, c02, x, y, z), py = dot(c10, c11, c12, x, y, z), pz = dot(c20, c21, c22, x, y, z);
  const square = dot(px, py, pz, px, py, pz), safe = f32x4.gt(square, f32x4.splat(1e-30));
  const sign = v128.and(dot(a00, a10, a20, c00, c10, c20), f32x4.splat(-0.0));
  const s = v128.xor(sign, f32x4.div(f32x4.splat(1), f32x4.sqrt(square)));
  putVectors(
    normals,
    vertex,
    v128.bitselect(f32x4.mul(px, s), x, safe),
    v128.bitselect(f32x4.mul(py, s), y, safe),
    v128.bitselect(f32x4.mul(pz, s), z, safe),
  );
}
