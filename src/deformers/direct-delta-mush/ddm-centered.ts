// SPDX-License-Identifier: MIT
// B. H. Le, K. Villeneuve, C. Gonzalez-Ochoa, "Direct Delta Mush skinning compression with continuous examples", ACM Transactions on Graphics 40 (4),
// 2021, doi:10.1145/3450626.3459779, §5: variant 0 in single precision. Far from the origin Q and q pᵀ are large, and their difference, which
// contains the rotation, is lost in single precision. Multi-weights about p give Q − q pᵀ directly (Eq. 13c); they are computed in
// double and stored in single precision.
//
// We go one step further: since Σ bⱼ = 0 and Σ ωⱼ = 1 about p, the images gⱼ = Mⱼ p are relative to that of the strongest bone, so that a
// translation of all bones is never multiplied by weights:
//   Q* = Σ Rⱼ Aⱼ + (gⱼ − g₀) bⱼᵀ,   q = g₀ + Σ Rⱼ bⱼ + ωⱼ (gⱼ − g₀).
// Every sum and product below is rounded to single, as in kernels and on the GPU, except in the nearest rotation, which is computed in
// double from the rounded matrix.
import { nearestRotationInto } from '../../core/math/rotation.ts';
import {
  SYM4_11,
  SYM4_SIZE,
  SYM4_X1,
  SYM4_XX,
  SYM4_XY,
  SYM4_XZ,
  SYM4_Y1,
  SYM4_YY,
  SYM4_YZ,
  SYM4_Z1,
  SYM4_ZZ,
} from '../../core/math/sym4.ts';
import type { Deformer } from '../../core/model/deformed/deformer.ts';
import { checkDirectDeltaMush, type DirectDeltaMush } from '../../core/model/deformed/direct-delta-mush.ts';
import { checkPose, lazyRestNormals } from '../linear-blend/index.ts';
import { turnNormalInto } from './ddm-deformer.ts';
import { makeDdmPatches } from './ddm-patches.ts';

/** Centered multi-weights in single precision, as a run-time stores them. */
export interface DdmCentered {
  /** vertexCount + 1 */
  rowStart: Uint32Array;
  /** entryCount */
  boneIndices: Uint32Array;
  /** entryCount x 10: symmetric matrices (core/math/sym4.ts) about the vertex's center, thickened where flat (ddm-patches.ts) */
  omegas: Float32Array;
  /** vertexCount x 3: p */
  centers: Float32Array;
  /** vertexCount x 3: rest position minus p */
  offsets: Float32Array;
}

/** Centers a model's multi-weights, in double precision, and rounds them. */
function centerMultiWeights(model: DirectDeltaMush): DdmCentered {
  const { centered, centers, offsets } = makeDdmPatches(model);
  return {
    rowStart: model.multiWeights.rowStart,
    boneIndices: model.multiWeights.boneIndices,
    omegas: Float32Array.from(centered),
    centers: Float32Array.from(centers),
    offsets: Float32Array.from(offsets),
  };
}

/**
 * Variant 0 in single precision, for any variant of the model. The model is kept, not copied.
 * @deprecated Use makeDdm, or createDdmRuntime for single precision. It will be removed after two more minor versions.
 * @example
 * ```ts
 * import { makeDdm, makeDdmCentered } from 'ossify/deform';
 *
 * // the rounding error of a run-time in single precision
 * const exact = makeDdm(ddm, 0);
 * const single = makeDdmCentered(ddm);
 * ```
 */
export function makeDdmCentered(model: DirectDeltaMush): Deformer {
  checkDirectDeltaMush(model);
  const { mesh } = model;
  const vertexCount = mesh.positions.length / 3;
  const boneCount = model.skeleton.names.length;
  const weights = centerMultiWeights(model);
  const bones = new Float32Array(16 * boneCount);
  const matrix = new Float32Array(9);
  const center = new Float32Array(3);
  const rotation = new Float64Array(9);
  const restNormalsOf = lazyRestNormals(mesh);
  return {
    vertexCount,
    boneCount,
    deformInto(pose, positions, normals) {
      checkPose('direct delta mush', pose, boneCount);
      bones.set(pose.bones);
      const restNormals = restNormalsOf(normals !== undefined);
      const { offsets } = weights;
      for (let i = 0; i < vertexCount; i++) {
        blendMoments(weights, bones, i, matrix, center);
        nearestRotationInto(matrix, rotation);
        const c = 3 * i;
        for (let row = 0; row < 3; row++) {
          const turned = dot(
            Math.fround(rotation[row]),
            offsets[c],
            Math.fround(rotation[3 + row]),
            offsets[c + 1],
            Math.fround(rotation[6 + row]),
            offsets[c + 2],
          );
          positions[c + row] = turned + center[row];
        }
        if (normals && restNormals) turnNormalInto(rotation, 1, restNormals, normals, c);
      }
    },
  };
}

function blendMoments(
  weights: DdmCentered,
  bones: Float32Array,
  i: number,
  matrix: Float32Array,
  center: Float32Array,
): void {
  const { rowStart, boneIndices, omegas, centers } = weights;
  const px = centers[3 * i],
    py = centers[3 * i + 1],
    pz = centers[3 * i + 2];
  const first = 16 * boneIndices[rowStart[i]];
  matrix.fill(0);
  for (let row = 0; row < 3; row++) {
    const strongest = imageOf(bones, first, row, px, py, pz);
    // small terms first: the strongest bone's image, which may be large, is added last
    let q = 0;
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
      const o = SYM4_SIZE * e;
      const m = 16 * boneIndices[e];
      const r0 = bones[m + row],
        r1 = bones[m + 4 + row],
        r2 = bones[m + 8 + row];
      const g = Math.fround(imageOf(bones, m, row, px, py, pz) - strongest);
      const bx = omegas[o + SYM4_X1],
        by = omegas[o + SYM4_Y1],
        bz = omegas[o + SYM4_Z1];
      // storing rounds
      matrix[row] += Math.fround(
        dot(r0, omegas[o + SYM4_XX], r1, omegas[o + SYM4_XY], r2, omegas[o + SYM4_XZ]) + Math.fround(g * bx),
      );
      matrix[3 + row] += Math.fround(
        dot(r0, omegas[o + SYM4_XY], r1, omegas[o + SYM4_YY], r2, omegas[o + SYM4_YZ]) + Math.fround(g * by),
      );
      matrix[6 + row] += Math.fround(
        dot(r0, omegas[o + SYM4_XZ], r1, omegas[o + SYM4_YZ], r2, omegas[o + SYM4_ZZ]) + Math.fround(g * bz),
      );
      q = Math.fround(q + Math.fround(dot(r0, bx, r1, by, r2, bz) + Math.fround(g * omegas[o + SYM4_11])));
    }
    center[row] = strongest + q;
  }
}

/** A row of M (p, 1), in single. */
function imageOf(bones: Float32Array, m: number, row: number, x: number, y: number, z: number): number {
  return Math.fround(dot(bones[m + row], x, bones[m + 4 + row], y, bones[m + 8 + row], z) + bones[m + 12 + row]);
}

/** ab + cd + ef, each step rounded to single. */
function dot(a: number, b: number, c: number, d: number, e: number, f: number): number {
  return Math.fround(Math.fround(Math.fround(a * b) + Math.fround(c * d)) + Math.fround(e * f));
}
