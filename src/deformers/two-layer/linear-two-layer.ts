// SPDX-License-Identifier: MIT
// B. H. Le, Z. Deng, "Two-layer sparse compression of dense-weight blend skinning", ACM Transactions on Graphics 32(4), 2013, doi:10.1145/2461912.2461949:
//   layer 1   Vₖ = Σⱼ dₖⱼ Mⱼ                per virtual bone
//   layer 2   v' = Σₖ aₖ Vₖ u               per vertex: linear blend skinning by virtual bones
import type { Deformer } from '../../core/model/deformed/deformer.ts';
import { checkLinearTwoLayer, type LinearTwoLayer } from '../../core/model/deformed/two-layer.ts';
import { checkPose, makeLinearBlend } from '../linear-blend/index.ts';

/**
 * Fills the matrices of virtual bones, virtualBoneCount x 16.
 * @param bones boneCount x 16: master bones, rest to posed
 */
function virtualMatricesInto(
  { rowStart, boneIndices, weights }: LinearTwoLayer['virtualBones'],
  bones: Float64Array,
  matrices: Float64Array,
): void {
  matrices.fill(0);
  for (let k = 0; k + 1 < rowStart.length; k++) {
    for (let e = rowStart[k]; e < rowStart[k + 1]; e++) {
      const w = weights[e];
      const from = 16 * boneIndices[e];
      for (let c = 0; c < 16; c++) matrices[16 * k + c] += w * bones[from + c];
    }
    matrices[16 * k + 15] = 1;
  }
}

/**
 * Makes the deformer of a two-layer skin, in double precision up to the shape. Normals are those of linear blend skinning. The model is kept, not copied.
 * @example
 * ```ts
 * import { makeLinearTwoLayer } from 'ossify/deform';
 *
 * const deformer = makeLinearTwoLayer(linearTwoLayer);
 * deformer.deformInto({ bones }, positions);
 * ```
 */
export function makeLinearTwoLayer(model: LinearTwoLayer): Deformer {
  checkLinearTwoLayer(model);
  const boneCount = model.skeleton.names.length;
  const virtualCount = model.virtualBones.rowStart.length - 1;
  const second = makeLinearBlend(model.mesh, model.skin, virtualCount);
  const pose = { bones: new Float64Array(16 * virtualCount) };
  return {
    vertexCount: second.vertexCount,
    boneCount,
    deformInto({ bones }, positions, normals) {
      checkPose('two-layer', { bones }, boneCount);
      virtualMatricesInto(model.virtualBones, bones, pose.bones);
      second.deformInto(pose, positions, normals);
    },
  };
}
