// SPDX-License-Identifier: MIT
import type { Asset } from '../../../core/model/asset.ts';
import type { Deformer } from '../../../core/model/deformed/deformer.ts';
import { virtualTransformsInto } from '../../two-layer/index.ts';
import { makeAssetDeformer } from '../make-asset-deformer.ts';
import { sampleAnimation } from '../sample-animation.ts';

/**
 * Frames of an asset.
 * @internal
 */
export interface BakedFrames {
  /** frameCount x vertexCount x 3 */
  positions: Float32Array;
  /** frameCount x boneCount x 16, rest to posed; empty where frames of positions play */
  bones: Float64Array;
  /** frameCount x virtualBoneCount x 12: rotation, column-major, and position of the center; empty without two layers */
  virtual: Float64Array;
}

/**
 * The frame times of a motion.
 * @internal
 */
export interface TimedMotion {
  name: string;
  /** frameCount, seconds */
  times: Float64Array;
}

/** The animation of an asset for a motion: the one of its name, else the one at its index; -1 for none. */
function findMotionOf(asset: Asset, motion: TimedMotion, index: number): number {
  const list = asset.clips.length > 0 ? asset.clips : asset.animations;
  const named = list.findIndex(({ name }) => name === motion.name);
  return named >= 0 ? named : index < list.length ? index : list.length - 1;
}

/**
 * Bakes frames of an asset at the times of any motion, a few at a time. Its deformer is made once.
 * @internal
 */
export class FrameBaker {
  readonly #asset: Asset;
  readonly #deformer: Deformer;

  constructor(asset: Asset) {
    this.#asset = asset;
    this.#deformer = makeAssetDeformer(asset);
  }

  /**
   * Bakes frames first … first + count − 1 of a motion.
   * @param index of the motion, for assets that have none of its name
   */
  bake(motion: TimedMotion, index: number, first: number, count: number): BakedFrames {
    const asset = this.#asset;
    const stride = asset.mesh.positions.length;
    const own = findMotionOf(asset, motion, index);
    if (asset.clips.length > 0) {
      const clip = asset.clips[own];
      // clips play frame by frame; after the last frame, that one stays
      const last = clip.times.length - 1;
      const positions = new Float32Array(count * stride);
      for (let k = 0; k < count; k++) {
        const from = Math.min(first + k, last) * stride;
        positions.set(clip.positions.subarray(from, from + stride), k * stride);
      }
      return { positions, bones: new Float64Array(0), virtual: new Float64Array(0) };
    }
    const times = motion.times.subarray(first, first + count);
    const { motion: sampled, morphWeights, corrections } = sampleAnimation(asset, asset.animations[own], times);
    const bones = sampled.matrices;
    const boneStride = bones.length / count;
    const targets = asset.morphs?.targets.length ?? 0;
    const coefficients = corrections.length / count;
    const positions = new Float32Array(count * stride);
    const virtual = new Float64Array(12 * count * this.#virtualCount);
    for (let k = 0; k < count; k++) {
      const pose = {
        bones: bones.subarray(k * boneStride, (k + 1) * boneStride),
        morphs: morphWeights.subarray(k * targets, (k + 1) * targets),
        corrections: corrections.subarray(k * coefficients, (k + 1) * coefficients),
      };
      this.#deformer.deformInto(pose, positions.subarray(k * stride, (k + 1) * stride));
      this.#poseVirtual(pose.bones, virtual.subarray(12 * k * this.#virtualCount));
    }
    return { positions, bones, virtual };
  }

  /**
   * The shape of a pose, without corrections.
   * @param morphs weights of the morph targets; all zero by default
   */
  pose(bones: Float64Array, morphs?: Float32Array): Float32Array {
    const positions = new Float32Array(this.#asset.mesh.positions.length);
    const targets = this.#asset.morphs?.targets.length ?? 0;
    const corrections = new Float32Array(this.#coefficients);
    this.#deformer.deformInto({ bones, morphs: morphs ?? new Float32Array(targets), corrections }, positions);
    return positions;
  }

  /** Number of correction coefficients. */
  get #coefficients(): number {
    return sampleAnimation(this.#asset, undefined, [0]).corrections.length;
  }

  get #virtualCount(): number {
    return (this.#asset.twoLayer?.centers.length ?? 0) / 3;
  }

  #poseVirtual(bones: Float64Array, out: Float64Array): void {
    if (this.#asset.twoLayer) virtualTransformsInto(this.#asset.twoLayer, bones, out);
  }
}
