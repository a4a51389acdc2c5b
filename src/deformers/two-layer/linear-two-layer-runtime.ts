// SPDX-License-Identifier: MIT
// B. H. Le, Z. Deng, "Two-layer sparse compression of dense-weight blend skinning", 2013, in real time: one kernel blends the matrices of virtual bones,
// another blends those for vertices in groups of four, as in plain linear blending.
//
// The second kernel expects bones in the model's own frame (its center and size, and the image of the center under the main bone). That frame is an affine map,
// and weights sum to one: blends of master bones in that frame are also in that frame. So virtual bones never leave the kernels' memory.

import { type Compute, type Resident, uploadFloat32, uploadUint32 } from '../../core/kernels/compute.ts';
import { callDdm, type DdmPack, packDdm, putPose } from '../../core/kernels/ddm/pack-ddm.ts';
import { type BlendRows, blendMatricesInto } from '../../core/kernels/skinning/blend-matrices.ts';
import type { Pose } from '../../core/model/deformed/deformer.ts';
import { checkLinearTwoLayer, type LinearTwoLayer } from '../../core/model/deformed/two-layer.ts';
import { InputError } from '../../core/model/errors.ts';
import type { Skin } from '../../core/model/skin/skin.ts';
import {
  DDM_RUNTIME_DEFAULTS,
  type DdmRuntime,
  type DdmRuntimeOptions,
  openRuntimeCompute,
  type PosedShapes,
} from '../direct-delta-mush/index.ts';
import { checkPose, makeRestNormals, sortByBone } from '../linear-blend/index.ts';

/** Scratch memory for a number of poses, kept between calls. */
interface Scratch {
  memory: Compute;
  capacity: number;
  masters: Resident<Float32Array>;
  virtuals: Resident<Float32Array>;
  origins: Resident<Float32Array>;
  positions: Resident<Float32Array>;
  normals: Resident<Float32Array> | undefined;
}

/**
 * Makes the run-time of a skin in two layers: makeLinearTwoLayer in single precision, many times as fast, for one pose or many at once. A call with no
 * more poses than an earlier one allocates nothing. The model is copied.
 * @deprecated Use makeLinearTwoLayer, or createGpuDeformer for many poses. It will be removed after two more minor versions.
 * @example
 * ```ts
 * import { createLinearTwoLayerRuntime } from 'ossify/deform';
 *
 * if (!asset.linearTwoLayer) throw new Error('the file has no two-layer skin');
 * const runtime = await createLinearTwoLayerRuntime(asset.linearTwoLayer, { normals: false });
 * const { positions } = await runtime.deform(poses[0]);
 * ```
 */
export async function createLinearTwoLayerRuntime(
  model: LinearTwoLayer,
  options: DdmRuntimeOptions = {},
): Promise<DdmRuntime> {
  checkLinearTwoLayer(model);
  const runner = makeRunner(await openRuntimeCompute(options), model, options);
  return {
    vertexCount: model.mesh.positions.length / 3,
    boneCount: model.skeleton.names.length,
    deform: (pose) => runner.run(pose, 1),
    deformMany: (poses) => runner.run(poses, poses.length),
    dispose: () => runner.dispose(),
  };
}

/** Packs a model. Disposes of the compute if that fails. */
function makeRunner(compute: Compute, model: LinearTwoLayer, options: DdmRuntimeOptions): TwoLayerRunner {
  const { mesh, virtualBones } = model;
  const withNormals = options.normals ?? DDM_RUNTIME_DEFAULTS.normals;
  const normals = withNormals ? (mesh.normals ?? makeRestNormals(mesh)) : undefined;
  const { rowStart, boneIndices, weights } = sortByBone(model.skin);
  const virtualCount = virtualBones.rowStart.length - 1;
  const source = { variant: 5, boneCount: virtualCount, rest: mesh.positions, normals, omegas: weights } as const;
  try {
    const pack = packDdm(compute, { ...source, rowStart, boneIndices });
    return new TwoLayerRunner(compute, pack, model, withNormals);
  } catch (error) {
    compute.dispose();
    throw error;
  }
}

