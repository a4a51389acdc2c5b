// SPDX-License-Identifier: MIT
// B. H. Le, K. Villeneuve, C. Gonzalez-Ochoa, "Direct Delta Mush skinning compression with continuous examples", ACM Transactions on Graphics 40 (4),
// 2021, doi:10.1145/3450626.3459779, §5, the run-time of a compressed model in double: the reference for kernels and the GPU.
//
//   Eq. 13   [Q* q; 0 1] = Σⱼ Mⱼ T(p) Δ*ⱼ,   R = nearest rotation to Q*     per virtual bone, about its center p
//   layer 2  v' = Σₖ aₖ (Rₖ (u − pₖ) + qₖ)
import { nearestRotationInto } from '../../core/math/rotation.ts';
import { addRowTimesSym4, SYM4_SIZE } from '../../core/math/sym4.ts';
import { checkTwoLayer, type TwoLayer, virtualBoneCountOf } from '../../core/model/deformed/two-layer.ts';
import { cofactorsInto, type DoubleDeformer, turnNormalInto } from '../direct-delta-mush/index.ts';
import { checkPose, lazyRestNormals } from '../linear-blend/index.ts';

/**
 * Fills the transforms of virtual bones: per bone R (nine numbers, column-major) and q, the image of its center.
 * @param bones boneCount x 16: master bones, rest to posed
 * @param transforms virtualBoneCount x 12
 * @example
 * ```ts
 * import { virtualBoneCountOf } from 'ossify';
 * import { virtualTransformsInto } from 'ossify/deform';
 *
 * const transforms = new Float64Array(12 * virtualBoneCountOf(twoLayer));
 * virtualTransformsInto(twoLayer, bones, transforms);
 * ```
 */
export function virtualTransformsInto(model: TwoLayer, bones: Float64Array, transforms: Float64Array): void {
  const { rowStart, boneIndices, omegas } = model.virtualBones;
  /** [Q* q], 3x4, column-major */
  const moments = new Float64Array(12);
  const boneRow = new Float64Array(4);
  for (let k = 0; k < rowStart.length - 1; k++) {
    const px = model.centers[3 * k],
      py = model.centers[3 * k + 1],
      pz = model.centers[3 * k + 2];
    const t = 12 * k;
    moments.fill(0);
    // images of the center relative to that of the first bone: since Σ b = 0 and Σ ω = 1, a translation of all bones is never multiplied by weights
    const first = 16 * boneIndices[rowStart[k]];
    for (let row = 0; row < 3; row++) {
      const g0 = bones[first + row] * px + bones[first + 4 + row] * py + bones[first + 8 + row] * pz;
      for (let e = rowStart[k]; e < rowStart[k + 1]; e++) {
        const m = 16 * boneIndices[e];
        for (let c = 0; c < 3; c++) boneRow[c] = bones[m + 4 * c + row];
        boneRow[3] =
          boneRow[0] * px + boneRow[1] * py + boneRow[2] * pz - g0 + (bones[m + 12 + row] - bones[first + 12 + row]);
        addRowTimesSym4(boneRow, omegas, SYM4_SIZE * e, moments, row);
      }
      transforms[t + 9 + row] = moments[9 + row] + (g0 + bones[first + 12 + row]);
    }
    nearestRotationInto(moments, transforms, 0, t);
  }
}

/**
 * Makes the deformer of a two-layer model, in double precision. Normals are transformed by the inverse transpose of the blended rotation. The model is kept, not
 * copied.
 * @example
 * ```ts
 * import { makeTwoLayer } from 'ossify/deform';
 *
 * const deformer = makeTwoLayer(twoLayer);
 * deformer.deformInto({ bones }, positions);
 * ```
 */
export function makeTwoLayer(model: TwoLayer): DoubleDeformer {
  checkTwoLayer(model);
  const { mesh, centers, skin } = model;
  const boneCount = model.skeleton.names.length;
  const vertexCount = mesh.positions.length / 3;
  const transforms = new Float64Array(12 * virtualBoneCountOf(model));
  const blended = new Float64Array(9);
  const cofactors = new Float64Array(9);
  const restNormalsOf = lazyRestNormals(mesh);
  return {
    isDouble: true,
    vertexCount,
    boneCount,
    deformInto(pose, positions, normals) {
      checkPose('two-layer', pose, boneCount);
      virtualTransformsInto(model, pose.bones, transforms);
      const restNormals = restNormalsOf(normals !== undefined);
      for (let i = 0; i < vertexCount; i++) {
        let vx = 0,
          vy = 0,
          vz = 0;
        blended.fill(0);
        for (let e = skin.rowStart[i]; e < skin.rowStart[i + 1]; e++) {
          const a = skin.weights[e];
          const c = 3 * skin.boneIndices[e];
          const t = 12 * skin.boneIndices[e];
          const x = mesh.positions[3 * i] - centers[c],
            y = mesh.positions[3 * i + 1] - centers[c + 1],
            z = mesh.positions[3 * i + 2] - centers[c + 2];
          const r = transforms;
          vx += a * (r[t] * x + r[t + 3] * y + r[t + 6] * z + r[t + 9]);
          vy += a * (r[t + 1] * x + r[t + 4] * y + r[t + 7] * z + r[t + 10]);
          vz += a * (r[t + 2] * x + r[t + 5] * y + r[t + 8] * z + r[t + 11]);
          if (normals) for (let n = 0; n < 9; n++) blended[n] += a * r[t + n];
        }
        positions[3 * i] = vx;
        positions[3 * i + 1] = vy;
        positions[3 * i + 2] = vz;
        if (!normals || !restNormals) continue;
        const det = cofactorsInto(blended, cofactors);
        turnNormalInto(cofactors, det < 0 ? -1 : 1, restNormals, normals, 3 * i);
      }
    },
  };
}
