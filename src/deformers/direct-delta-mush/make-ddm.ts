// SPDX-License-Identifier: MIT
// B. H. Le and J. P. Lewis, "Direct Delta Mush Skinning and Variants", ACM Transactions on Graphics 38 (4), 2019, doi:10.1145/3306346.3322982: the
// run-time, variants 0 to 5, in double; the reference for kernels and the GPU. Per vertex, with [Q q; pᵀ 1] = Σⱼ Mⱼ Ωⱼ and ωⱼ = (Ωⱼ)₄₄:
//
//   v0  R = nearest rotation to Q − q pᵀ          v' = R (u − p) + q
//   v1  R = (Q − q pᵀ)⁻ᵀ (P − p pᵀ)               same; close to Delta Mush
//   v2  R = quaternions blended by ω              same, q from the last columns of Ω
//   v3  R = Σ ωⱼ Rⱼ                               same
//   v4  R = quaternions blended by ω              q = Σ ωⱼ Mⱼ p; the form of centers of rotation
//   v5  v' = Σ ωⱼ Mⱼ u                            linear blend
//
// All multi-weights are about the centers p (ddm-patches.ts, also for flat patches). The slides' R = U Vᵀ does not exclude reflections; ours is always a
// proper rotation. If the patch's map is singular, v1 uses v0's rotation.
import { quaternionFromMatrix } from '../../core/math/quaternion.ts';
import { nearestRotationInto } from '../../core/math/rotation.ts';
import { addRowTimesSym4, SYM4_11, SYM4_SIZE, SYM4_X1, SYM4_Y1, SYM4_Z1 } from '../../core/math/sym4.ts';
import {
  checkDirectDeltaMush,
  type DdmVariant,
  type DirectDeltaMush,
} from '../../core/model/deformed/direct-delta-mush.ts';
import { checkPose, lazyRestNormals } from '../linear-blend/index.ts';
import {
  checkRigidBones,
  cofactorsInto,
  type DoubleDeformer,
  listUsedBones,
  rotationFromQuaternionInto,
  turnNormalInto,
} from './ddm-deformer.ts';
import { type DdmPatches, makeDdmPatches } from './ddm-patches.ts';

/**
 * The map of a patch is singular, up to rounding, if its smallest singular value is below this ratio of the sizes of the map and of the patch. Flat
 * patches have 1e-12 at rest (ddm-patches.ts). R has no number above 3 / SINGULAR.
 */
const SINGULAR = 1e-15;

/** Scratch memory for one vertex: the blend, column-major, and the image of the center. */
interface Blend {
  /** 3x4, column-major: Q − q pᵀ for v0 and v1, Σ ω R for v3 and v5; and q */
  moments: Float64Array;
  /** A row of a bone, and the image of p. */
  row: Float64Array;
  rotation: Float64Array;
  cofactors: Float64Array;
}

/**
 * Makes the deformer of a Direct Delta Mush model. Bones of v2 and v4 must be rigid: one with scale, shear or a reflection is an error. Normals are
 * rotated by the vertex's R; for v3 and v5, whose R is not a rotation, transformed by its inverse transpose. The model is kept, not copied.
 * @example
 * ```ts
 * import { makeDdm } from 'ossify/deform';
 *
 * const deformer = makeDdm(ddm);
 * deformer.deformInto({ bones }, positions);
 * ```
 */