/** A packed model with its scratch memory. */
class TwoLayerRunner {
  readonly #compute: Compute;
  readonly #pack: DdmPack;
  readonly #masterPack: DdmPack;
  readonly #rows: BlendRows;
  readonly #withNormals: boolean;
  #scratch: Scratch | undefined;
  #isBusy = false;
  #isDisposed = false;

  constructor(compute: Compute, pack: DdmPack, { skeleton, virtualBones }: LinearTwoLayer, withNormals: boolean) {
    const boneCount = skeleton.names.length;
    this.#compute = compute;
    this.#pack = pack;
    this.#masterPack = { ...pack, boneCount, mainBone: mainBoneOf(virtualBones, boneCount) };
    this.#rows = {
      rowStart: uploadUint32(compute, virtualBones.rowStart),
      boneIndices: uploadUint32(compute, virtualBones.boneIndices),
      weights: uploadFloat32(compute, virtualBones.weights),
    };
    this.#withNormals = withNormals;
  }

  async run(poses: Pose | readonly Pose[], poseCount: number): Promise<PosedShapes> {
    if (this.#isDisposed) throw new InputError('deform', 'this run-time was disposed of');
    if (this.#isBusy) throw new InputError('deform', 'the previous call is still running; await it first');
    const { boneCount } = this.#masterPack;
    const poseAt = (k: number): Pose => ('bones' in poses ? poses : poses[k]);
    for (let k = 0; k < poseCount; k++) checkPose('two-layer', poseAt(k), boneCount);
    this.#isBusy = true;
    try {
      const scratch = this.#allocateScratch(poseCount);
      const masters = scratch.masters.view();
      const origins = scratch.origins.view();
      for (let k = 0; k < poseCount; k++) putPose(this.#masterPack, poseAt(k).bones, masters, origins, k);
      if (poseCount > 0) await this.#blend(scratch, poseCount);
      const numbers = 3 * this.#pack.vertexCount * poseCount;
      return {
        poseCount,
        positions: scratch.positions.view().subarray(0, numbers),
        normals: scratch.normals?.view().subarray(0, numbers),
      };
    } finally {
      this.#isBusy = false;
    }
  }

  /** Virtual bones, then vertices. */
  async #blend(scratch: Scratch, poseCount: number): Promise<void> {
    const { boneCount } = this.#masterPack;
    await blendMatricesInto(this.#compute, scratch.masters, boneCount, this.#rows, scratch.virtuals, poseCount);
    await this.#compute.runAll([callDdm(this.#pack, { ...scratch, bones: scratch.virtuals }, poseCount)]);
  }

  #allocateScratch(capacity: number): Scratch {
    if (this.#scratch && this.#scratch.capacity >= capacity) return this.#scratch;
    this.#scratch?.memory.dispose();
    const memory = this.#compute.child();
    const { vertexCount, boneCount: virtualCount } = this.#pack;
    this.#scratch = {
      memory,
      capacity,
      masters: memory.float32(16 * capacity * this.#masterPack.boneCount),
      virtuals: memory.float32(16 * capacity * virtualCount),
      origins: memory.float32(4 * capacity),
      positions: memory.float32(3 * capacity * vertexCount),
      normals: this.#withNormals ? memory.float32(3 * capacity * vertexCount) : undefined,
    };
    return this.#scratch;
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#compute.dispose();
  }
}

/** The bone with the largest total weight. */
function mainBoneOf({ boneIndices, weights }: Skin, boneCount: number): number {
  const totals = new Float64Array(boneCount);
  for (let e = 0; e < weights.length; e++) totals[boneIndices[e]] += weights[e];
  return totals.reduce((best, total, j) => (total > totals[best] ? j : best), 0);
}
