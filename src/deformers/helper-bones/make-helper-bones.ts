// SPDX-License-Identifier: MIT
// T. Mukai, "Sampling-based rig conversion into non-rigid helper bones", I3D 2018, doi:10.1145/3203190, Eq. 1 and 18: helper bones follow the joints by
// polynomials, then all of them blend linearly.
//
// symbol   here                                 shape
// G̃       skeleton.bindMatrices                bones x 16
// M_h      local matrix of a helper             t₀ + Δt, q₀ exp(Δr), s₀ (1 + Δs)
// F_h      controller.coefficients              9 x joints x terms
// x        terms of all input joints            joints x terms
//
// A helper's rest-to-posed matrix is A_h = A_ψ G̃_ψ M_h G̃_h⁻¹ with ψ its parent (from Eq. 1; Eq. 17 as published has the reverse order).
// No constant term (the paper has one): at rest Δ = 0, so A_h is the identity and the rest shape is reproduced.

import { compose, invertAffine, multiply } from '../../core/math/mat4.ts';
import { orthonormalizeInto } from '../../core/math/orthonormalize.ts';
import { multiplyQuaternions, quaternionFromMatrix, quaternionFromRotationVector } from '../../core/math/quaternion.ts';
import type { Deformer } from '../../core/model/deformed/deformer.ts';
import {
  CONTROLLER_OUTPUTS,
  checkHelperBones,
  type HelperBones,
  monomialCountOf,
} from '../../core/model/deformed/helper-bones.ts';
import { linearFormOf, withLinearForm } from '../../core/model/deformed/linear-form.ts';
import { InputError } from '../../core/model/errors.ts';
import { LOCAL_SIZE, restLocalInto } from '../../core/model/skin/rest-local.ts';
import type { Skeleton } from '../../core/model/skin/skeleton.ts';
import { makeSkinBlend } from '../dual-quaternion/index.ts';
import { checkPose } from '../linear-blend/index.ts';
import { jointTermsInto } from './helper-bones-terms.ts';

/** Minimum scale, relative to its rest value: collapsed bones have no inverse and no normals. */
export const MIN_HELPER_SCALE = 0.01;

/** Evaluates the controllers of helper bones. */
export interface HelperControllers {
  /**
   * Fills the matrices of the helpers from those of the joints, in place; allocates nothing.
   * @param bones boneCount x 16, column-major: rest to posed, model space; those of helpers are overwritten
   */
  poseInto(bones: Float64Array): void;
  /**
   * Fills the local transforms of all helpers, as of scene nodes, in the order of the model's controllers.
   * @param locals helpers x 10: translation, rotation x y z w, scale, in the space of the parent
   */
  localsInto(bones: Float64Array, locals: Float64Array): void;
  /**
   * Computes the outputs of all controllers: Δt, Δr and Δs of each.
   * @param outputs helpers x 9
   */
  outputsInto(bones: Float64Array, outputs: Float64Array): void;
  /** Fills the matrices of the helpers from given outputs. @param outputs helpers x 9 */
  placeInto(outputs: Float64Array, bones: Float64Array): void;
  /** Fills the local transforms of the helpers from given outputs. @param outputs helpers x 9 */
  localsOfInto(outputs: Float64Array, locals: Float64Array): void;
}

/**
 * Makes the evaluator of the helper bones of a model. Throws on an inconsistent model.
 * @example
 * ```ts
 * import { makeHelperControllers } from 'ossify/deform';
 *
 * const controllers = makeHelperControllers(helperBones);
 * controllers.poseInto(bones); // joints first; the matrices of helpers are filled
 * ```
 */
export function makeHelperControllers(model: HelperBones): HelperControllers {
  checkHelperBones(model);
  const poser = new ControllerPoser(model);
  return {
    outputsInto: (bones, outputs) => poser.outputsInto(bones, outputs),
    placeInto: (outputs, bones) => poser.placeInto(outputs, bones),
    localsOfInto: (outputs, locals) => poser.localsOfInto(outputs, locals),
    localsInto(bones, locals) {
      poser.outputsInto(bones, poser.deltas);
      poser.localsOfInto(poser.deltas, locals);
    },
    poseInto(bones) {
      poser.outputsInto(bones, poser.deltas);
      poser.placeInto(poser.deltas, bones);
    },
  };
}

