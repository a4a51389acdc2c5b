// SPDX-License-Identifier: MIT

import { makeTypescriptEngine } from '../../../core/compute/typescript-engine.ts';
import type { Compute, Resident } from '../../../core/kernels/compute.ts';
import { eulerOf } from '../../../core/math/euler.ts';
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import { weldVertices } from '../../../core/mesh/topology/weld.ts';
import { InputError } from '../../../core/model/errors.ts';
import type { RigSource } from '../../../core/model/skin/rig-source.ts';
import { checkSkeleton } from '../../../core/model/skin/skeleton.ts';
import { PoseEvaluator } from '../../../deformers/linear-blend/index.ts';
import { type JointPoser, makeJointPoser } from './joint-poser.ts';

/** Maximum distance between the shape of a source in its rest pose and its mesh, relative to the box diagonal. */
const REST_TOLERANCE = 1e-3;

/** Evaluates a source as a black box: poses to positions, counted and checked. */
export class SourceProbe {
  readonly source: RigSource;
  readonly jointCount: number;
  readonly poser: JointPoser;
  /** The box diagonal of the rest shape. */
  readonly size: number;
  /** Number of evaluations. */
  evaluations = 0;
  /** Where many poses are evaluated at once. */
  readonly memory: Compute;
  readonly #bones: Float64Array;
  readonly #evaluator: PoseEvaluator;

  /** Throws if the parts of a source do not match, or if its rest pose does not give its mesh. */
  constructor(source: RigSource, memory: Compute = makeTypescriptEngine()) {
    const { mesh, skeleton, deformer, name } = source;
    checkSkeleton(skeleton);
    this.source = source;
    this.jointCount = skeleton.names.length;
    if (this.jointCount === 0) throw new InputError('convert', `"${name}" has no joints`);
    if (deformer.boneCount !== this.jointCount)
      throw new InputError(
        'convert',
        `"${name}" deforms ${deformer.boneCount} bones, its skeleton has ${this.jointCount}`,
      );
    if (deformer.vertexCount * 3 !== mesh.positions.length || deformer.vertexCount === 0)
      throw new InputError(
        'convert',
        `"${name}" deforms ${deformer.vertexCount} vertices, its mesh has ${mesh.positions.length / 3}`,
      );
    this.poser = makeJointPoser(skeleton);
    this.size = measureBounds(mesh.positions).diagonal || 1;
    this.memory = memory;
    this.#bones = new Float64Array(16 * this.jointCount);
    this.#evaluator = new PoseEvaluator(memory, deformer);
    this.#checkRest();
  }

  /** Whether many poses at once are evaluated in kernels. */
  get isFast(): boolean {
    return this.#evaluator.isFast;
  }

  /** Makes the rotations of the rest pose: jointCount x 4. */
  makeRest(): Float64Array {
    const rotations = new Float64Array(4 * this.jointCount);
    for (let o = 3; o < rotations.length; o += 4) rotations[o] = 1;
    return rotations;
  }

  /** Fills the shape of a pose. @param rotations jointCount x 4 */
  evaluateInto(rotations: Float64Array, positions: Float32Array, normals?: Float32Array): void {
    this.poser.poseInto(rotations, this.#bones);
    this.source.deformer.deformInto({ bones: this.#bones }, positions, normals);
    this.evaluations++;
    this.checkFinite(positions, () => this.#describe(rotations));
  }

  /** The matrices of some poses: poses x jointCount x 16. @param rotations poses x jointCount x 4 */
  placeBones(rotations: Float64Array): Float64Array {
    const bones = new Float64Array(4 * rotations.length);
    const width = 4 * this.jointCount;
    for (let at = 0; at < rotations.length; at += width)
      this.poser.poseInto(rotations.subarray(at, at + width), bones, 4 * at);
    return bones;
  }

  /**
   * Fills the shapes of some poses; each is an evaluation.
   * @param bones the matrices of these rotations
   */
  async evaluateAllInto(
    rotations: Float64Array,
    bones: Float64Array,
    out: Resident<Float32Array>,
    normals?: Float32Array,
  ): Promise<void> {
    const stride = this.source.mesh.positions.length;
    const width = 4 * this.jointCount;
    const count = rotations.length / width;
    await this.#evaluator.evaluateInto(bones, count, out, normals);
    this.evaluations += count;
    const view = out.view();
    // blends of finite matrices are finite
    if (this.#evaluator.isFast && bones.every(Number.isFinite)) return;
    for (let k = 0; k < count; k++)
      this.checkFinite(view.subarray(k * stride, (k + 1) * stride), () =>
        this.#describe(rotations.subarray(k * width, (k + 1) * width)),
      );
  }

  /** Normals in some poses; each is another evaluation. @param rotations poses x jointCount x 4 */
  listNormals(rotations: Float64Array): Float32Array {
    const stride = this.source.mesh.positions.length;
    const count = rotations.length / (4 * this.jointCount);
    const normals = new Float32Array(count * stride);
    const positions = new Float32Array(stride);
    for (let k = 0; k < count; k++) {
      const pose = rotations.subarray(4 * this.jointCount * k, 4 * this.jointCount * (k + 1));
      this.evaluateInto(pose, positions, normals.subarray(k * stride, (k + 1) * stride));
    }
    return normals;
  }

  checkFinite(positions: Float32Array, describe: () => string): void {
    let sum = 0;
    // a sum is finite if and only if all its terms are: floats of this size do not overflow
    for (let c = 0; c < positions.length; c++) sum += positions[c];
    if (Number.isFinite(sum)) return;
    const c = positions.findIndex((x) => !Number.isFinite(x));
    throw new InputError(
      'convert',
      `"${this.source.name}" returned a position that is not finite: vertex ${Math.floor(c / 3)} with ${describe()}`,
    );
  }

  #describe(rotations: Float64Array): string {
    const turned: string[] = [];
    for (let j = 0; j < this.jointCount; j++) {
      if (rotations[4 * j + 3] === 1) continue;
      const angles = eulerOf(rotations, 4 * j).map((angle) => `${Math.round((angle * 180) / Math.PI)}°`);
      turned.push(`"${this.source.skeleton.names[j]}" turned by (${angles.join(', ')})`);
    }
    if (turned.length === 0) return 'all joints at rest';
    return turned.length > 3
      ? `${turned.slice(0, 3).join(', ')} and ${turned.length - 3} more joints`
      : turned.join(', ');
  }

  #checkRest(): void {
    const { mesh, name } = this.source;
    const positions = new Float32Array(mesh.positions.length);
    this.evaluateInto(this.makeRest(), positions);
    for (let c = 0; c < positions.length; c++) {
      if (Math.abs(positions[c] - mesh.positions[c]) > REST_TOLERANCE * this.size)
        throw new InputError(
          'convert',
          `"${name}" does not return its rest shape in the rest pose: vertex ${Math.floor(c / 3)} is off by ${Math.abs(positions[c] - mesh.positions[c])}`,
        );
    }
  }

  /** The first vertex of each welded point. */
  listPoints(): Uint32Array {
    return weldVertices(this.source.mesh.positions).vertexOfPoint;
  }
}
