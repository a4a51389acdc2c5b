// SPDX-License-Identifier: MIT

import type { Deformer } from '../../core/model/deformed/deformer.ts';
import { quantileOfSorted } from '../../measure/index.ts';
import type { FaceShapes } from './shape-examples.ts';

/** Errors of a driven face against its shapes, file units. */
export interface DrivenError {
  /** 100 √(Σ|v − v̂|² / Σ|v − v₀|²), percent. */
  alpha: number;
  /** Root mean square, mean and maximum distance of vertices. */
  rmse: number;
  mean: number;
  max: number;
  /** 99th percentile of the maximum distance of each pose. */
  p99: number;
  /** Number of poses. */
  poses: number;
  /** By pose: root mean square and maximum distance. */
  perPose: { rms: number[]; max: number[] };
}

/**
 * Measures a driven face at poses, vertex by vertex.
 * @param poses poses x shapeCount weights
 */
export function measureDriven({ mesh, names, deltas }: FaceShapes, driven: Deformer, poses: Float32Array): DrivenError {
  const count = names.length;
  const poseCount = poses.length / count;
  const rest = mesh.positions;
  const expected = new Float64Array(rest.length);
  const found = new Float32Array(rest.length);
  const bones = new Float64Array(0);
  const perPose: DrivenError['perPose'] = { rms: [], max: [] };
  let [off, moved, mean, max] = [0, 0, 0, 0];
  for (let k = 0; k < poseCount; k++) {
    const weights = poses.subarray(k * count, (k + 1) * count);
    expected.fill(0);
    for (let s = 0; s < count; s++) {
      const [u, delta] = [weights[s], deltas[s]];
      if (u !== 0) for (let c = 0; c < delta.length; c++) expected[c] += u * delta[c];
    }
    driven.deformInto({ bones, morphs: weights }, found);
    let [own, worst] = [0, 0];
    for (let c = 0; c < rest.length; c += 3) {
      const [x, y, z] = [expected[c], expected[c + 1], expected[c + 2]];
      const dx = found[c] - rest[c] - x;
      const dy = found[c + 1] - rest[c + 1] - y;
      const dz = found[c + 2] - rest[c + 2] - z;
      const square = dx * dx + dy * dy + dz * dz;
      own += square;
      moved += x * x + y * y + z * z;
      mean += Math.sqrt(square);
      if (square > worst) worst = square;
    }
    off += own;
    max = Math.max(max, Math.sqrt(worst));
    perPose.rms.push(Math.sqrt(own / (rest.length / 3)));
    perPose.max.push(Math.sqrt(worst));
  }
  const total = Math.max(1, (poseCount * rest.length) / 3);
  return {
    alpha: moved > 0 ? 100 * Math.sqrt(off / moved) : 0,
    rmse: Math.sqrt(off / total),
    mean: mean / total,
    max,
    p99: poseCount > 0 ? quantileOfSorted(Float32Array.from(perPose.max).sort(), 0.99) : 0,
    poses: poseCount,
    perPose,
  };
}

/** Poses with every shape alone, at weight one. */
export function listSingles(count: number): Float32Array {
  return Float32Array.from({ length: count * count }, (_, e) => (e % (count + 1) === 0 ? 1 : 0));
}
