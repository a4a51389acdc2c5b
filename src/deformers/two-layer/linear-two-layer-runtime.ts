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
  const { mesh, virtualBones } = model;
  const boneCount = model.skeleton.names.length;
  const virtualCount = virtualBones.rowStart.length - 1;
  const vertexCount = mesh.positions.length / 3;
  const withNormals = options.normals ?? DDM_RUNTIME_DEFAULTS.normals;
  const normals = withNormals ? (mesh.normals ?? makeRestNormals(mesh)) : undefined;
  const compute = await openRuntimeCompute(options);
  const { rowStart, boneIndices, weights } = sortByBone(model.skin);
  const source = { variant: 5, boneCount: virtualCount, rest: mesh.positions, normals, omegas: weights } as const;
  let pack: DdmPack;
  try {
    pack = packDdm(compute, { ...source, rowStart, boneIndices });
  } catch (error) {
    compute.dispose();
    throw error;
  }
  const masterPack = { ...pack, boneCount, mainBone: mainBoneOf(virtualBones, boneCount) };
  const rows: BlendRows = {
    rowStart: uploadUint32(compute, virtualBones.rowStart),
    boneIndices: uploadUint32(compute, virtualBones.boneIndices),
    weights: uploadFloat32(compute, virtualBones.weights),
  };
  let scratch: Scratch | undefined;
  let isBusy = false;
  let isDisposed = false;
  const run = async (poses: Pose | readonly Pose[], poseCount: number): Promise<PosedShapes> => {
    if (isDisposed) throw new InputError('deform', 'this run-time was disposed of');
    if (isBusy) throw new InputError('deform', 'the previous call is still running; await it first');
    const poseAt = (k: number): Pose => ('bones' in poses ? poses : poses[k]);
    for (let k = 0; k < poseCount; k++) checkPose('two-layer', poseAt(k), boneCount);
    isBusy = true;
    try {
      if (!scratch || scratch.capacity < poseCount) {
        scratch?.memory.dispose();
        scratch = allocateScratch(compute.child(), poseCount, boneCount, virtualCount, vertexCount, withNormals);
      }
      const masters = scratch.masters.view();
      const origins = scratch.origins.view();
      for (let k = 0; k < poseCount; k++) putPose(masterPack, poseAt(k).bones, masters, origins, k);
      if (poseCount > 0) {
        await blendMatricesInto(compute, scratch.masters, boneCount, rows, scratch.virtuals, poseCount);
        await compute.runAll([callDdm(pack, { ...scratch, bones: scratch.virtuals }, poseCount)]);
      }
      const numbers = 3 * vertexCount * poseCount;
      return {
        poseCount,
        positions: scratch.positions.view().subarray(0, numbers),
        normals: scratch.normals?.view().subarray(0, numbers),
      };
    } finally {
      isBusy = false;
    }
  };
  return {
    vertexCount,
    boneCount,
    deform: (pose) => run(pose, 1),
    deformMany: (poses) => run(poses, poses.length),
    dispose: () => {
      if (isDisposed) return;
      isDisposed = true;
      compute.dispose();
    },
  };
}

function allocateScratch(
  memory: Compute,
  capacity: number,
  boneCount: number,
  virtualCount: number,
  vertexCount: number,
  withNormals: boolean,
): Scratch {
  return {
    memory,
    capacity,
    masters: memory.float32(16 * capacity * boneCount),
    virtuals: memory.float32(16 * capacity * virtualCount),
    origins: memory.float32(4 * capacity),
    positions: memory.float32(3 * capacity * vertexCount),
    normals: withNormals ? memory.float32(3 * capacity * vertexCount) : undefined,
  };
}

/** The bone with the largest total weight. */
function mainBoneOf({ boneIndices, weights }: Skin, boneCount: number): number {
  const totals = new Float64Array(boneCount);
  for (let e = 0; e < weights.length; e++) totals[boneIndices[e]] += weights[e];
  return totals.reduce((best, total, j) => (total > totals[best] ? j : best), 0);
}
