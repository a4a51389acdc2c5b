// SPDX-License-Identifier: MIT
// Moments with a weight per vertex and frame, and sweeps over the bones of each frame; weighted-sweep.ts has the arguments and the reference implementation.
import { sweepBytes, sweepFrame } from './bone-sweep.as';
import { f64s } from '../matrices/vectors.as';
import { WeightedSweep } from '../slots.as';

export function weightedSweep(args: usize, chunk: i32, thread: i32): void {
  const t = <usize>load<f64>(args, WeightedSweep.bones), u = <usize>load<f64>(args, WeightedSweep.rest);
  const v = <usize>load<f64>(args, WeightedSweep.posed), bones = <usize>load<f64>(args, WeightedSweep.ids);
  const weights = <usize>load<f64>(args, WeightedSweep.weights), importance = <usize>load<f64>(args, WeightedSweep.importance);
  const axes = <usize>load<f64>(args, WeightedSweep.axes), frozen = <usize>load<f64>(args, WeightedSweep.frozen);
  const vertexCount = <i32>load<f64>(args, WeightedSweep.vertexCount), frameCount = <i32>load<f64>(args, WeightedSweep.frameCount);
  const boneCount = <i32>load<f64>(args, WeightedSweep.boneCount);
  const influences = <i32>load<f64>(args, WeightedSweep.influences), sweeps = <i32>load<f64>(args, WeightedSweep.sweeps);
  const kind = <i32>load<f64>(args, WeightedSweep.kind), minMoment = load<f64>(args, WeightedSweep.minMoment);
  const q = <usize>load<f64>(args, WeightedSweep.scratch) + <usize>thread * <usize>load<f64>(args, WeightedSweep.bytesPerThread);
  const c = q + sweepBytes(boneCount), d = c + f64s(10 * boneCount * boneCount);
  memory.fill(c, 0, f64s(10 * boneCount * boneCount + 12 * boneCount));
  for (let i = 0; i < vertexCount; i++) {
    const omega = load<f64>(importance + f64s(i * frameCount + chunk));
    if (omega == 0) continue;
    const x = load<f64>(u + f64s(3 * i)), y = load<f64>(u + f64s(3 * i), 8), z = load<f64>(u + f64s(3 * i), 16);
    const target = v + f64s(3 * (i * frameCount + chunk));
    for (let a = 0; a < influences; a++) {
      const wa = load<f64>(weights + f64s(i * influences + a));
      if (wa == 0) continue;
      const ja = <i32>load<u32>(bones + (<usize>(i * influences + a) << 2));
      const s = omega * wa, sx = s * x, sy = s * y, sz = s * z;
      for (let b = a; b < influences; b++) {
        const wb = load<f64>(weights + f64s(i * influences + b));
        if (wb == 0) continue;
        const jb = <i32>load<u32>(bones + (<usize>(i * influences + b) << 2));
        const m = c + f64s((min(ja, jb) * boneCount + max(ja, jb)) * 10);
        const px = wb * sx, py = wb * sy, pz = wb * sz;
        v128.store(m, f64x2.add(v128.load(m), f64x2(px * x, px * y)));
        v128.store(m, f64x2.add(v128.load(m, 16), f64x2(px * z, px)), 16);
        v128.store(m, f64x2.add(v128.load(m, 32), f64x2(py * y, py * z)), 32);
        v128.store(m, f64x2.add(v128.load(m, 48), f64x2(py, pz * z)), 48);
        v128.store(m, f64x2.add(v128.load(m, 64), f64x2(pz, wb * s)), 64);
      }
      const o = d + f64s(12 * ja);
      for (let r: usize = 0; r < 3; r++) {
        const p = o + 32 * r, goal = load<f64>(target + (r << 3));
        v128.store(p, f64x2.add(v128.load(p), f64x2(goal * sx, goal * sy)));
        v128.store(p, f64x2.add(v128.load(p, 16), f64x2(goal * sz, goal * s)), 16);
      }
    }
  }
  sweepFrame(t + f64s(12 * chunk * boneCount), c, d, 96, axes, frozen, boneCount, sweeps, kind, minMoment, q);
}