export function makeDdm(model: DirectDeltaMush, variant: DdmVariant = model.variant): DoubleDeformer {
  checkDirectDeltaMush({ ...model, variant });
  const { mesh, multiWeights } = model;
  const boneCount = model.skeleton.names.length;
  const vertexCount = mesh.positions.length / 3;
  const patches = makeDdmPatches(model);
  const isQuaternion = variant === 2 || variant === 4;
  const isUsed = listUsedBones(multiWeights.boneIndices, boneCount);
  /** boneCount x 4 */
  const quaternions = new Float64Array(isQuaternion ? boneCount * 4 : 0);
  const blend: Blend = {
    moments: new Float64Array(12),
    row: new Float64Array(4),
    rotation: new Float64Array(9),
    cofactors: new Float64Array(9),
  };
  const turnByCofactors = variant === 3 || variant === 5;
  const restNormalsOf = lazyRestNormals(mesh);
  return {
    isDouble: true,
    vertexCount,
    boneCount,
    deformInto(pose, positions, normals) {
      checkPose('direct delta mush', pose, boneCount);
      if (isQuaternion) {
        const remedy = 'use variant 0, 1, 3 or 5 for bones that are not rigid';
        checkRigidBones(`direct delta mush v${variant}`, pose.bones, isUsed, remedy);
        for (let j = 0; j < boneCount; j++) {
          if (isUsed[j]) quaternionFromMatrix(pose.bones, quaternions, 16 * j, 4 * j);
        }
      }
      const restNormals = restNormalsOf(normals !== undefined);
      const { offsets } = patches;
      const { moments, rotation: r } = blend;
      for (let i = 0; i < vertexCount; i++) {
        if (variant <= 1) blendMoments(model, patches, pose.bones, i, blend);
        else blendWeights(model, patches, pose.bones, i, variant <= 3, blend);
        turnVertex(model, patches, quaternions, i, variant, blend);
        const c = 3 * i;
        const x = offsets[c],
          y = offsets[c + 1],
          z = offsets[c + 2];
        positions[c] = r[0] * x + r[3] * y + r[6] * z + moments[9];
        positions[c + 1] = r[1] * x + r[4] * y + r[7] * z + moments[10];
        positions[c + 2] = r[2] * x + r[5] * y + r[8] * z + moments[11];
        if (!normals || !restNormals) continue;
        if (turnByCofactors) {
          const det = cofactorsInto(r, blend.cofactors);
          turnNormalInto(blend.cofactors, det < 0 ? -1 : 1, restNormals, normals, c);
        } else {
          turnNormalInto(r, 1, restNormals, normals, c);
        }
      }
    },
  };
}

/** Fills Σⱼ Mⱼ T(p) Ω*ⱼ = [Σ Rⱼ Aⱼ + gⱼ bⱼᵀ, Σ Rⱼ bⱼ + ωⱼ gⱼ] with gⱼ = Mⱼ p. */
function blendMoments(model: DirectDeltaMush, patches: DdmPatches, bones: Float64Array, i: number, blend: Blend): void {
  const { rowStart, boneIndices } = model.multiWeights;
  const { centered, centers } = patches;
  const { moments, row: boneRow } = blend;
  moments.fill(0);
  const px = centers[3 * i],
    py = centers[3 * i + 1],
    pz = centers[3 * i + 2];
  for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
    const m = 16 * boneIndices[e];
    for (let row = 0; row < 3; row++) {
      for (let c = 0; c < 3; c++) boneRow[c] = bones[m + 4 * c + row];
      boneRow[3] = boneRow[0] * px + boneRow[1] * py + boneRow[2] * pz + bones[m + 12 + row];
      addRowTimesSym4(boneRow, centered, SYM4_SIZE * e, moments, row);
    }
  }
}

/** Fills [Σ ωⱼ Rⱼ, Σ ωⱼ Mⱼ p], and adds Σ Rⱼ bⱼ to the last column for v2 and v3. */
function blendWeights(
  model: DirectDeltaMush,
  patches: DdmPatches,
  bones: Float64Array,
  i: number,
  isFull: boolean,
  blend: Blend,
): void {
  const { rowStart, boneIndices } = model.multiWeights;
  const { centered, centers } = patches;
  const { moments } = blend;
  moments.fill(0);
  const px = centers[3 * i],
    py = centers[3 * i + 1],
    pz = centers[3 * i + 2];
  for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
    const o = SYM4_SIZE * e;
    const w = centered[o + SYM4_11];
    const x = isFull ? centered[o + SYM4_X1] + w * px : w * px,
      y = isFull ? centered[o + SYM4_Y1] + w * py : w * py,
      z = isFull ? centered[o + SYM4_Z1] + w * pz : w * pz;
    const m = 16 * boneIndices[e];
    for (let row = 0; row < 3; row++) {
      const r0 = bones[m + row],
        r1 = bones[m + 4 + row],
        r2 = bones[m + 8 + row];
      moments[row] += w * r0;
      moments[3 + row] += w * r1;
      moments[6 + row] += w * r2;
      moments[9 + row] += r0 * x + r1 * y + r2 * z + bones[m + 12 + row] * w;
    }
  }
}

