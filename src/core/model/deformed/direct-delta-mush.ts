// SPDX-License-Identifier: MIT
import { SYM4_11, SYM4_SIZE } from '../../math/sym4.ts';
import { InputError } from '../errors.ts';
import type { Mesh } from '../mesh/mesh.ts';
import type { Skeleton } from '../skin/skeleton.ts';
import { WEIGHT_SUM_TOLERANCE } from '../skin/skin.ts';

/**
 * Multi-weights of Direct Delta Mush as compressed rows: one row per vertex, in descending order of the 11 element, which sums to one
 * over a row. The sum of a row is [P p; pᵀ 1]: second and first moments of the patch of the rest surface that influences the vertex.
 */
export interface MultiWeights {
  /** vertexCount + 1: entries of vertex i are rowStart[i] up to rowStart[i + 1] */
  rowStart: Uint32Array;
  /** entryCount bone indices */
  boneIndices: Uint32Array;
  /** entryCount x 10: symmetric 4x4 matrices (core/math/sym4.ts): second moments in file units squared, first moments in file units, weights */
  omegas: Float64Array;
}

/**
 * A variant of Le & Lewis 2019: 0 is the full method, 1 is close to Delta Mush, 4 has the form of centers of rotation, 5 is linear blend skinning.
 */
export type DdmVariant = 0 | 1 | 2 | 3 | 4 | 5;

/** The settings that the multi-weights were computed with, for information. */
export interface DdmSettings {
  /** Number of smoothing iterations. */
  iterations: number;
  /** Smoothing of rotations; a per-vertex map is recorded by its largest value. */
  lambda: number;
  /** Smoothing of translations. */
  kappa: number;
  /** Blend of translations between those smoothed with lambda (0) and with kappa (1). */
  alpha: number;
}

/** A Direct Delta Mush model (Le & Lewis 2019): delta mush quality at the cost of skinning. */
export interface DirectDeltaMush {
  /** Discriminator. */
  kind: 'direct-delta-mush';
  /** The rest shape. */
  mesh: Mesh;
  /** The bones, which poses move. */
  skeleton: Skeleton;
  /** Precomputed multi-weights of the variant. */
  multiWeights: MultiWeights;
  /** How transforms are computed from the multi-weights. */
  variant: DdmVariant;
  /** The settings that the multi-weights were computed with. */
  settings: DdmSettings;
}

/** Throws an InputError unless rows are well formed: bones in range, finite numbers, weights in descending order with a sum of one. */
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

/** Throws an InputError unless the parts of the model match. */
export function checkDirectDeltaMush(model: DirectDeltaMush): void {
  if (!(Number.isInteger(model.variant) && model.variant >= 0 && model.variant <= 5))
    throw new InputError('direct delta mush', `the variant must be 0 to 5, got ${model.variant}`);
  checkMultiWeights(model.multiWeights, model.mesh.positions.length / 3, model.skeleton.names.length);
}
