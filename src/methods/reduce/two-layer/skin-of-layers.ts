// SPDX-License-Identifier: MIT

import type { LinearTwoLayer } from '../../../core/model/deformed/two-layer.ts';
import type { Skin } from '../../../core/model/skin/skin.ts';
import { multiplyRows } from '../objective/multiply-rows.ts';
import type { WeightRows } from '../weight-problem.ts';

/** The product of a two-layer skin as a plain skin, with as many weights per vertex as necessary. */
export function skinOfLayers({ skin, virtualBones, skeleton }: Omit<LinearTwoLayer, 'mesh'>): Skin {
  const { rowStart, columns, values } = multiplyRows(rowsOf(skin), rowsOf(virtualBones), skeleton.names.length);
  return { rowStart, boneIndices: columns, weights: Float32Array.from(values) };
}

function rowsOf({ rowStart, boneIndices, weights }: Skin): WeightRows {
  return { rowStart, columns: boneIndices, values: Float64Array.from(weights) };
}
