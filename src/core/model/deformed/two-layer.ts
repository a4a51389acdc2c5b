// SPDX-License-Identifier: MIT

import { InputError } from '../errors.ts';
import type { Mesh } from '../mesh/mesh.ts';
import type { Skeleton } from '../skin/skeleton.ts';
import { checkSkin, type Skin } from '../skin/skin.ts';
import { checkMultiWeights, type MultiWeights } from './direct-delta-mush.ts';

/**
 * A compressed Direct Delta Mush model: multi-weights compute the transforms of a few virtual bones from those of the skeleton, and a plain skin
 * blends the virtual bones.
 */
export interface TwoLayer {
  /** Discriminator. */
  kind: 'two-layer';
  /** The rest shape. */
  mesh: Mesh;
  /** The master bones, which poses move. */
  skeleton: Skeleton;
  /** A row per virtual bone over master bones, relative to that bone's center: the 11 elements sum to one, the x1 y1 z1 elements to zero. */
  virtualBones: MultiWeights;
  /** virtualBoneCount x 3: the centers of the rows of virtualBones, file units */
  centers: Float64Array;
  /** Weights of virtual bones, by vertex. */
  skin: Skin;
}

/** Number of virtual bones. */
export function virtualBoneCountOf(model: TwoLayer): number {
  return model.virtualBones.rowStart.length - 1;
}

/** Throws an InputError unless the parts of the model match. */
export function checkTwoLayer(model: TwoLayer): void {
  const count = virtualBoneCountOf(model);
  const vertexCount = model.mesh.positions.length / 3;
  checkMultiWeights(model.virtualBones, count, model.skeleton.names.length);
  if (model.centers.length !== 3 * count)
    throw new InputError('two-layer', `${model.centers.length / 3} centers for ${count} virtual bones`);
  if (!model.centers.every(Number.isFinite)) throw new InputError('two-layer', 'a center is not finite');
  if (model.skin.rowStart.length !== vertexCount + 1)
    throw new InputError(
      'two-layer',
      `the skin has ${model.skin.rowStart.length - 1} rows for ${vertexCount} vertices`,
    );
  checkSkin(model.skin, count);
}

/** Size of a two-layer model in bytes. */
export interface TwoLayerBytes {
  /** 10 numbers and an index per multi-weight, a row start and a center per virtual bone */
  virtualBones: number;
  /** a number and an index per weight, a row start per vertex */
  skin: number;
  /** Sum of both. */
  total: number;
}

/** Size of a model with four bytes per number and index, as in the paper's Table 2, without the mesh. */
export function measureTwoLayerBytes(model: TwoLayer): TwoLayerBytes {
  const virtualBones = 44 * model.virtualBones.boneIndices.length + 16 * virtualBoneCountOf(model);
  const skin = 8 * model.skin.weights.length + 4 * (model.skin.rowStart.length - 1);
  return { virtualBones, skin, total: virtualBones + skin };
}

/**
 * A plain skin in two layers: virtual bones blend the matrices of master bones, vertices blend one or two virtual bones. It equals a plain skin with
 * the product of both layers, with fewer blends.
 */
export interface LinearTwoLayer {
  /** Discriminator. */
  kind: 'linear-two-layer';
  /** The rest shape. */
  mesh: Mesh;
  /** The master bones, which poses move. */
  skeleton: Skeleton;
  /** A row per virtual bone over master bones. */
  virtualBones: Skin;
  /** Weights of virtual bones, by vertex. */
  skin: Skin;
}

/** Throws an InputError unless the parts of the model match. */
export function checkLinearTwoLayer(model: LinearTwoLayer): void {
  const vertexCount = model.mesh.positions.length / 3;
  if (model.skin.rowStart.length !== vertexCount + 1)
    throw new InputError(
      'two-layer',
      `the skin has ${model.skin.rowStart.length - 1} rows for ${vertexCount} vertices`,
    );
  checkSkin(model.virtualBones, model.skeleton.names.length);
  checkSkin(model.skin, model.virtualBones.rowStart.length - 1);
}
