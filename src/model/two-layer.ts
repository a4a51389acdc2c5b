// SPDX-License-Identifier: MIT

import { checkMultiWeights, type MultiWeights } from './direct-delta-mush.ts';
import { InputError } from './errors.ts';
import type { Mesh } from './mesh.ts';
import type { Skeleton } from './skeleton.ts';
import { checkSkin, type Skin } from './skin.ts';

/**
 * A compressed Direct Delta Mush model: multi-weights make the transforms of a few virtual bones from those of the skeleton, and a plain skin
 * blends these to vertices.
 */
export interface TwoLayer {
  kind: 'two-layer';
  mesh: Mesh;
  /** The master bones, which poses move. */
  skeleton: Skeleton;
  /** A row per virtual bone over master bones, about that bone's own center: the 11 elements sum to one, the x1 y1 z1 elements to zero. */
  virtualBones: MultiWeights;
  /** virtualBoneCount x 3: what the rows of virtualBones are about, file units */
  centers: Float64Array;
  /** From virtual bones to vertices. */
  skin: Skin;
}

export function virtualBoneCountOf(model: TwoLayer): number {
  return model.virtualBones.rowStart.length - 1;
}

/** Throws, in one sentence, unless the model's parts fit together. */
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

export interface TwoLayerBytes {
  /** 10 numbers and an index per multi-weight, a row start and a center per virtual bone */
  virtualBones: number;
  /** a number and an index per weight, a row start per vertex */
  skin: number;
  total: number;
}

/** Bytes of a model with numbers and indices of four bytes each, as the paper's Table 2 counts them; the mesh is not counted. */
export function measureTwoLayerBytes(model: TwoLayer): TwoLayerBytes {
  const virtualBones = 44 * model.virtualBones.boneIndices.length + 16 * virtualBoneCountOf(model);
  const skin = 8 * model.skin.weights.length + 4 * (model.skin.rowStart.length - 1);
  return { virtualBones, skin, total: virtualBones + skin };
}

/**
 * A plain skin in two layers: virtual bones blend the matrices of master bones, vertices blend one or two virtual bones. The same as a plain skin of the
 * product of both layers, at fewer blends.
 */
export interface LinearTwoLayer {
  kind: 'linear-two-layer';
  mesh: Mesh;
  /** The master bones, which poses move. */
  skeleton: Skeleton;
  /** A row per virtual bone over master bones. */
  virtualBones: Skin;
  /** From virtual bones to vertices. */
  skin: Skin;
}

/** Throws, in one sentence, unless the model's parts fit together. */
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
