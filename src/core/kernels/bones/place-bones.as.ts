// SPDX-License-Identifier: MIT
// Bones from rotations and joints; place-bones.ts has the arguments and the reference implementation.
import { f64s, indexAt } from '../matrices/vectors.as';
import { PlaceBones } from '../slots.as';

export function placeBones(args: usize, k: i32, _thread: i32): void {
  const joints = <usize>load<f64>(args, PlaceBones.joints), means = <usize>load<f64>(args, PlaceBones.means);
  const centers = <usize>load<f64>(args, PlaceBones.centers);
  const parents = <usize>load<f64>(args, PlaceBones.parents), order = <usize>load<f64>(args, PlaceBones.order);
  const boneCount = <i32>load<f64>(args, PlaceBones.boneCount);
  const rootCount = <usize>load<f64>(args, PlaceBones.rootCount);
  const line = f64s(3 * boneCount);
  for (let row = 3 * k; row < 3 * k + 3; row++) {
  const x = <usize>load<f64>(args, PlaceBones.rotations) + <usize>row * line;
  const out = <usize>load<f64>(args, PlaceBones.bones) + f64s(4 * row * boneCount);
    let center = centers + f64s(row) * rootCount, mean = means;
    for (let n = 0; n < boneCount; n++) {
      const j = <usize>indexAt(order, n), p = indexAt(parents, <i32>j);
      const own = x + 24 * j, to = out + 32 * j;
      let t: f64;
      if (p < 0) {
        t = load<f64>(center);
        for (let e: usize = 0, m = mean; e < line; e += 8, m += 8 * rootCount) t -= load<f64>(x + e) * load<f64>(m);
        center += 8; mean += 8;
      } else {
        const above = x + 24 * <usize>p, joint = joints + 24 * j;
        t = load<f64>(out + 32 * <usize>p, 24);
        t += (load<f64>(above) - load<f64>(own)) * load<f64>(joint);
        t += (load<f64>(above, 8) - load<f64>(own, 8)) * load<f64>(joint, 8);
        t += (load<f64>(above, 16) - load<f64>(own, 16)) * load<f64>(joint, 16);
      }
      store<f64>(to, load<f64>(own)); store<f64>(to, load<f64>(own, 8), 8); store<f64>(to, load<f64>(own, 16), 16); store<f64>(to, t, 24);
    }
  }
}
