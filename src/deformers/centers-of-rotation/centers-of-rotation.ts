// SPDX-License-Identifier: MIT
// B. H. Le and J. K. Hodgins, "Real-time skeletal skinning with optimized centers of rotation", ACM Transactions on Graphics 35 (4), 2016,
// doi:10.1145/2897824.2925959: the run-time. Rotations are blended as quaternions, translations such that the vertex's center of rotation moves as under
// linear blend skinning: v' = R (v − p) + Σ wⱼ Mⱼ p. The centers come from centers-of-rotation-solve.ts or another source: with the
// centers and weights of a Direct Delta Mush model this is its variant 4.

import { quaternionFromMatrix } from '../../core/math/quaternion.ts';
import { InputError } from '../../core/model/errors.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import type { Skin } from '../../core/model/skin/skin.ts';
import {
  checkRigidBones,
  type DoubleDeformer,
  listUsedBones,
  rotationFromQuaternionInto,
  turnNormalInto,
} from '../direct-delta-mush/index.ts';
import { checkFits, checkPose, lazyRestNormals } from '../linear-blend/index.ts';

/**
 * Skinning with centers of rotation. Bones must be rigid: one with scale, shear or a reflection is an error. The sign of each quaternion is chosen
 * in the hemisphere of the vertex's strongest bone. Normals are rotated by the blended rotation. The mesh, skin and centers are kept, not copied.
 * @param centers vertexCount x 3
 * @example
 * ```ts
 * import { makeCentersOfRotation, solveCentersOfRotation } from 'ossify/deform';
 *
 * const smooth = makeCentersOfRotation(mesh, skin, skeleton.names.length, solveCentersOfRotation(mesh, skin));
 * smooth.deformInto({ bones }, positions);
 * ```
 */
export function makeCentersOfRotation(
  mesh: Mesh,
  skin: Skin,
  boneCount: number,
  centers: ArrayLike<number>,
): DoubleDeformer {
  const vertexCount = mesh.positions.length / 3;
  checkFits('centers of rotation', skin, vertexCount, boneCount);
  if (centers.length !== 3 * vertexCount)
    throw new InputError('centers of rotation', `${centers.length / 3} centers for ${vertexCount} vertices`);
  const isUsed = listUsedBones(skin.boneIndices, boneCount);
  const quaternions = new Float64Array(boneCount * 4);
  const rotation = new Float64Array(9);
  const center = new Float64Array(3);
  const restNormalsOf = lazyRestNormals(mesh);
  return {
    isDouble: true,
    vertexCount,
    boneCount,
    deformInto(pose, positions, normals) {
      checkPose('centers of rotation', pose, boneCount);
      checkRigidBones('centers of rotation', pose.bones, isUsed, 'give it rigid bones, or use linear blend');
      for (let j = 0; j < boneCount; j++) {
        if (isUsed[j]) quaternionFromMatrix(pose.bones, quaternions, 16 * j, 4 * j);
      }
      const restNormals = restNormalsOf(normals !== undefined);
      const rest = mesh.positions;
      for (let i = 0; i < vertexCount; i++) {
        blendInto(skin, i, pose.bones, quaternions, centers, rotation, center);
        const c = 3 * i;
        const x = rest[c] - centers[c],
          y = rest[c + 1] - centers[c + 1],
          z = rest[c + 2] - centers[c + 2];
        for (let row = 0; row < 3; row++)
          positions[c + row] = rotation[row] * x + rotation[3 + row] * y + rotation[6 + row] * z + center[row];
        if (normals && restNormals) turnNormalInto(rotation, 1, restNormals, normals, c);
      }
    },
  };
}

/** The blended rotation of vertex i, and the image of its center under linear blend skinning. */
function blendInto(
  { rowStart, boneIndices, weights }: Skin,
  i: number,
  bones: Float64Array,
  quaternions: Float64Array,
  centers: ArrayLike<number>,
  rotation: Float64Array,
  center: Float64Array,
): void {
  const px = centers[3 * i],
    py = centers[3 * i + 1],
    pz = centers[3 * i + 2];
  const s = 4 * boneIndices[rowStart[i]];
  let x = 0,
    y = 0,
    z = 0,
    w = 0;
  center.fill(0);
  for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
    const weight = weights[e];
    const m = 16 * boneIndices[e];
    for (let row = 0; row < 3; row++)
      center[row] +=
        weight * (bones[m + row] * px + bones[m + 4 + row] * py + bones[m + 8 + row] * pz + bones[m + 12 + row]);
    const o = 4 * boneIndices[e];
    const dot =
      quaternions[s] * quaternions[o] +
      quaternions[s + 1] * quaternions[o + 1] +
      quaternions[s + 2] * quaternions[o + 2] +
      quaternions[s + 3] * quaternions[o + 3];
    const signed = dot < 0 ? -weight : weight;
    x += signed * quaternions[o];
    y += signed * quaternions[o + 1];
    z += signed * quaternions[o + 2];
    w += signed * quaternions[o + 3];
  }
  rotationFromQuaternionInto(x, y, z, w, rotation);
}
