// SPDX-License-Identifier: MIT
// T. Mukai, I3D 2018, Eq. 20 (after Karni and Gotsman 2004): α = 100 √(Σ|Υ − Υ̂|² / Σ|Υ − v|²) over welded vertices and random poses.

import type { Deformer } from '../../core/model/deformed/deformer.ts';
import { quantileOfSorted } from '../../measure/index.ts';
import { makeRandomPoses } from './sample/random-poses.ts';
import type { SourceProbe } from './sample/source-probe.ts';

export interface ConversionError {
  /** Percent. */
  alpha: number;
  /** Root mean square distance and maximum distance, file units. */
  rmse: number;
  max: number;
  /** 99th percentile of the maximum distance of each pose, file units. */
  p99: number;
  /** Mean angle between normals, degrees; only with the option normals. */
  normalDegrees?: number;
  poses: number;
}

export interface MeasureConversionOptions {
  poses: number;
  seed: number;
  /** Measure normals as well. */
  normals?: boolean;
  /** Called regularly with the fraction that is done; return true to stop. */
  onPose?: (part: number) => Promise<boolean>;
}

/** Poses between calls. */
const BATCH = 64;
/** Test poses differ from training poses for every seed. */
const TEST_SEED = 0x5eed;

/**
 * Measures deformers against a source in the same random poses.
 * @param targets deformers with the source's joints; additional bones keep the identity
 */
export async function measureConversion(
  probe: SourceProbe,
  targets: readonly Deformer[],
  rotationsOf: readonly Float64Array[],
  options: MeasureConversionOptions,
): Promise<ConversionError[]> {
  const { mesh } = probe.source;
  const points = probe.listPoints();
  const next = makeRandomPoses(rotationsOf, options.seed ^ TEST_SEED);
  const rotations = probe.makeRest();
  const expected = new Float32Array(mesh.positions.length);
  const found = new Float32Array(mesh.positions.length);
  const expectedNormals = options.normals ? new Float32Array(mesh.positions.length) : undefined;
  const foundNormals = options.normals ? new Float32Array(mesh.positions.length) : undefined;
  const sums = targets.map(() => ({ off: 0, max: 0, degrees: 0, worst: [] as number[] }));
  const boneArrays = targets.map(({ boneCount }) => {
    const bones = new Float64Array(16 * boneCount);
    for (let o = 0; o < bones.length; o += 16) bones[o] = bones[o + 5] = bones[o + 10] = bones[o + 15] = 1;
    return bones;
  });
  let moved = 0;
  let poses = 0;
  for (; poses < options.poses; poses++) {
    if (poses % BATCH === 0 && (await options.onPose?.(poses / options.poses))) break;
    next(rotations);
    probe.evaluateInto(rotations, expected, expectedNormals);
    for (const i of points) moved += squaredDistance(expected, mesh.positions, i);
    targets.forEach((target, t) => {
      probe.poser.poseInto(rotations, boneArrays[t]);
      target.deformInto({ bones: boneArrays[t] }, found, foundNormals);
      const sum = sums[t];
      let worst = 0;
      for (const i of points) {
        const d = squaredDistance(expected, found, i);
        sum.off += d;
        if (d > worst) worst = d;
        if (expectedNormals && foundNormals) sum.degrees += degreesBetween(expectedNormals, foundNormals, i);
      }
      sum.worst.push(Math.sqrt(worst));
      sum.max = Math.max(sum.max, Math.sqrt(worst));
    });
  }
  const count = Math.max(1, poses * points.length);
  return sums.map(({ off, max, degrees, worst }) => ({
    alpha: moved > 0 ? 100 * Math.sqrt(off / moved) : off > 0 ? Number.POSITIVE_INFINITY : 0,
    rmse: Math.sqrt(off / count),
    max,
    p99: worst.length > 0 ? quantileOfSorted(Float32Array.from(worst).sort(), 0.99) : 0,
    ...(options.normals ? { normalDegrees: degrees / count } : {}),
    poses,
  }));
}

function squaredDistance(a: Float32Array, b: Float32Array, i: number): number {
  const c = 3 * i;
  const x = a[c] - b[c],
    y = a[c + 1] - b[c + 1],
    z = a[c + 2] - b[c + 2];
  return x * x + y * y + z * z;
}

function degreesBetween(a: Float32Array, b: Float32Array, i: number): number {
  const c = 3 * i;
  const dot = a[c] * b[c] + a[c + 1] * b[c + 1] + a[c + 2] * b[c + 2];
  return (Math.acos(Math.max(-1, Math.min(1, dot))) * 180) / Math.PI;
}
