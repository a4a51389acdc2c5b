// SPDX-License-Identifier: MIT
import { InputError } from './errors.ts';

/** How far the weights of a vertex may sum from one. */
export const WEIGHT_SUM_TOLERANCE = 1e-6;

/** Sparse skinning weights, compressed rows: one row per vertex, weights falling within a row, each row summing to one. */
export interface Skin {
  /** vertexCount + 1: entries of vertex i are rowStart[i] up to rowStart[i + 1] */
  rowStart: Uint32Array;
  /** entryCount bone indices */
  boneIndices: Uint32Array;
  /** entryCount, not negative */
  weights: Float32Array;
}

/** Largest number of influences of any vertex. */
export function maxInfluencesOf(skin: Skin): number {
  let most = 0;
  for (let i = 0; i + 1 < skin.rowStart.length; i++) most = Math.max(most, skin.rowStart[i + 1] - skin.rowStart[i]);
  return most;
}

/**
 * Makes a skin from a fixed number of (bone, weight) pairs per vertex. Zero and negative weights are dropped, equal
 * bones of a vertex are added up, rows are sorted (falling weight, then bone) and scaled to sum to one. A row with no
 * positive weight goes to bone fallbackBone.
 * @param boneIndices vertexCount x width
 * @param weights vertexCount x width
 */
export function makeSkin(
  boneIndices: ArrayLike<number>,
  weights: ArrayLike<number>,
  width: number,
  fallbackBone = 0,
): Skin {
  const vertexCount = width === 0 ? 0 : weights.length / width;
  const rowStart = new Uint32Array(vertexCount + 1);
  const bones: number[] = [];
  const values: number[] = [];
  const row: { bone: number; weight: number }[] = [];
  for (let i = 0; i < vertexCount; i++) {
    row.length = 0;
    let sum = 0;
    for (let c = i * width; c < (i + 1) * width; c++) {
      const weight = weights[c];
      if (!(weight > 0)) continue;
      const known = row.find((e) => e.bone === boneIndices[c]);
      if (known) known.weight += weight;
      else row.push({ bone: boneIndices[c], weight });
      sum += weight;
    }
    if (row.length === 0) {
      row.push({ bone: fallbackBone, weight: 1 });
      sum = 1;
    }
    row.sort((a, b) => b.weight - a.weight || a.bone - b.bone);
    for (const e of row) {
      bones.push(e.bone);
      values.push(e.weight / sum);
    }
    rowStart[i + 1] = bones.length;
  }
  return { rowStart, boneIndices: Uint32Array.from(bones), weights: Float32Array.from(values) };
}

/** Throws unless rows are well formed: bones in range, weights not negative, falling, summing to one. */
export function checkSkin(skin: Skin, boneCount: number): void {
  const vertexCount = skin.rowStart.length - 1;
  if (
    skin.rowStart[0] !== 0 ||
    skin.rowStart[vertexCount] !== skin.weights.length ||
    skin.boneIndices.length !== skin.weights.length
  ) {
    throw new InputError('skin', 'row starts, bone indices and weights disagree in number');
  }
  for (let i = 0; i < vertexCount; i++) {
    let sum = 0;
    for (let e = skin.rowStart[i]; e < skin.rowStart[i + 1]; e++) {
      if (skin.boneIndices[e] >= boneCount)
        throw new InputError('skin', `vertex ${i} names bone ${skin.boneIndices[e]} of ${boneCount}`);
      if (!(skin.weights[e] >= 0)) throw new InputError('skin', `vertex ${i} has the weight ${skin.weights[e]}`);
      if (e > skin.rowStart[i] && skin.weights[e] > skin.weights[e - 1])
        throw new InputError('skin', `the weights of vertex ${i} do not fall`);
      sum += skin.weights[e];
    }
    if (!(Math.abs(sum - 1) <= WEIGHT_SUM_TOLERANCE))
      throw new InputError('skin', `the weights of vertex ${i} sum to ${sum}`);
  }
}
