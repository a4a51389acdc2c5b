// SPDX-License-Identifier: MIT

import { determinant3 } from '../../core/math/mat4.ts';
import type { Deformer, Pose } from '../../core/model/deformed/deformer.ts';
import { InputError } from '../../core/model/errors.ts';

/** Float32Array or Float64Array: the result is rounded to the type of the array. */
export type FloatArray = Float32Array | Float64Array;

/** A deformer that computes in double precision and can return its result in double. */
export interface DoubleDeformer extends Deformer {
  /** Always true. */
  readonly isDouble: true;
  /** Fills positions with the posed shape and, if given, normals with its unit normals; vertexCount x 3 each. */
  deformInto(pose: Pose, positions: FloatArray, normals?: FloatArray): void;
}

/** Whether a deformer can return its result in double precision. */
export function isDoubleDeformer(deformer: Deformer): deformer is DoubleDeformer {
  return deformer.isDouble === true;
}

/** Tolerance on the elements of MᵀM − I. Float32 files give 1e-6; a scale of one per mille 2e-3. */
const RIGID_TOLERANCE = 1e-3;

/** Throws if a used bone is scaled, sheared or mirrored. */
export function checkRigidBones(who: string, bones: Float64Array, isUsed: Uint8Array, remedy: string): void {
  for (let j = 0; j < isUsed.length; j++) {
    if (!isUsed[j]) continue;
    const o = j * 16;
    let worst = 0;
    for (let p = o; p < o + 12; p += 4) {
      for (let q = p; q < o + 12; q += 4) {
        const dot = bones[p] * bones[q] + bones[p + 1] * bones[q + 1] + bones[p + 2] * bones[q + 2];
        worst = Math.max(worst, Math.abs(dot - (p === q ? 1 : 0)));
      }
    }
    if (!(worst <= RIGID_TOLERANCE && determinant3(bones, o) > 0))
      throw new InputError(who, `bone ${j} is scaled, sheared or mirrored in this pose; ${remedy}`);
  }
}

/** boneCount: 1 for bones that have entries */
export function listUsedBones(boneIndices: Uint32Array, boneCount: number): Uint8Array {
  const isUsed = new Uint8Array(boneCount);
  for (let e = 0; e < boneIndices.length; e++) isUsed[boneIndices[e]] = 1;
  return isUsed;
}

/** The 3x3, column-major, of the quaternion x y z w of any length but zero. */
export function rotationFromQuaternionInto(x: number, y: number, z: number, w: number, r: Float64Array): void {
  const s = 2 / (x * x + y * y + z * z + w * w);
  r[0] = 1 - s * (y * y + z * z);
  r[1] = s * (x * y + w * z);
  r[2] = s * (x * z - w * y);
  r[3] = s * (x * y - w * z);
  r[4] = 1 - s * (x * x + z * z);
  r[5] = s * (y * z + w * x);
  r[6] = s * (x * z + w * y);
  r[7] = s * (y * z - w * x);
  r[8] = 1 - s * (x * x + y * y);
}

/** Cofactors of a 3x3, column-major: det(m) m⁻ᵀ. Returns the determinant. */
export function cofactorsInto(m: Float64Array, out: Float64Array): number {
  out[0] = m[4] * m[8] - m[5] * m[7];
  out[1] = m[5] * m[6] - m[3] * m[8];
  out[2] = m[3] * m[7] - m[4] * m[6];
  out[3] = m[2] * m[7] - m[1] * m[8];
  out[4] = m[0] * m[8] - m[2] * m[6];
  out[5] = m[1] * m[6] - m[0] * m[7];
  out[6] = m[1] * m[5] - m[2] * m[4];
  out[7] = m[2] * m[3] - m[0] * m[5];
  out[8] = m[0] * m[4] - m[1] * m[3];
  return m[0] * out[0] + m[1] * out[1] + m[2] * out[2];
}

/** Fills the unit vector along sign x m n, or n if that vanishes. m is 3x3, column-major. */
export function turnNormalInto(
  m: Float64Array,
  sign: number,
  restNormals: FloatArray,
  normals: FloatArray,
  o: number,
): void {
  const nx = restNormals[o],
    ny = restNormals[o + 1],
    nz = restNormals[o + 2];
  const x = sign * (m[0] * nx + m[3] * ny + m[6] * nz);
  const y = sign * (m[1] * nx + m[4] * ny + m[7] * nz);
  const z = sign * (m[2] * nx + m[5] * ny + m[8] * nz);
  const inv = 1 / Math.sqrt(x * x + y * y + z * z);
  const isDefined = Number.isFinite(inv);
  normals[o] = isDefined ? x * inv : nx;
  normals[o + 1] = isDefined ? y * inv : ny;
  normals[o + 2] = isDefined ? z * inv : nz;
}
