// SPDX-License-Identifier: MIT
// Bones from rotations and joints; place-bones.ts has the arguments and the reference implementation.
import { f64s, indexAt } from '../matrices/vectors.as';

/** args: X, joints, means, centers, parents, order, bones, boneCount. One chunk per frame. */
export function placeBones(args: usize, k: i32, _thread: i32): void {
  const joints = <usize>load<f64>(args, 8), means = <usize>load<f64>(args, 16), centers = <usize>load<f64>(args, 24);
  const parents = <usize>load<f64>(args, 32), order = <usize>load<f64>(args, 40), boneCount = <i32>load<f64>(args, 56);
  const line = f64s(3 * boneCount);
  for (let row = 3 * k; row < 3 * k + 3; row++) {
    const x = <usize>load<f64>(args) + <usize>row * line, out = <usize>load<f64>(args, 48) + f64s(4 * row * boneCount);
    let root = load<f64>(centers + f64s(row));
    for (let e: usize = 0; e < line; e += 8) root -= load<f64>(x + e) * load<f64>(means + e);
    for (let n = 0; n < boneCount; n++) {
      const j = <usize>indexAt(order, n), p = indexAt(parents, <i32>j);
      const own = x + 24 * j, to = out + 32 * j;
      let t = root;
      if (p >= 0) {
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