/** The packed controllers of a model, and scratch for one pose. */
class ControllerPoser {
  /** helpers x 9: outputs of the present pose */
  readonly deltas: Float64Array;
  readonly #model: HelperBones;
  readonly #rotations: ReturnType<typeof makeJointRotations>;
  readonly #reads: ReturnType<typeof listReads>;
  readonly #packed: ReturnType<typeof packController>[];
  /** helpers x 10: at rest */
  readonly #rests: Float64Array;
  readonly #inverseBinds: Float64Array;
  readonly #terms: Float64Array;
  readonly #locals: Float64Array;
  readonly #quaternion = new Float64Array(4);
  readonly #turn = new Float64Array(4);
  readonly #local = new Float64Array(16);

  constructor(model: HelperBones) {
    const { skeleton, controllers } = model;
    this.#model = model;
    this.#rotations = makeJointRotations(skeleton);
    this.#reads = listReads(model);
    this.#rests = new Float64Array(controllers.length * LOCAL_SIZE);
    this.#inverseBinds = new Float64Array(controllers.length * 16);
    controllers.forEach(({ bone }, h) => {
      restLocalInto(skeleton, bone, this.#rests, h * LOCAL_SIZE);
      invertAffine(skeleton.bindMatrices, this.#inverseBinds, bone * 16, h * 16);
    });
    this.#packed = controllers.map((_, h) => packController(model, h, this.#reads));
    this.#terms = new Float64Array(this.#reads.reduce((sum, { order }) => sum + monomialCountOf(order), 0));
    this.#locals = new Float64Array(this.#rests.length);
    this.deltas = new Float64Array(controllers.length * CONTROLLER_OUTPUTS);
  }

  outputsInto(bones: Float64Array, out: Float64Array): void {
    const terms = this.#terms;
    const packed = this.#packed;
    checkPose('helper bones', { bones }, this.#model.skeleton.names.length);
    for (const { joint, order, reach, offset } of this.#reads) {
      this.#rotations.rotationInto(bones, joint, this.#quaternion);
      jointTermsInto(this.#quaternion, order, reach, terms, 0, offset);
    }
    for (let h = 0; h < packed.length; h++) {
      const { starts, places, values } = packed[h];
      for (let c = 0; c < CONTROLLER_OUTPUTS; c++) {
        let sum = 0;
        for (let e = starts[c]; e < starts[c + 1]; e++) sum += values[e] * terms[places[e]];
        out[h * CONTROLLER_OUTPUTS + c] = sum;
      }
    }
  }

  localsOfInto(outputs: Float64Array, out: Float64Array): void {
    const rests = this.#rests;
    for (let h = 0; h < this.#packed.length; h++) {
      const o = h * LOCAL_SIZE;
      const d = h * CONTROLLER_OUTPUTS;
      quaternionFromRotationVector(outputs, this.#turn, d + 3);
      multiplyQuaternions(rests, this.#turn, out, o + 3, 0, o + 3);
      for (let c = 0; c < 3; c++) {
        out[o + c] = rests[o + c] + outputs[d + c];
        out[o + 7 + c] = rests[o + 7 + c] * Math.max(MIN_HELPER_SCALE, 1 + outputs[d + 6 + c]);
      }
    }
  }

  placeInto(outputs: Float64Array, bones: Float64Array): void {
    const { skeleton, controllers } = this.#model;
    const locals = this.#locals;
    const local = this.#local;
    this.localsOfInto(outputs, locals);
    for (let h = 0; h < controllers.length; h++) {
      const { bone } = controllers[h];
      const o = h * LOCAL_SIZE;
      compose(locals, locals, locals, local, o, o + 3, o + 7);
      const parent = skeleton.parents[bone] * 16;
      multiply(local, this.#inverseBinds, local, 0, h * 16);
      multiply(skeleton.bindMatrices, local, local, parent);
      multiply(bones, local, bones, parent, 0, bone * 16);
    }
  }
}

/**
 * The deformer of a helper-bone rig: controllers, then the blend of the model, linear by default. Poses have a matrix for every bone; those of helpers are not read. The mesh is kept,
 * not copied.
 * @example
 * ```ts
 * import { makeHelperBones } from 'ossify/deform';
 *
 * const deformer = makeHelperBones(helperBones);
 * deformer.deformInto({ bones }, positions);
 * ```
 */
export function makeHelperBones(model: HelperBones): Deformer {
  const controllers = makeHelperControllers(model);
  const boneCount = model.skeleton.names.length;
  const blend = makeSkinBlend(model.mesh, model.skin, boneCount, model.blend);
  const all = { bones: new Float64Array(16 * boneCount) };
  const form = linearFormOf(blend);
  const deformer: Deformer = {
    vertexCount: blend.vertexCount,
    boneCount,
    deformInto(pose, positions, normals) {
      checkPose('helper bones', pose, boneCount);
      all.bones.set(pose.bones);
      controllers.poseInto(all.bones);
      blend.deformInto(all, positions, normals);
    },
  };
  return withLinearForm(
    deformer,
    form && {
      ...form,
      bonesInto(bones, out) {
        out.set(bones);
        controllers.poseInto(out);
      },
    },
  );
}

/** Extracts joint rotations from bone matrices. */
export interface JointRotations {
  /** Fills out with the unit quaternion of a joint relative to its bind pose, in its own frame: B⁻¹ A_parent⁻¹ A B without scales. */
  rotationInto(bones: Float64Array, joint: number, out: Float64Array, outOffset?: number): void;
}

/** Makes a function that extracts the rotations of joints from their rest-to-posed matrices. */
export function makeJointRotations({ parents, bindMatrices }: Skeleton): JointRotations {
  const binds = bindMatrices.slice();
  for (let o = 0; o < binds.length; o += 16) orthonormalizeInto(binds, o);
  const a = new Float64Array(16);
  const b = new Float64Array(16);
  const q = new Float64Array(4);
  return {
    rotationInto(bones, joint, out, outOffset = 0) {
      const parent = parents[joint];
      if (parent >= 0 && invertAffine(bones, a, parent * 16)) multiply(a, bones, b, 0, joint * 16);
      else for (let e = 0; e < 16; e++) b[e] = bones[joint * 16 + e];
      turnedInto(binds, joint * 16, b, a);
      if (!isRotation(a)) orthonormalizeInto(a);
      quaternionFromMatrix(a, q);
      out.set(q, outOffset);
    },
  };
}

/** out = Bᵀ m B for rotations: the upper 3x3 only. */
function turnedInto(binds: Float64Array, o: number, m: Float64Array, out: Float64Array): void {
  for (let c = 0; c < 3; c++) {
    const [x, y, z] = [binds[o + 4 * c], binds[o + 4 * c + 1], binds[o + 4 * c + 2]];
    const mx = m[0] * x + m[4] * y + m[8] * z;
    const my = m[1] * x + m[5] * y + m[9] * z;
    const mz = m[2] * x + m[6] * y + m[10] * z;
    for (let r = 0; r < 3; r++)
      out[4 * c + r] = binds[o + 4 * r] * mx + binds[o + 4 * r + 1] * my + binds[o + 4 * r + 2] * mz;
  }
}

/** Whether columns are orthonormal within single precision. */
function isRotation(m: Float64Array): boolean {
  let off = 0;
  for (let c = 0; c < 3; c++) {
    for (let d = c; d < 3; d++) {
      const dot = m[4 * c] * m[4 * d] + m[4 * c + 1] * m[4 * d + 1] + m[4 * c + 2] * m[4 * d + 2];
      off = Math.max(off, Math.abs(dot - (c === d ? 1 : 0)));
    }
  }
  return off < 1e-9;
}

interface JointRead {
  joint: number;
  order: number;
  reach: number;
  offset: number;
}

/** Input joints of helpers, once per reach, with the highest order used. */
function listReads({ controllers }: HelperBones): JointRead[] {
  const reads: JointRead[] = [];
  for (const { joints, reaches, order } of controllers) {
    joints.forEach((joint, n) => {
      const known = reads.find((one) => one.joint === joint && one.reach === reaches[n]);
      if (known) known.order = Math.max(known.order, order);
      else reads.push({ joint, order, reach: reaches[n], offset: 0 });
    });
  }
  let offset = 0;
  for (const read of reads) {
    read.offset = offset;
    offset += monomialCountOf(read.order);
  }
  return reads;
}

/** The nonzero coefficients: those of output c are starts[c] up to starts[c + 1]. */
function packController({ controllers }: HelperBones, h: number, reads: readonly JointRead[]) {
  const { joints, reaches, order, coefficients } = controllers[h];
  const width = joints.length * monomialCountOf(order);
  const starts = new Uint32Array(CONTROLLER_OUTPUTS + 1);
  const places: number[] = [];
  const values: number[] = [];
  for (let c = 0; c < CONTROLLER_OUTPUTS; c++) {
    for (let n = 0; n < joints.length; n++) {
      const read = reads.find(({ joint, reach }) => joint === joints[n] && reach === reaches[n]);
      if (!read) throw new InputError('helper bones', `the terms of joint ${joints[n]} are not listed`);
      const count = monomialCountOf(order);
      for (let t = 0; t < count; t++) {
        const value = coefficients[c * width + n * count + t];
        if (value === 0) continue;
        places.push(read.offset + t);
        values.push(value);
      }
    }
    starts[c + 1] = places.length;
  }
  return { starts, places: Uint32Array.from(places), values: Float64Array.from(values) };
}
