// SPDX-License-Identifier: MIT
// B. H. Le, Z. Deng, "Two-layer sparse compression of dense-weight blend skinning", 2013, in real time: one kernel blends the matrices of virtual bones,
// another blends those to vertices, in fours, as plain linear blending does.
import { blendMatricesInto } from '../kernels/blend-matrices.ts';
import { uploadFloat32, uploadUint32 } from '../kernels/compute.ts';
import { makeCompute } from '../kernels/make-compute.ts';
import type { Pose } from '../model/deformer.ts';
import type { Skin } from '../model/skin.ts';
import { checkLinearTwoLayer, type LinearTwoLayer } from '../model/two-layer.ts';
import {
  createBlendRuntime,
  DDM_RUNTIME_DEFAULTS,
  type DdmRuntime,
  type DdmRuntimeOptions,
  type PosedShapes,
} from './ddm-runtime.ts';
import { checkPose } from './linear-blend.ts';

/**
 * Makes the run-time of a skin in two layers: makeLinearTwoLayer to single precision, many times as fast, for one pose or many at once. Nothing is allocated
 * by a call that takes no more poses than one before it. The model is copied.
 */
export async function createLinearTwoLayerRuntime(
  model: LinearTwoLayer,
  options: DdmRuntimeOptions = {},
): Promise<DdmRuntime> {
  checkLinearTwoLayer(model);
  const boneCount = model.skeleton.names.length;
  const virtualCount = model.virtualBones.rowStart.length - 1;
  const compute = options.compute ?? (await makeCompute({ threads: options.threads ?? DDM_RUNTIME_DEFAULTS.threads }));
  const owned: { free(): void }[] = [];
  let second: DdmRuntime | undefined;
  const dispose = (): void => {
    second?.dispose();
    for (const array of owned.splice(0)) array.free();
    if (!options.compute) compute.dispose();
  };
  const own = <T extends { free(): void }>(array: T): T => {
    owned.push(array);
    return array;
  };
  try {
    second = await createBlendRuntime(model.mesh, sortByBone(model.skin), virtualCount, {
      ...{ compute, normals: options.normals },
    });
  } catch (error) {
    dispose();
    throw error;
  }
  const rows = {
    rowStart: own(uploadUint32(compute, model.virtualBones.rowStart)),
    boneIndices: own(uploadUint32(compute, model.virtualBones.boneIndices)),
    weights: own(uploadFloat32(compute, model.virtualBones.weights)),
  };
  const bones = own(compute.float32(12 * boneCount));
  const matrices = own(compute.float32(12 * virtualCount));
  /** Kept from call to call; deformMany takes an array of just its poses, made when their number changes. */
  const virtuals: Pose[] = [];
  let taken: Pose[] = [];
  let isBusy = false;
  const layerTwo = second;
  const run = async (poses: Pose | readonly Pose[], poseCount: number): Promise<PosedShapes> => {
    if (isBusy) throw new Error('deform: the last call has not ended; await it before the next');
    const poseAt = (k: number): Pose => ('bones' in poses ? poses : poses[k]);
    for (let k = 0; k < poseCount; k++) checkPose('two-layer', poseAt(k), boneCount);
    isBusy = true;
    try {
      while (virtuals.length < poseCount) virtuals.push({ bones: new Float64Array(16 * virtualCount) });
      if (taken.length !== poseCount) taken = virtuals.slice(0, poseCount);
      for (let k = 0; k < poseCount; k++) {
        rowsOfMatricesInto(poseAt(k).bones, bones.view());
        await blendMatricesInto(compute, bones, rows, matrices);
        matricesOfRowsInto(matrices.view(), virtuals[k].bones);
      }
      return await layerTwo.deformMany(taken);
    } finally {
      isBusy = false;
    }
  };
  return {
    vertexCount: layerTwo.vertexCount,
    boneCount,
    deform: (pose) => run(pose, 1),
    deformMany: (poses) => run(poses, poses.length),
    dispose,
  };
}

function rowsOfMatricesInto(matrices: Float64Array, rows: Float32Array): void {
  for (let m = 0, o = 0; m < matrices.length; m += 16, o += 12) {
    for (let r = 0; r < 3; r++) {
      rows[o + 4 * r] = matrices[m + r];
      rows[o + 4 * r + 1] = matrices[m + 4 + r];
      rows[o + 4 * r + 2] = matrices[m + 8 + r];
      rows[o + 4 * r + 3] = matrices[m + 12 + r];
    }
  }
}

function matricesOfRowsInto(rows: Float32Array, matrices: Float64Array): void {
  for (let m = 0, o = 0; m < matrices.length; m += 16, o += 12) {
    for (let r = 0; r < 3; r++) {
      matrices[m + r] = rows[o + 4 * r];
      matrices[m + 4 + r] = rows[o + 4 * r + 1];
      matrices[m + 8 + r] = rows[o + 4 * r + 2];
      matrices[m + 12 + r] = rows[o + 4 * r + 3];
    }
    matrices[m + 15] = 1;
  }
}

/** Rows with rising bones: the kernel takes vertices in fours by the order of their rows, and those of the same two bones then meet. */
function sortByBone({ rowStart, ...skin }: Skin): Skin {
  const boneIndices = skin.boneIndices.slice();
  const weights = skin.weights.slice();
  const row: number[] = [];
  for (let i = 0; i + 1 < rowStart.length; i++) {
    row.length = 0;
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) row.push(e);
    row.sort((a, b) => skin.boneIndices[a] - skin.boneIndices[b]);
    for (const [n, e] of row.entries()) {
      boneIndices[rowStart[i] + n] = skin.boneIndices[e];
      weights[rowStart[i] + n] = skin.weights[e];
    }
  }
  return { rowStart, boneIndices, weights };
}
