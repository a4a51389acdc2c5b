// SPDX-License-Identifier: MIT
// The L1 distance of two padded rows; l1-distance.ts has the order of the sum.

// @ts-ignore: decorator
@inline function apart(x: usize, y: usize): v128 { return f32x4.abs(f32x4.sub(v128.load(x), v128.load(y))); }

/** Sum of |x - y| over rows of the given number of bytes; may stop early with a partial sum above the limit. */
export function l1Distance(x: usize, y: usize, bytes: usize, limit: f64): f64 {
  let pair = f64x2.splat(0), sum: f64 = 0;
  const end = x + bytes;
  while (x < end) {
    const a = f32x4.add(f32x4.add(apart(x, y), apart(x + 16, y + 16)), f32x4.add(apart(x + 32, y + 32), apart(x + 48, y + 48)));
    const b = f32x4.add(f32x4.add(apart(x + 64, y + 64), apart(x + 80, y + 80)), f32x4.add(apart(x + 96, y + 96), apart(x + 112, y + 112)));
    const four = f32x4.add(a, b);
    pair = f64x2.add(pair, f64x2.add(f64x2.promote_low_f32x4(four), f64x2.promote_low_f32x4(v128.shuffle<f64>(four, four, 1, 1))));
    sum = f64x2.extract_lane(pair, 0) + f64x2.extract_lane(pair, 1);
    if (sum > limit) return sum;
    x += 128;
    y += 128;
  }
  return sum;
}
