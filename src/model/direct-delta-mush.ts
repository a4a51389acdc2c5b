// SPDX-License-Identifier: MIT
import { SYM4_11, SYM4_SIZE } from '../math/sym4.ts';
import { InputError } from './errors.ts';
import type { Mesh } from './mesh.ts';
import type { Skeleton } from './skeleton.ts';
import { WEIGHT_SUM_TOLERANCE } from './skin.ts';

/**
 * Multi-weights of Direct Delta Mush, compressed rows: one row per vertex, falling in their 11 element, which sums to one
 * over a row. The sum of a row is [P p; pᵀ 1]: second and first moments of the patch of the rest surface that moves the vertex.
 */
export interface MultiWeights {
  /** vertexCount + 1: entries of vertex i are rowStart[i] up to rowStart[i + 1] */
  rowStart: Uint32Array;
  /** entryCount bone indices */
  boneIndices: Uint32Array;
  /** entryCount x 10: symmetric 4x4 matrices (math/sym4.ts): second moments in file units squared, first moments in file units, weights */
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
  if (rowStart[0] !== 0 || rowStart[vertexCount] !== entryCount || omegas.length !== entryCount * SYM4_SIZE)
    throw new InputError('multi-weights', 'row starts, bone indices and omegas disagree in number');
  for (let i = 0; i < vertexCount; i++) {
    let sum = 0;
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
      if (boneIndices[e] >= boneCount)
        throw new InputError('multi-weights', `vertex ${i} names bone ${boneIndices[e]} of ${boneCount}`);
      const o = e * SYM4_SIZE;
      for (let c = o; c < o + SYM4_SIZE; c++) {
        if (!Number.isFinite(omegas[c]))
          throw new InputError('multi-weights', `vertex ${i} has a number that is not finite`);
      }
      const weight = omegas[o + SYM4_11];
      if (e > rowStart[i] && weight > omegas[o - SYM4_SIZE + SYM4_11])
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
