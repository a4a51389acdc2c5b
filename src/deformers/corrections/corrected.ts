// SPDX-License-Identifier: MIT
// D. L. James and C. D. Twigg, "Skinning mesh animations", ACM Transactions on Graphics 24(3), 2005, doi:10.1145/1073204.1073206, §6:
//   Eq. 12   v' = Σⱼ wⱼ Mⱼ (u + Σᵣ Uᵣ qᵣ)
//   Eq. 13   n' = F⁻ᵀ (n + Σᵣ Nᵣ sᵣ)  or  F (n + Σᵣ Nᵣ sᵣ),  F the 3x3 part of Σⱼ wⱼ Mⱼ

import type { Deformer } from '../../core/model/deformed/deformer.ts';
import {
  checkSkinCorrection,
  coefficientCountOf,
  type SkinCorrection,
} from '../../core/model/deformed/skin-correction.ts';
import { InputError } from '../../core/model/errors.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import type { Skin } from '../../core/model/skin/skin.ts';
import { lazyRestNormals, makeLinearBlend } from '../linear-blend/index.ts';

/**
 * Linear blend skinning of a corrected rest shape. Coefficients come from pose.corrections; without them the result is the plain skin. Mesh, skin and
 * correction are kept, not copied: positions are read at each call, so morph targets may come first.
 *
 * Normals follow the rule for which they were corrected. Without corrections they are those of linear blend skinning.
 * @example
 * ```ts
 * import { correctModel, poseOf } from 'ossify';
 * import { makeCorrected } from 'ossify/deform';
 *
 * const { correction } = await correctModel(clip, model, { rank: 5 });
 * const corrected = makeCorrected(model.mesh, model.skin, model.skeleton.names.length, correction);
 * const [track] = correction.tracks;
 * corrected.deformInto({ bones: poseOf(model.motions[0], 0), corrections: track.values.subarray(0, 5) }, positions);
 * ```
 */
export function makeCorrected(mesh: Mesh, skin: Skin, boneCount: number, correction: SkinCorrection): Deformer {
  const vertexCount = mesh.positions.length / 3;
  checkSkinCorrection(correction, vertexCount);
  const { rank, normalRank, basis, normals: normalPart } = correction;
  const count = coefficientCountOf(correction);
  const shapedNormals = new Float32Array(mesh.positions.length);
  const shaped: Mesh = { ...mesh, positions: mesh.positions.slice(), normals: shapedNormals };
  const inner = makeLinearBlend(shaped, skin, boneCount);
  const restNormalsOf = lazyRestNormals(mesh);
  return {
    vertexCount,
    boneCount,
    deformInto(pose, positions, normals) {
      const values = pose.corrections;
      if (values && values.length !== count)
        throw new InputError('corrected skin', `the pose has ${values.length} coefficients, expected ${count}`);
      shaped.positions.set(mesh.positions);
      if (values) addComponents(basis, values, 0, rank, shaped.positions);
      if (normals) {
        const restNormals = restNormalsOf(true);
        if (restNormals) shapedNormals.set(restNormals);
        if (values && normalPart)
          addComponents(normalPart.basis, values, normalRank > 0 ? rank : 0, normalRank || rank, shapedNormals);
        normalizeAll(shapedNormals);
      }
      inner.deformInto(pose, positions, normals);
      if (normals && normalPart?.rule === 'blend') turnNormals(shapedNormals, skin, pose.bones, normals);
    },
  };
}

function addComponents(
  basis: Float32Array,
  values: Float32Array,
  first: number,
  rank: number,
  out: Float32Array,
): void {
  const stride = out.length;
  for (let r = 0; r < rank; r++) {
    const value = values[first + r];
    if (value === 0) continue;
    const o = r * stride;
    for (let c = 0; c < stride; c++) out[c] += value * basis[o + c];
  }
}

function normalizeAll(vectors: Float32Array): void {
  for (let c = 0; c < vectors.length; c += 3) {
    const length = Math.sqrt(vectors[c] ** 2 + vectors[c + 1] ** 2 + vectors[c + 2] ** 2);
    if (!(length > 0)) continue;
    for (let a = 0; a < 3; a++) vectors[c + a] /= length;
  }
}

/** F n, unit length; the rest normal if F n vanishes. */
function turnNormals(rest: Float32Array, skin: Skin, bones: Float64Array, normals: Float32Array): void {
  const { rowStart, boneIndices, weights } = skin;
  for (let i = 0; i + 1 < rowStart.length; i++) {
    const c = 3 * i;
    const nx = rest[c],
      ny = rest[c + 1],
      nz = rest[c + 2];
    let x = 0,
      y = 0,
      z = 0;
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
      const w = weights[e];
      const o = 16 * boneIndices[e];
      x += w * (bones[o] * nx + bones[o + 4] * ny + bones[o + 8] * nz);
      y += w * (bones[o + 1] * nx + bones[o + 5] * ny + bones[o + 9] * nz);
      z += w * (bones[o + 2] * nx + bones[o + 6] * ny + bones[o + 10] * nz);
    }
    const inverse = 1 / Math.sqrt(x * x + y * y + z * z);
    const isDefined = Number.isFinite(inverse);
    normals[c] = isDefined ? x * inverse : nx;
    normals[c + 1] = isDefined ? y * inverse : ny;
    normals[c + 2] = isDefined ? z * inverse : nz;
  }
}
