// SPDX-License-Identifier: MIT
// Direct Delta Mush at run time, four vertices at a time; ddm.ts has the arguments and the algebra.
import { blendGroups, blendRotations, blendTurned } from './ddm-blend.as';
import { mushInverse, mushRotation } from './ddm-mush.as';

/** A chunk's weights stay in the second-level cache from one pose to the next. */
export function ddm(args: usize, chunk: i32, thread: i32): void {
  const groupStart = <usize>load<f64>(args), groupBones = <usize>load<f64>(args, 8), entries = <usize>load<f64>(args, 16);
  const rests = <usize>load<f64>(args, 24), vertices = <usize>load<f64>(args, 32), pivots = <usize>load<f64>(args, 40);
  const bones = <usize>load<f64>(args, 48), origins = <usize>load<f64>(args, 56), positions = <usize>load<f64>(args, 64), normals = <usize>load<f64>(args, 72);
  const groupCount = <i32>load<f64>(args, 80), size = <i32>load<f64>(args, 88), poseCount = <i32>load<f64>(args, 96);
  const boneBytes = <usize>load<f64>(args, 104) << 6, shapeBytes = <usize>load<f64>(args, 112) * 12, variant = <i32>load<f64>(args, 120);
  const scratch = <usize>load<f64>(args, 128) + <usize>thread * <usize>load<f64>(args, 136);
  const begin = chunk * size, end = min(groupCount, begin + size);
  for (let k = 0; k < poseCount; k++) {
    const b = bones + <usize>k * boneBytes, o = origins + (<usize>k << 4);
    const p = positions + <usize>k * shapeBytes, n = normals ? normals + <usize>k * shapeBytes : 0;
    if (variant == 0) mushRotation(groupStart, groupBones, entries, rests, vertices, b, o, p, n, begin, end, scratch);
    else if (variant == 1) mushInverse(groupStart, groupBones, entries, rests, vertices, b, o, p, n, begin, end, scratch);
    else if (variant == 3) blendRotations(groupStart, groupBones, entries, rests, vertices, b, o, p, n, begin, end);
    else if (variant == 5) blendGroups(groupStart, groupBones, entries, rests, vertices, b, o, p, n, begin, end);
    else blendTurned(groupStart, groupBones, entries, rests, vertices, pivots, b, o, p, n, begin, end, variant == 2);
  }
}
