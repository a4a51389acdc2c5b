// SPDX-License-Identifier: MIT
// Distances of shapes by pose: x and y in the lanes of a register, z beside it; pose-distances.ts has the arguments.
import { PoseDistances } from '../slots.as';

export function poseDistances(args: usize, chunk: i32, _thread: i32): void {
  const size = <usize>load<f64>(args, PoseDistances.vertexCount) * 12;
  const truth = <usize>load<f64>(args, PoseDistances.truth) + <usize>chunk * size;
  const isOne = load<f64>(args, PoseDistances.isOne) != 0;
  const shapes = <usize>load<f64>(args, PoseDistances.shapes) + (isOne ? 0 : <usize>chunk * size);
  const points = <usize>load<f64>(args, PoseDistances.points);
  const end = points + (<usize>load<f64>(args, PoseDistances.pointCount) << 2);
  let sum: f64 = 0, largest: f64 = 0;
  for (let p = points; p < end; p += 4) {
    const place = <usize>load<u32>(p) * 12, a = truth + place, b = shapes + place;
    const xy = f64x2.sub(f64x2.promote_low_f32x4(v128.load64_zero(a)), f64x2.promote_low_f32x4(v128.load64_zero(b)));
    const z = <f64>load<f32>(a, 8) - <f64>load<f32>(b, 8);
    const squares = f64x2.mul(xy, xy);
    const square = f64x2.extract_lane(squares, 0) + f64x2.extract_lane(squares, 1) + z * z;
    sum += square;
    if (square > largest) largest = square;
  }
  const out = <usize>load<f64>(args, PoseDistances.sums) + (<usize>chunk << 4);
  store<f64>(out, sum);
  store<f64>(out, largest, 8);
}
