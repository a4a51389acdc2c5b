// SPDX-License-Identifier: MIT
// Sums over frames of products of two bones; bone-products.ts has the arguments.
import { f64s } from '../matrices/vectors.as';
import { BoneProducts } from '../slots.as';

export function boneProducts(args: usize, j: i32, _thread: i32): void {
  const t = <usize>load<f64>(args, BoneProducts.bones), p = <usize>load<f64>(args, BoneProducts.pairs);
  const diagonal = <usize>load<f64>(args, BoneProducts.diagonal);
  const rows = <i32>load<f64>(args, BoneProducts.rows), boneCount = <i32>load<f64>(args, BoneProducts.boneCount);
  const width = <i32>load<f64>(args, BoneProducts.width);
  const stride = f64s(4 * boneCount);
  for (let l = j; l < boneCount; l++) {
    let a = t + f64s(4 * j), b = t + f64s(4 * l);
    let x0 = f64x2.splat(0), x1 = x0, y0 = x0, y1 = x0, z0 = x0, z1 = x0, w0 = x0, w1 = x0;
    for (let row = 0; row < rows; row++) {
      const b0 = v128.load(b), b1 = v128.load(b, 16);
      let s = v128.load64_splat(a);
      x0 = f64x2.add(x0, f64x2.mul(s, b0)); x1 = f64x2.add(x1, f64x2.mul(s, b1));
      s = v128.load64_splat(a, 8);
      y0 = f64x2.add(y0, f64x2.mul(s, b0)); y1 = f64x2.add(y1, f64x2.mul(s, b1));
      s = v128.load64_splat(a, 16);
      z0 = f64x2.add(z0, f64x2.mul(s, b0)); z1 = f64x2.add(z1, f64x2.mul(s, b1));
      s = v128.load64_splat(a, 24);
      w0 = f64x2.add(w0, f64x2.mul(s, b0)); w1 = f64x2.add(w1, f64x2.mul(s, b1));
      a += stride; b += stride;
    }
    put(p, j, l, width, 0, f64x2.extract_lane(x0, 0));
    put(p, j, l, width, 1, 0.5 * (f64x2.extract_lane(x0, 1) + f64x2.extract_lane(y0, 0)));
    put(p, j, l, width, 2, 0.5 * (f64x2.extract_lane(x1, 0) + f64x2.extract_lane(z0, 0)));
    put(p, j, l, width, 3, 0.5 * (f64x2.extract_lane(x1, 1) + f64x2.extract_lane(w0, 0)));
    put(p, j, l, width, 4, f64x2.extract_lane(y0, 1));
    put(p, j, l, width, 5, 0.5 * (f64x2.extract_lane(y1, 0) + f64x2.extract_lane(z0, 1)));
    put(p, j, l, width, 6, 0.5 * (f64x2.extract_lane(y1, 1) + f64x2.extract_lane(w0, 1)));
    put(p, j, l, width, 7, f64x2.extract_lane(z1, 0));
    put(p, j, l, width, 8, 0.5 * (f64x2.extract_lane(z1, 1) + f64x2.extract_lane(w1, 0)));
    put(p, j, l, width, 9, f64x2.extract_lane(w1, 1));
  }
  for (let c = 0; c < 10; c++) store<f64>(diagonal + f64s(c * width + j), load<f64>(p + f64s((j * 10 + c) * width + j)));
}

// @ts-ignore: decorator
@inline function put(p: usize, j: i32, l: i32, width: i32, c: i32, value: f64): void {
  store<f64>(p + f64s((j * 10 + c) * width + l), value);
  store<f64>(p + f64s((l * 10 + c) * width + j), value);
}
