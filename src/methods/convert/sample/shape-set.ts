// SPDX-License-Identifier: MIT
import type { SourceProbe } from './source-probe.ts';

/** Poses of a source, and its shapes in these poses. */
export interface TrainingSet {
  frameCount: number;
  /** frameCount: the only rotated joint; -1 if there are several */
  moved: Int32Array;
  /** frameCount x jointCount x 4 */
  rotations: Float64Array;
  /** frameCount x jointCount x 16: rest to posed */
  bones: Float64Array;
  /** frameCount x vertexCount x 3 */
  positions: Float32Array;
  /** frameCount: the number of rotations that each represents */
  weights: Float64Array;
  /** Joints that can rotate but move no vertex. */
  idle: number[];
  /** frameCount, seconds: poses that follow each other in time */
  times?: Float64Array;
  /** Joints that controllers read and that carry no point (jobs/convert/add-input-joints.ts). */
  inputs?: number[];
}

/** Poses that are evaluated at once. */
const BATCH = 16;

/** A training set that grows. Its arrays are reserved at once: pages that are never written cost no memory, and nothing is copied at the end. */
export class ShapeSet {
  readonly #probe: SourceProbe;
  readonly #set: TrainingSet;
  #count = 0;

  /** @param most the most poses */
  constructor(probe: SourceProbe, most: number) {
    this.#probe = probe;
    this.#set = {
      frameCount: most,
      moved: new Int32Array(most),
      rotations: new Float64Array(4 * probe.jointCount * most),
      bones: new Float64Array(16 * probe.jointCount * most),
      positions: new Float32Array(probe.source.mesh.positions.length * most),
      weights: new Float64Array(most),
      idle: [],
    };
  }

  /** Adds a pose, and returns the place of its shape. */
  add(moved: number, rotations: Float64Array, weight: number): Float32Array {
    const set = this.#set;
    const { jointCount, poser, source } = this.#probe;
    const stride = source.mesh.positions.length;
    const k = this.#count++;
    set.moved[k] = moved;
    set.weights[k] = weight;
    set.rotations.set(rotations, 4 * jointCount * k);
    poser.poseInto(rotations, set.bones, 16 * jointCount * k);
    return set.positions.subarray(k * stride, (k + 1) * stride);
  }

  /** Adds poses with the shapes of the source. @param rotations weights x jointCount x 4 */
  async evaluate(moved: number, rotations: Float64Array, weights: readonly number[]): Promise<void> {
    const probe = this.#probe;
    const width = 4 * probe.jointCount;
    const stride = probe.source.mesh.positions.length;
    await probe.memory.scope(async (memory) => {
      const shapes = memory.float32(BATCH * stride);
      for (let first = 0; first < weights.length; first += BATCH) {
        const some = rotations.subarray(first * width, (first + BATCH) * width);
        await probe.evaluateAllInto(some, probe.placeBones(some), shapes);
        const view = shapes.view();
        for (let k = 0; k < some.length / width; k++) {
          const own = some.subarray(k * width, (k + 1) * width);
          this.add(moved, own, weights[first + k]).set(view.subarray(k * stride, (k + 1) * stride));
        }
      }
    });
  }

  /** The poses that were added. */
  finish(idle: number[]): TrainingSet {
    const [count, set] = [this.#count, this.#set];
    const part = <T extends { subarray(from: number, to: number): T }>(array: T, width: number): T =>
      array.subarray(0, count * width);
    const { jointCount, source } = this.#probe;
    return {
      frameCount: count,
      moved: part(set.moved, 1),
      rotations: part(set.rotations, 4 * jointCount),
      bones: part(set.bones, 16 * jointCount),
      positions: part(set.positions, source.mesh.positions.length),
      weights: part(set.weights, 1),
      idle,
    };
  }
}
