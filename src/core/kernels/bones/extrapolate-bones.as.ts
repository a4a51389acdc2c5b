// SPDX-License-Identifier: MIT
// Over-relaxation of bones; extrapolate-bones.ts has the arguments.
import { rotateOne } from '../patches/rotations.as';
import { f64s } from '../matrices/vectors.as';
import { ExtrapolateBones } from '../slots.as';

export function extrapolateBones(args: usize, k: i32, thread: i32): void {
  const boneCount = <i32>load<f64>(args, ExtrapolateBones.boneCount), width = <i32>load<f64>(args, ExtrapolateBones.width);
  const beta = load<f64>(args, ExtrapolateBones.beta), isRigid = load<f64>(args, ExtrapolateBones.isRigid) != 0;
  const m = <usize>load<f64>(args, ExtrapolateBones.scratch) + 72 * <usize>thread;
  const stride = f64s(width * boneCount), offset = <usize>(3 * k) * stride;
  const bones = <usize>load<f64>(args, ExtrapolateBones.bones) + offset, before = <usize>load<f64>(args, ExtrapolateBones.before) + offset;
  const plain = <usize>load<f64>(args, ExtrapolateBones.plain) + offset;
  const factor = f64x2.splat(beta);
  let o: usize = 0;
  for (; o + 16 <= 3 * stride; o += 16) {
    const x = v128.load(bones + o);
    v128.store(plain + o, x);
    v128.store(bones + o, f64x2.add(x, f64x2.mul(factor, f64x2.sub(x, v128.load(before + o)))));
  }
  if (o < 3 * stride) {
    const x = load<f64>(bones + o);
    store<f64>(plain + o, x);
    store<f64>(bones + o, x + beta * (x - load<f64>(before + o)));
  }
  if (!isRigid) return;
  for (let bone = bones; bone < bones + stride; bone += f64s(width)) {
    for (let r: usize = 0; r < 3; r++) {
      const p = bone + r * stride;
      store<f64>(m + (r << 3), load<f64>(p)); store<f64>(m + (r << 3), load<f64>(p, 8), 24); store<f64>(m + (r << 3), load<f64>(p, 16), 48);
    }
    rotateOne(m, m);
    for (let r: usize = 0; r < 3; r++) {
      const p = bone + r * stride;
      store<f64>(p, load<f64>(m + (r << 3))); store<f64>(p, load<f64>(m + (r << 3), 24), 8); store<f64>(p, load<f64>(m + (r << 3), 48), 16);
    }
  }
}
