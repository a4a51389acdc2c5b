// SPDX-License-Identifier: MIT
// T. Mukai, I3D 2018, Eq. 20 (after Karni and Gotsman 2004): α = 100 √(Σ|Υ − Υ̂|² / Σ|Υ − v|²) over welded vertices and random poses.

import { type Compute, type Resident, uploadFloat32, uploadUint32 } from '../../../core/kernels/compute.ts';
import { callPoseDistances, POSE_SUMS } from '../../../core/kernels/errors/pose-distances.ts';
import { makeIdentities } from '../../../core/math/mat4.ts';
import type { Deformer } from '../../../core/model/deformed/deformer.ts';
import { isSameBlend, PoseEvaluator } from '../../../deformers/linear-blend/index.ts';
import { quantileOfSorted } from '../../../measure/index.ts';
import { makeRandomPoses } from '../sample/random-poses.ts';
import type { SourceProbe } from '../sample/source-probe.ts';

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

/** Maximum poses of a batch, and the bytes of its shapes, which fit in the cache. */
const MAX_BATCH = 64;
const BATCH_BYTES = 8e6;
/** Test poses differ from training poses for every seed. */
const TEST_SEED = 0x5eed;

/** Errors of a target so far. */
interface TargetSums {
  /** Sum of squared distances, and the largest distance. */
  off: number;
  max: number;
  degrees: number;
  /** By pose, the largest distance. */
  worst: number[];
}

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
  return probe.memory.scope(async (memory) => {
    const meter = new PoseMeter(memory, probe, targets, options.normals ?? false);
    const next = makeRandomPoses(rotationsOf, options.seed ^ TEST_SEED);
    let poses = 0;
    while (poses < options.poses && !(await options.onPose?.(poses / options.poses))) {
      const count = Math.min(meter.batch, options.poses - poses);
      await meter.add(next, count);
      poses += count;
    }
    const { moved, pointCount } = meter;
    const count = Math.max(1, poses * pointCount);
    return meter.sums.map(({ off, max, degrees, worst }) => ({
      alpha: moved > 0 ? 100 * Math.sqrt(off / moved) : off > 0 ? Number.POSITIVE_INFINITY : 0,
      rmse: Math.sqrt(off / count),
      max,
      p99: worst.length > 0 ? quantileOfSorted(Float32Array.from(worst).sort(), 0.99) : 0,
      ...(options.normals ? { normalDegrees: degrees / count } : {}),
      poses,
    }));
  });
}

/** Evaluates batches of poses by the source and by the targets, and adds up their distances. */
class PoseMeter {
  /** Poses of a batch. */
  readonly batch: number;
  readonly pointCount: number;
  readonly sums: TargetSums[];
  /** Sum of squared displacements of the source. */
  moved = 0;
  readonly #memory: Compute;
  readonly #probe: SourceProbe;
  readonly #points: Uint32Array;
  readonly #resident: Record<'rest' | 'truth' | 'shapes', Resident<Float32Array>> & {
    points: Resident<Uint32Array>;
    ofPose: Resident<Float64Array>;
  };
  /** By target; undefined for the blend that the source itself is. */
  readonly #evaluators: (PoseEvaluator | undefined)[];
  readonly #normals?: { truth: Float32Array; shapes: Float32Array };

  constructor(memory: Compute, probe: SourceProbe, targets: readonly Deformer[], withNormals: boolean) {
    const rest = probe.source.mesh.positions;
    const most = Math.floor(BATCH_BYTES / (8 * Math.max(1, rest.length)));
    this.batch = Math.min(MAX_BATCH, Math.max(2 * memory.threads, most));
    this.#memory = memory;
    this.#probe = probe;
    this.#points = probe.listPoints();
    this.pointCount = this.#points.length;
    this.sums = targets.map(() => ({ off: 0, max: 0, degrees: 0, worst: [] }));
    this.#resident = {
      rest: uploadFloat32(memory, rest),
      truth: memory.float32(this.batch * rest.length),
      shapes: memory.float32(this.batch * rest.length),
      points: uploadUint32(memory, this.#points),
      ofPose: memory.float64(this.batch * POSE_SUMS),
    };
    this.#evaluators = targets.map((target) =>
      !withNormals && isSameBlend(target, probe.source.deformer) ? undefined : new PoseEvaluator(memory, target),
    );
    const length = this.batch * rest.length;
    if (withNormals) this.#normals = { truth: new Float32Array(length), shapes: new Float32Array(length) };
  }

  /** Adds some poses. @param next fills a pose */
  async add(next: (rotations: Float64Array) => void, count: number): Promise<void> {
    const { rest, truth, shapes } = this.#resident;
    const rotations = new Float64Array(count * this.#probe.makeRest().length);
    const width = rotations.length / count;
    for (let k = 0; k < count; k++) next(rotations.subarray(k * width, (k + 1) * width));
    const bones = this.#probe.placeBones(rotations);
    await this.#probe.evaluateAllInto(rotations, bones, truth, this.#normals?.truth);
    for (const { sum } of await this.#distances(rest, true, count)) this.moved += sum;
    for (const [t, evaluator] of this.#evaluators.entries()) {
      if (!evaluator) {
        this.#add(this.sums[t], new Array(count).fill({ sum: 0, largest: 0 }));
        continue;
      }
      const given = widen(bones, this.#probe.jointCount, evaluator.deformer.boneCount, count);
      await evaluator.evaluateInto(given, count, shapes, this.#normals?.shapes);
      this.#add(this.sums[t], await this.#distances(shapes, false, count));
      if (this.#normals) this.sums[t].degrees += this.#degrees(count);
    }
  }

  #add(sums: TargetSums, ofPoses: readonly { sum: number; largest: number }[]): void {
    for (const { sum, largest } of ofPoses) {
      sums.off += sum;
      sums.worst.push(Math.sqrt(largest));
      sums.max = Math.max(sums.max, Math.sqrt(largest));
    }
  }

  /** Distances of some shapes from those of the source, by pose. */
  async #distances(shapes: Resident<Float32Array>, isOne: boolean, count: number) {
    const { truth, points, ofPose, rest } = this.#resident;
    await this.#memory.runAll([callPoseDistances({ truth, shapes, isOne }, points, ofPose, rest.length / 3, count)]);
    const view = ofPose.view();
    return Array.from({ length: count }, (_, k) => ({ sum: view[POSE_SUMS * k], largest: view[POSE_SUMS * k + 1] }));
  }

  /** The sum of the angles between normals. */
  #degrees(count: number): number {
    if (!this.#normals) return 0;
    const { truth, shapes } = this.#normals;
    const vertexCount = this.#resident.rest.length / 3;
    let sum = 0;
    for (let k = 0; k < count; k++)
      for (const i of this.#points) sum += degreesBetween(truth, shapes, k * vertexCount + i);
    return sum;
  }
}

/** Matrices of more bones: those beyond the joints keep the identity. */
function widen(bones: Float64Array, from: number, to: number, count: number): Float64Array {
  if (from === to) return bones;
  const all = makeIdentities(count * to);
  for (let k = 0; k < count; k++) all.set(bones.subarray(16 * k * from, 16 * (k + 1) * from), 16 * k * to);
  return all;
}

function degreesBetween(a: Float32Array, b: Float32Array, i: number): number {
  const c = 3 * i;
  const dot = a[c] * b[c] + a[c + 1] * b[c + 1] + a[c + 2] * b[c + 2];
  return (Math.acos(Math.max(-1, Math.min(1, dot))) * 180) / Math.PI;
}
