// SPDX-License-Identifier: MIT
// Four vertices from lanes to their places in arrays of three numbers per vertex.

export let nx: v128 = i32x4.splat(0);
export let ny: v128 = i32x4.splat(0);
export let nz: v128 = i32x4.splat(0);

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

/** Positions leave the model's own frame: times the size, plus the pose's origin. origin: x y z size */
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

/** Fills nx ny nz with unit vectors; zero stays zero. The largest component is taken out first: squares of cofactors of tiny patches would vanish. */
// @ts-ignore: decorator
@inline export function normalize(x: v128, y: v128, z: v128): void {
  const largest = f32x4.pmax(f32x4.pmax(f32x4.abs(x), f32x4.abs(y)), f32x4.pmax(f32x4.abs(z), f32x4.splat(1e-37)));
  const inverse = f32x4.div(f32x4.splat(1), largest);
  const a = f32x4.mul(x, inverse), b = f32x4.mul(y, inverse), c = f32x4.mul(z, inverse);
  const square = f32x4.add(f32x4.add(f32x4.mul(a, a), f32x4.mul(b, b)), f32x4.mul(c, c));
  const s = f32x4.div(f32x4.splat(1), f32x4.sqrt(f32x4.pmax(square, f32x4.splat(1e-30))));
  nx = f32x4.mul(a, s); ny = f32x4.mul(b, s); nz = f32x4.mul(c, s);
}
