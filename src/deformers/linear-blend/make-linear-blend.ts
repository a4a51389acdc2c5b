// SPDX-License-Identifier: MIT

import type { Deformer, Pose } from '../../core/model/deformed/deformer.ts';
import { withLinearForm } from '../../core/model/deformed/linear-form.ts';
import { InputError } from '../../core/model/errors.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import type { Skin } from '../../core/model/skin/skin.ts';
import { lazyRestNormals } from './rest-normals.ts';

/**
 * Linear blend skinning with any number of influences: v' = Σⱼ wⱼ Mⱼ v.
 *
 * Normals are transformed by the inverse transpose of the blended matrix, which is correct for slowly varying weights.
 * Many viewers (three.js and the glTF sample viewer among them) use the blended matrix itself: the two agree for
 * rotations and differ under scale and shear.
 *
 * The mesh and the skin are kept, not copied: positions are read at each call, so a wrapper may reshape the rest first
 * (morph-blend.ts). If the mesh has no normals, those of its rest shape are computed at the first call that needs them.
 * @example
 * ```ts
 * import { makeLinearBlend } from 'ossify/deform';
 *
 * const deformer = makeLinearBlend(mesh, skin, skeleton.names.length);
 * deformer.deformInto({ bones }, positions);
 * ```
 */
export function makeLinearBlend(mesh: Mesh, skin: Skin, boneCount: number): Deformer {
  const vertexCount = mesh.positions.length / 3;
  checkFits('linear blend', skin, vertexCount, boneCount);
  const restNormalsOf = lazyRestNormals(mesh);
  const deformer: Deformer = {
    vertexCount,
    boneCount,
    deformInto(pose, positions, normals) {
      checkPose('linear blend', pose, boneCount);
      blendInto(mesh.positions, restNormalsOf(normals !== undefined), skin, pose.bones, positions, normals);
    },
  };
  return withLinearForm(deformer, { mesh, skin, boneCount });
}

/** Throws unless the skin has one row per vertex and bone indices in range. */
export function checkFits(who: string, skin: Skin, vertexCount: number, boneCount: number): void {
  if (skin.rowStart.length !== vertexCount + 1) {
    throw new InputError(who, `the skin has ${skin.rowStart.length - 1} rows for ${vertexCount} vertices`);
  }
  for (let e = 0; e < skin.boneIndices.length; e++) {
    if (skin.boneIndices[e] >= boneCount) {
      throw new InputError(who, `the skin names bone ${skin.boneIndices[e]} of ${boneCount}`);
    }
  }
}

/** Throws unless the pose has a matrix for every bone. */
export function checkPose(who: string, pose: Pose, boneCount: number): void {
  if (pose.bones.length !== boneCount * 16) {
    throw new InputError(who, `the pose has ${pose.bones.length / 16} bones, expected ${boneCount}`);
  }
}

/**
 * The inner loop of the deformer: one pass over the vertices, with the matrix in local variables, so it is one function.
 * @param rest vertexCount x 3
 * @param restNormals vertexCount x 3, required for normals
 * @param bones boneCount x 16
 */
function blendInto(
  rest: Float32Array,
  restNormals: Float32Array | undefined,
  skin: Skin,
  bones: Float64Array,
  positions: Float32Array,
  normals: Float32Array | undefined,
): void {
  const { rowStart, boneIndices, weights } = skin;
  const vertexCount = rowStart.length - 1;
  for (let i = 0; i < vertexCount; i++) {
    // m is the blended matrix: rows 0-2, columns 0-3.
    let m00 = 0,
      m10 = 0,
      m20 = 0,
      m01 = 0,
      m11 = 0,
      m21 = 0,
      m02 = 0,
      m12 = 0,
      m22 = 0,
      m03 = 0,
      m13 = 0,
      m23 = 0;
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
      const w = weights[e];
      const o = boneIndices[e] * 16;
      m00 += w * bones[o];
      m10 += w * bones[o + 1];
      m20 += w * bones[o + 2];
      m01 += w * bones[o + 4];
      m11 += w * bones[o + 5];
      m21 += w * bones[o + 6];
      m02 += w * bones[o + 8];
      m12 += w * bones[o + 9];
      m22 += w * bones[o + 10];
      m03 += w * bones[o + 12];
      m13 += w * bones[o + 13];
      m23 += w * bones[o + 14];
    }
    const c = i * 3;
    const x = rest[c],
      y = rest[c + 1],
      z = rest[c + 2];
    positions[c] = m00 * x + m01 * y + m02 * z + m03;
    positions[c + 1] = m10 * x + m11 * y + m12 * z + m13;
    positions[c + 2] = m20 * x + m21 * y + m22 * z + m23;
    if (!normals || !restNormals) continue;

    // The cofactor matrix is det(m) m⁻ᵀ: same direction up to the sign of the determinant, and defined when m is singular.
    const nx = restNormals[c],
      ny = restNormals[c + 1],
      nz = restNormals[c + 2];
    const c00 = m11 * m22 - m12 * m21,
      c01 = m12 * m20 - m10 * m22,
      c02 = m10 * m21 - m11 * m20;
    const sign = m00 * c00 + m01 * c01 + m02 * c02 < 0 ? -1 : 1;
    const px = sign * (c00 * nx + c01 * ny + c02 * nz);
    const py = sign * ((m02 * m21 - m01 * m22) * nx + (m00 * m22 - m02 * m20) * ny + (m01 * m20 - m00 * m21) * nz);
    const pz = sign * ((m01 * m12 - m02 * m11) * nx + (m02 * m10 - m00 * m12) * ny + (m00 * m11 - m01 * m10) * nz);
    const length = Math.sqrt(px * px + py * py + pz * pz);
    // If the blend collapses (all of its cofactors vanish) there is no normal: keep the rest normal.
    const inv = 1 / length;
    const isDefined = Number.isFinite(inv);
    normals[c] = isDefined ? px * inv : nx;
    normals[c + 1] = isDefined ? py * inv : ny;
    normals[c + 2] = isDefined ? pz * inv : nz;
  }
}
