// SPDX-License-Identifier: MIT
import { InputError } from '../errors.ts';

/** Maximum difference from one of the sum of the weights of a vertex. */
export const WEIGHT_SUM_TOLERANCE = 1e-6;

/** Sparse skinning weights as compressed rows: one row per vertex, weights in descending order, with a sum of one. */
export interface Skin {
  /** vertexCount + 1: entries of vertex i are rowStart[i] up to rowStart[i + 1] */
  rowStart: Uint32Array;
  /** entryCount bone indices */
  boneIndices: Uint32Array;
  /** entryCount, not negative */
  weights: Float32Array;
}

/** Maximum number of influences per vertex. */
export function maxInfluencesOf(skin: Skin): number {
  let most = 0;
  for (let i = 0; i + 1 < skin.rowStart.length; i++) most = Math.max(most, skin.rowStart[i + 1] - skin.rowStart[i]);
  return most;
}

/** The weights of vertices vertexStart … vertexStart + vertexCount − 1, copied. */
export function sliceSkin({ rowStart, boneIndices, weights }: Skin, vertexStart: number, vertexCount: number): Skin {
  const [from, to] = [rowStart[vertexStart], rowStart[vertexStart + vertexCount]];
  return {
    rowStart: rowStart.slice(vertexStart, vertexStart + vertexCount + 1).map((start) => start - from),
    boneIndices: boneIndices.slice(from, to),
    weights: weights.slice(from, to),
  };
}

/**
 * Makes a skin from a fixed number of (bone, weight) pairs per vertex, such as the JOINTS_0 and WEIGHTS_0 of glTF. Zero and negative weights are
 * dropped, repeated bones of a vertex are added up, and the weights are sorted and scaled to a sum of one.
 * @param boneIndices vertexCount x width
 * @param weights vertexCount x width
 * @param width pairs per vertex
 * @param fallbackBone the bone of vertices without a positive weight
 * @example
 * ```ts
 * import { checkSkin, makeSkin } from 'ossify';
 *
 * // two vertices: one on bone 0, one between bones 0 and 1
 * const two = makeSkin([0, 0, 0, 1], [1, 0, 0.25, 0.75], 2);
 * checkSkin(two, 2);
 * ```
 */
export function makeSkin(
  boneIndices: ArrayLike<number>,
  weights: ArrayLike<number>,
  width: number,
  fallbackBone = 0,
): Skin {
  const vertexCount = width === 0 ? 0 : weights.length / width;
  const builder = new SkinBuilder(vertexCount, weights.length);
  for (let i = 0; i < vertexCount; i++) {
    for (let c = i * width; c < (i + 1) * width; c++) builder.add(boneIndices[c], weights[c]);
    builder.endRow(fallbackBone);
  }
  return builder.finish();
}

/**
 * Builds a skin row by row. Zero and negative weights are dropped, repeated bones of a vertex are added up, rows are sorted (descending weight,
 * then bone) and scaled to a sum of one.
 */
export class SkinBuilder {
  readonly #rowStart: Uint32Array;
  readonly #bones: Uint32Array;
  readonly #weights: Float32Array;
  #rowBones = new Uint32Array(16);
  #rowWeights = new Float64Array(16);
  #rows = 0;
  #used = 0;
  #count = 0;
  /** Sum of the row. In an array, so that adding to it allocates no memory. */
  readonly #sum = new Float64Array(1);

  /** @param entryCount maximum total number of weights, at least vertexCount */
  constructor(vertexCount: number, entryCount: number) {
    this.#rowStart = new Uint32Array(vertexCount + 1);
    this.#bones = new Uint32Array(entryCount);
    this.#weights = new Float32Array(entryCount);
  }

  add(bone: number, weight: number): void {
    if (!(weight > 0)) return;
    this.#sum[0] += weight;
    const count = this.#count;
    for (let e = 0; e < count; e++) {
      if (this.#rowBones[e] !== bone) continue;
      this.#rowWeights[e] += weight;
      return;
    }
    if (count === this.#rowBones.length) this.#growRow();
    this.#rowBones[count] = bone;
    this.#rowWeights[count] = weight;
    this.#count++;
  }

  /** Ends the row of a vertex and returns the sum of its weights before scaling. A row without weights gets fallbackBone. */
  endRow(fallbackBone: number): number {
    const [sum] = this.#sum;
    if (this.#count === 0) this.add(fallbackBone, 1);
    this.#sortRow();
    for (let e = 0; e < this.#count; e++) {
      this.#bones[this.#used] = this.#rowBones[e];
      this.#weights[this.#used++] = this.#rowWeights[e] / this.#sum[0];
    }
    this.#rowStart[++this.#rows] = this.#used;
    this.#count = 0;
    this.#sum[0] = 0;
    return sum;
  }

  finish(): Skin {
    return {
      rowStart: this.#rowStart,
      boneIndices: this.#bones.slice(0, this.#used),
      weights: this.#weights.slice(0, this.#used),
    };
  }

  /** Insertion sort, since rows are short. */
  #sortRow(): void {
    const bones = this.#rowBones;
    const weights = this.#rowWeights;
    for (let n = 1; n < this.#count; n++) {
      const bone = bones[n];
      const weight = weights[n];
      let e = n - 1;
      for (; e >= 0 && (weights[e] < weight || (weights[e] === weight && bones[e] > bone)); e--) {
        bones[e + 1] = bones[e];
        weights[e + 1] = weights[e];
      }
      bones[e + 1] = bone;
      weights[e + 1] = weight;
    }
  }

  #growRow(): void {
    const bones = new Uint32Array(2 * this.#rowBones.length);
    const weights = new Float64Array(bones.length);
    bones.set(this.#rowBones);
    weights.set(this.#rowWeights);
    this.#rowBones = bones;
    this.#rowWeights = weights;
  }
}

/** Throws an InputError unless rows are well formed: bones in range, weights not negative, in descending order, with a sum of one. */
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
