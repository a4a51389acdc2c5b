// SPDX-License-Identifier: MIT
// The shapes of a deformer in many poses. Linear blend skinning runs in kernels on the threads of a compute (skin-frames.ts gives the floats of makeLinearBlend);
// any other deformer runs one pose at a time.

import { type Compute, type Resident, uploadFloat32, uploadFloat64 } from '../../core/kernels/compute.ts';
import { callSkinFrames, type ResidentSkin, uploadSkin } from '../../core/kernels/skinning/skin-frames.ts';
import type { Deformer } from '../../core/model/deformed/deformer.ts';
import { type LinearForm, linearFormOf } from '../../core/model/deformed/linear-form.ts';

/** The weights and the rest shape of a linear form, in the memory of a compute. */
interface ResidentForm {
  form: LinearForm;
  skin: ResidentSkin;
  rest: Resident<Float32Array>;
}

/** Evaluates poses of a deformer into the memory of a compute. */
export class PoseEvaluator {
  readonly deformer: Deformer;
  readonly #memory: Compute;
  readonly #resident?: ResidentForm;

  /** @param memory keeps the weights; the rest shape of the deformer must not change afterwards */
  constructor(memory: Compute, deformer: Deformer) {
    this.deformer = deformer;
    this.#memory = memory;
    const form = memory.kind === 'wasm' ? linearFormOf(deformer) : undefined;
    if (!form) return;
    const skin = uploadSkin(memory, form.skin);
    this.#resident = { form, skin, rest: uploadFloat32(memory, form.mesh.positions) };
  }

  /** Whether poses are evaluated in kernels. */
  get isFast(): boolean {
    return this.#resident !== undefined;
  }

  /**
   * Fills shapes.
   * @param bones poseCount x boneCount of the deformer x 16
   * @param out at least poseCount x vertexCount x 3
   * @param normals poseCount x vertexCount x 3; with normals, every pose is evaluated by the deformer
   */
  async evaluateInto(
    bones: Float64Array,
    poseCount: number,
    out: Resident<Float32Array>,
    normals?: Float32Array,
  ): Promise<void> {
    const size = 16 * this.deformer.boneCount;
    const poseAt = (k: number): Float64Array => bones.subarray(k * size, (k + 1) * size);
    const resident = this.#resident;
    if (!resident || normals) {
      const stride = 3 * this.deformer.vertexCount;
      const view = out.view();
      const own = <T extends Float32Array>(all: T, k: number) => all.subarray(k * stride, (k + 1) * stride);
      for (let k = 0; k < poseCount; k++)
        this.deformer.deformInto({ bones: poseAt(k) }, own(view, k), normals && own(normals, k));
      return;
    }
    const { form, skin, rest } = resident;
    await this.#memory.scope(async (inner) => {
      const all = form.bonesInto ? new Float64Array(16 * poseCount * form.boneCount) : bones;
      const width = 16 * form.boneCount;
      if (form.bonesInto)
        for (let k = 0; k < poseCount; k++) form.bonesInto(poseAt(k), all.subarray(k * width, (k + 1) * width));
      const matrices = uploadFloat64(inner, all.subarray(0, poseCount * width));
      await inner.runAll([callSkinFrames(matrices, skin, rest, out, form.boneCount, poseCount)]);
    });
  }
}

/** Whether two deformers have the same positions in all poses because they blend the same weights of the same shape. */
export function isSameBlend(one: Deformer, other: Deformer): boolean {
  const [a, b] = [linearFormOf(one), linearFormOf(other)];
  if (!a || !b || a.bonesInto || b.bonesInto || a.boneCount !== b.boneCount) return false;
  const isEqual = (x: Float32Array | Uint32Array, y: Float32Array | Uint32Array): boolean =>
    x === y || (x.length === y.length && x.every((value, n) => value === y[n]));
  return (
    isEqual(a.mesh.positions, b.mesh.positions) &&
    isEqual(a.skin.rowStart, b.skin.rowStart) &&
    isEqual(a.skin.boneIndices, b.skin.boneIndices) &&
    isEqual(a.skin.weights, b.skin.weights)
  );
}
