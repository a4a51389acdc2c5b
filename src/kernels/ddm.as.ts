// SPDX-License-Identifier: MIT
// Direct Delta Mush at run time, four vertices at a time; ddm.ts has the arguments and the algebra.
import { blendAndNormal, blendRotations, blendTurned } from './ddm-blend.as';
import { mushInverse, mushRotation } from './ddm-mush.as';

/** Poses taken through a group before the next group: their bones stay in the first-level cache, and weights are read once for all of them. */
const POSES_AT_ONCE: i32 = 4;

export function ddm(args: usize, chunk: i32, thread: i32): void {
  const groupStart = <usize>load<f64>(args), groupBones = <usize>load<f64>(args, 8), entries = <usize>load<f64>(args, 16);
  const rests = <usize>load<f64>(args, 24), vertices = <usize>load<f64>(args, 32), pivots = <usize>load<f64>(args, 40);
  const bones = <usize>load<f64>(args, 48), origins = <usize>load<f64>(args, 56), positions = <usize>load<f64>(args, 64), normals = <usize>load<f64>(args, 72);
  const groupCount = <i32>load<f64>(args, 80), size = <i32>load<f64>(args, 88), poseCount = <i32>load<f64>(args, 96);
  const boneBytes = <usize>load<f64>(args, 104) << 6, shapeBytes = <usize>load<f64>(args, 112) * 12, variant = <i32>load<f64>(args, 120);
  const scratch = <usize>load<f64>(args, 128) + <usize>thread * <usize>load<f64>(args, 136);
  const begin = chunk * size, end = min(groupCount, begin + size);
  const width: usize = variant == 0 ? 160 : variant == 1 ? 256 : variant < 4 ? 64 : 16;
  for (let first = 0; first < poseCount; first += POSES_AT_ONCE) {
    const last = min(poseCount, first + POSES_AT_ONCE);
    for (let g = begin; g < end; g++) {
      const start = <usize>load<u32>(groupStart + (<usize>g << 2)), stop = <usize>load<u32>(groupStart + (<usize>g << 2), 4);
      const from = groupBones + (start << 2), to = groupBones + (stop << 2), entry = entries + start * width;
      const rest = rests + <usize>g * 144, vertex = vertices + (<usize>g << 4), pivot = pivots + (<usize>g << 4);
      for (let k = first; k < last; k++) {
        const b = bones + <usize>k * boneBytes, o = origins + (<usize>k << 4);
        const p = positions + <usize>k * shapeBytes, n = normals ? normals + <usize>k * shapeBytes : 0;
        if (variant == 0) mushRotation(from, to, entry, rest, vertex, b, o, p, n, scratch);
        else if (variant == 1) mushInverse(from, to, entry, rest, vertex, b, o, p, n, scratch);
        else if (variant == 3) blendRotations(from, to, entry, rest, vertex, b, o, p, n);
        else if (variant == 5) blendAndNormal(from, to, entry, rest, vertex, b, o, p, n);
        else blendTurned(from, to, entry, rest, vertex, pivot, b, o, p, n, variant == 2);
      }
    }
  }
}
