// SPDX-License-Identifier: MIT
import { InputError } from './errors.ts';
import type { Mesh } from './mesh.ts';
import type { Skeleton } from './skeleton.ts';
import { WEIGHT_SUM_TOLERANCE } from './skin.ts';

/** Numbers of one multi-weight: the upper triangle of a symmetric 4x4, xx xy xz x1 yy yz y1 zz z1 11. */
export const OMEGA_SIZE = 10;

/** Where the weight itself, the 11 element, stands among the ten. */
export const OMEGA_WEIGHT = 9;

/**
 * Multi-weights of Direct Delta Mush, compressed rows: one row per vertex, falling in their 11 element, which sums to one
 * over a row. The sum of a row is [P p; pᵀ 1]: second and first moments of the patch of the rest surface that moves the vertex.
 */
export interface MultiWeights {
  /** vertexCount + 1: entries of vertex i are rowStart[i] up to rowStart[i + 1] */
  rowStart: Uint32Array;
  /** entryCount bone indices */
  boneIndices: Uint32Array;
  /** entryCount x 10: xx xy xz x1 yy yz y1 zz z1 11, file units squared, file units, and plain */
  omegas: Float64Array;
}

/** Which of the variants of Le & Lewis 2019: 0 is the full one, 1 close to Delta Mush, 4 the form of centers of rotation, 5 linear blend. */
export type DdmVariant = 0 | 1 | 2 | 3 | 4 | 5;

/** What the multi-weights were made with, for the record. */
export interface DdmSettings {
  iterations: number;
  /** Smoothing of rotations; a per-vertex map is recorded by its largest value. */
  lambda: number;
  /** Smoothing of translations. */
  kappa: number;
  alpha: number;
}

export interface DirectDeltaMush {
  kind: 'direct-delta-mush';
  mesh: Mesh;
  skeleton: Skeleton;
  multiWeights: MultiWeights;
  variant: DdmVariant;
  settings: DdmSettings;
}

/** Throws, in one sentence, unless rows are well formed: bones in range, finite numbers, weights falling and summing to one. */
export function checkMultiWeights(multiWeights: MultiWeights, vertexCount: number, boneCount: number): void {
  const { rowStart, boneIndices, omegas } = multiWeights;
  const entryCount = boneIndices.length;
  if (rowStart.length !== vertexCount + 1)
    throw new InputError('multi-weights', `${rowStart.length - 1} rows for ${vertexCount} vertices`);
  if (rowStart[0] !== 0 || rowStart[vertexCount] !== entryCount || omegas.length !== entryCount * OMEGA_SIZE)
    throw new InputError('multi-weights', 'row starts, bone indices and omegas disagree in number');
  for (let i = 0; i < vertexCount; i++) {
    let sum = 0;
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
      if (boneIndices[e] >= boneCount)
        throw new InputError('multi-weights', `vertex ${i} names bone ${boneIndices[e]} of ${boneCount}`);
      const o = e * OMEGA_SIZE;
      for (let c = o; c < o + OMEGA_SIZE; c++) {
        if (!Number.isFinite(omegas[c]))
          throw new InputError('multi-weights', `vertex ${i} has a number that is not finite`);
      }
      const weight = omegas[o + OMEGA_WEIGHT];
      if (e > rowStart[i] && weight > omegas[o - OMEGA_SIZE + OMEGA_WEIGHT])
        throw new InputError('multi-weights', `the weights of vertex ${i} do not fall`);
      sum += weight;
    }
    if (!(Math.abs(sum - 1) <= WEIGHT_SUM_TOLERANCE))
      throw new InputError('multi-weights', `the weights of vertex ${i} sum to ${sum}`);
  }
}

/** Throws, in one sentence, unless the model's parts fit together. */
export function checkDirectDeltaMush(model: DirectDeltaMush): void {
  if (!(Number.isInteger(model.variant) && model.variant >= 0 && model.variant <= 5))
    throw new InputError('direct delta mush', `the variant must be 0 to 5, got ${model.variant}`);
  checkMultiWeights(model.multiWeights, model.mesh.positions.length / 3, model.skeleton.names.length);
}

/** T Ω Tᵀ with T a translation: from coordinates about a point to those in which that point is (x, y, z). In place. */
export function shiftOmega(omegas: Float64Array, o: number, x: number, y: number, z: number): void {
  const bx = omegas[o + 3],
    by = omegas[o + 6],
    bz = omegas[o + 8],
    w = omegas[o + 9];
  omegas[o] += 2 * bx * x + w * x * x;
  omegas[o + 1] += bx * y + by * x + w * x * y;
  omegas[o + 2] += bx * z + bz * x + w * x * z;
  omegas[o + 3] += w * x;
  omegas[o + 4] += 2 * by * y + w * y * y;
  omegas[o + 5] += by * z + bz * y + w * y * z;
  omegas[o + 6] += w * y;
  omegas[o + 7] += 2 * bz * z + w * z * z;
  omegas[o + 8] += w * z;
}
