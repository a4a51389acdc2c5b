// SPDX-License-Identifier: MIT
// Direct Delta Mush at run time, four vertices at a time; ddm.ts has the arguments and the algebra.
import { blendGroups, blendRotations, blendTurned } from './ddm-blend.as';
import { mushInverse, mushRotation } from './ddm-mush.as';
import { Ddm } from '../slots.as';

/** A chunk's weights stay in the second-level cache from one pose to the next. */
export function ddm(args: usize, chunk: i32, thread: i32): void {
  const groupStart = <usize>load<f64>(args, Ddm.groupStart), groupBones = <usize>load<f64>(args, Ddm.groupBones);
  const entries = <usize>load<f64>(args, Ddm.entries);
  const rests = <usize>load<f64>(args, Ddm.rests), vertices = <usize>load<f64>(args, Ddm.vertices);
  const pivots = <usize>load<f64>(args, Ddm.pivots);
  const bones = <usize>load<f64>(args, Ddm.bones), origins = <usize>load<f64>(args, Ddm.origins);
  const positions = <usize>load<f64>(args, Ddm.positions), normals = <usize>load<f64>(args, Ddm.normals);
  const groupCount = <i32>load<f64>(args, Ddm.groupCount), size = <i32>load<f64>(args, Ddm.chunkSize);
  const poseCount = <i32>load<f64>(args, Ddm.poseCount);
  const boneBytes = <usize>load<f64>(args, Ddm.boneCount) << 6, shapeBytes = <usize>load<f64>(args, Ddm.vertexCount) * 12;
  const variant = <i32>load<f64>(args, Ddm.variant);
  const scratch = <usize>load<f64>(args, Ddm.scratch) + <usize>thread * <usize>load<f64>(args, Ddm.bytesPerThread);
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