/** Maximum absolute value. */
function largestOf(values: Float64Array, offset: number, count: number): number {
  let largest = 0;
  for (let c = offset; c < offset + count; c++) largest = Math.max(largest, Math.abs(values[c]));
  return largest;
}

/** Fills the vertex's R. */
function turnVertex(
  model: DirectDeltaMush,
  patches: DdmPatches,
  quaternions: Float64Array,
  i: number,
  variant: DdmVariant,
  { moments, rotation, cofactors }: Blend,
): void {
  if (variant === 0) {
    nearestRotationInto(moments, rotation);
  } else if (variant === 1) {
    const det = cofactorsInto(moments, cofactors);
    const size = Math.max(largestOf(moments, 0, 9), largestOf(patches.spreads, 6 * i, 6));
    const isRegular = Math.abs(det) > SINGULAR * size * largestOf(cofactors, 0, 9);
    if (isRegular) multiplySpreadInto(cofactors, 1 / det, patches.spreads, 6 * i, rotation);
    else nearestRotationInto(moments, rotation);
  } else if (variant === 2 || variant === 4) {
    const { rowStart, boneIndices } = model.multiWeights;
    blendQuaternionsInto(quaternions, boneIndices, patches.centered, rowStart[i], rowStart[i + 1], rotation);
  } else {
    rotation.set(moments.subarray(0, 9));
  }
}

/** out = scale x m S, S symmetric: xx xy xz yy yz zz. */
function multiplySpreadInto(m: Float64Array, scale: number, s: Float64Array, o: number, out: Float64Array): void {
  for (let row = 0; row < 3; row++) {
    const m0 = scale * m[row],
      m1 = scale * m[3 + row],
      m2 = scale * m[6 + row];
    out[row] = m0 * s[o] + m1 * s[o + 1] + m2 * s[o + 2];
    out[3 + row] = m0 * s[o + 1] + m1 * s[o + 3] + m2 * s[o + 4];
    out[6 + row] = m0 * s[o + 2] + m1 * s[o + 4] + m2 * s[o + 5];
  }
}

/** The rotation of Σ ±ωⱼ qⱼ, each quaternion in the hemisphere of the first and strongest: q and −q are the same rotation. */
function blendQuaternionsInto(
  quaternions: Float64Array,
  boneIndices: Uint32Array,
  omegas: Float64Array,
  start: number,
  end: number,
  rotation: Float64Array,
): void {
  const s = 4 * boneIndices[start];
  let x = 0,
    y = 0,
    z = 0,
    w = 0;
  for (let e = start; e < end; e++) {
    const o = 4 * boneIndices[e];
    const dot =
      quaternions[s] * quaternions[o] +
      quaternions[s + 1] * quaternions[o + 1] +
      quaternions[s + 2] * quaternions[o + 2] +
      quaternions[s + 3] * quaternions[o + 3];
    const weight = dot < 0 ? -omegas[SYM4_SIZE * e + SYM4_11] : omegas[SYM4_SIZE * e + SYM4_11];
    x += weight * quaternions[o];
    y += weight * quaternions[o + 1];
    z += weight * quaternions[o + 2];
    w += weight * quaternions[o + 3];
  }
  rotationFromQuaternionInto(x, y, z, w, rotation);
}
