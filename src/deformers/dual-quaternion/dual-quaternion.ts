// SPDX-License-Identifier: MIT
// L. Kavan, S. Collins, J. Žára, C. O'Sullivan 2008, Geometric Skinning with Approximate Dual Quaternion Blending.
import { quaternionFromMatrix } from '../../core/math/quaternion.ts';
import type { Deformer } from '../../core/model/deformed/deformer.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import type { Skin } from '../../core/model/skin/skin.ts';
import { checkRigidBones, listUsedBones } from '../direct-delta-mush/index.ts';
import { checkFits, checkPose, lazyRestNormals } from '../linear-blend/index.ts';

/**
 * Dual quaternion skinning with any number of influences. Bones must be rigid: one with scale, shear or a reflection is an
 * error. The sign of each quaternion is chosen in the hemisphere of the vertex's strongest bone, so q and −q blend as the
 * same rotation. Normals are rotated by the blended rotation.
 *
 * The mesh and the skin are kept, not copied, as in make-linear-blend.ts.
 * @example
 * ```ts
 * import { makeDualQuaternion } from 'ossify/deform';
 *
 * const deformer = makeDualQuaternion(mesh, skin, skeleton.names.length);
 * deformer.deformInto({ bones }, positions);
 * ```
 */
export function makeDualQuaternion(mesh: Mesh, skin: Skin, boneCount: number): Deformer {
  const vertexCount = mesh.positions.length / 3;
  checkFits('dual quaternion', skin, vertexCount, boneCount);
  /** boneCount x 8: real x y z w, dual x y z w */
  const duals = new Float64Array(boneCount * 8);
  // Unused bones may be anything.
  const isUsed = listUsedBones(skin.boneIndices, boneCount);
  const restNormalsOf = lazyRestNormals(mesh);
  return {
    vertexCount,
    boneCount,
    deformInto(pose, positions, normals) {
      checkPose('dual quaternion', pose, boneCount);
      checkRigidBones('dual quaternion', pose.bones, isUsed, 'give it rigid bones, or use linear blend');
      for (let j = 0; j < boneCount; j++) if (isUsed[j]) dualFromMatrixInto(pose.bones, j, duals);
      blendInto(mesh.positions, restNormalsOf(normals !== undefined), skin, duals, positions, normals);
    },
  };
}

function dualFromMatrixInto(bones: Float64Array, j: number, duals: Float64Array): void {
  const o = j * 8;
  quaternionFromMatrix(bones, duals, j * 16, o);
  const x = duals[o],
    y = duals[o + 1],
    z = duals[o + 2],
    w = duals[o + 3];
  const tx = bones[j * 16 + 12],
    ty = bones[j * 16 + 13],
    tz = bones[j * 16 + 14];
  // dual = ½ t q, with t the pure quaternion of the translation
  duals[o + 4] = 0.5 * (tx * w + ty * z - tz * y);
  duals[o + 5] = 0.5 * (ty * w + tz * x - tx * z);
  duals[o + 6] = 0.5 * (tz * w + tx * y - ty * x);
  duals[o + 7] = -0.5 * (tx * x + ty * y + tz * z);
}

/** The inner loop of the deformer: one pass over the vertices, with the blend in local variables, so it is one function. */
function blendInto(
  rest: Float32Array,
  restNormals: Float32Array | undefined,
  skin: Skin,
  duals: Float64Array,
  positions: Float32Array,
  normals: Float32Array | undefined,
): void {
  const { rowStart, boneIndices, weights } = skin;
  const vertexCount = rowStart.length - 1;
  for (let i = 0; i < vertexCount; i++) {
    let x = 0,
      y = 0,
      z = 0,
      w = 0,
      dx = 0,
      dy = 0,
      dz = 0,
      dw = 0;
    // Weights are sorted within a row, so the first entry is the strongest bone.
    const s = boneIndices[rowStart[i]] * 8;
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
      const o = boneIndices[e] * 8;
      const dot =
        duals[s] * duals[o] + duals[s + 1] * duals[o + 1] + duals[s + 2] * duals[o + 2] + duals[s + 3] * duals[o + 3];
      const weight = dot < 0 ? -weights[e] : weights[e];
      x += weight * duals[o];
      y += weight * duals[o + 1];
      z += weight * duals[o + 2];
      w += weight * duals[o + 3];
      dx += weight * duals[o + 4];
      dy += weight * duals[o + 5];
      dz += weight * duals[o + 6];
      dw += weight * duals[o + 7];
    }
    // At least the strongest weight's share survives the hemisphere test, so the norm is not zero for a row that sums to one.
    const inv = 1 / Math.sqrt(x * x + y * y + z * z + w * w);
    x *= inv;
    y *= inv;
    z *= inv;
    w *= inv;
    dx *= inv;
    dy *= inv;
    dz *= inv;
    dw *= inv;
    // translation = 2 dual conj(real), vector part
    const tx = 2 * (w * dx - dw * x + y * dz - z * dy);
    const ty = 2 * (w * dy - dw * y + z * dx - x * dz);
    const tz = 2 * (w * dz - dw * z + x * dy - y * dx);
    const r00 = 1 - 2 * (y * y + z * z),
      r01 = 2 * (x * y - w * z),
      r02 = 2 * (x * z + w * y);
    const r10 = 2 * (x * y + w * z),
      r11 = 1 - 2 * (x * x + z * z),
      r12 = 2 * (y * z - w * x);
    const r20 = 2 * (x * z - w * y),
      r21 = 2 * (y * z + w * x),
      r22 = 1 - 2 * (x * x + y * y);
    const c = i * 3;
    const px = rest[c],
      py = rest[c + 1],
      pz = rest[c + 2];
    positions[c] = r00 * px + r01 * py + r02 * pz + tx;
    positions[c + 1] = r10 * px + r11 * py + r12 * pz + ty;
    positions[c + 2] = r20 * px + r21 * py + r22 * pz + tz;
    if (!normals || !restNormals) continue;
    const nx = restNormals[c],
      ny = restNormals[c + 1],
      nz = restNormals[c + 2];
    normals[c] = r00 * nx + r01 * ny + r02 * nz;
    normals[c + 1] = r10 * nx + r11 * ny + r12 * nz;
    normals[c + 2] = r20 * nx + r21 * ny + r22 * nz;
  }
}
