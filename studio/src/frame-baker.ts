// SPDX-License-Identifier: MIT
// Frames of an asset on a given clock, a batch at a time: positions, bones and virtual bones.

import { makeAssetDeformer, sampleAnimation, virtualTransformsInto } from '../../src/deform.ts';
import type { Asset, Deformer } from '../../src/index.ts';
import type { MotionView } from './protocol.ts';

export interface BakedBatch {
  positions: Float32Array;
  bones: Float64Array;
  virtual: Float64Array;
}

/** Bytes of positions that travel at once. */
const BATCH_BYTES = 2e6;

export function batchSizeOf(asset: Asset): number {
  return Math.max(1, Math.floor(BATCH_BYTES / Math.max(12, 4 * asset.mesh.positions.length)));
}

/** The animation of an asset that belongs to a motion of the clock: that of its name, else the one in its place; -1 for none. */
export function findMotionOf(asset: Asset, motion: MotionView, index: number): number {
  const list = asset.clips.length > 0 ? asset.clips : asset.animations;
  const named = list.findIndex(({ name }) => name === motion.name);
  return named >= 0 ? named : index < list.length ? index : list.length - 1;
}

export class FrameBaker {
  readonly #asset: Asset;
  readonly #deformer: Deformer;

  constructor(asset: Asset) {
    this.#asset = asset;
    this.#deformer = makeAssetDeformer(asset);
  }

  /** Frames first … first + count − 1 of a motion. */
  bake(motion: MotionView, index: number, first: number, count: number): BakedBatch {
    const asset = this.#asset;
    const stride = asset.mesh.positions.length;
    const own = findMotionOf(asset, motion, index);
    if (asset.clips.length > 0) {
      const clip = asset.clips[own];
      // a clip of as many frames plays frame by frame; of another number, its last frame holds
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

  /** One pose that the page made. */
  pose(bones: Float64Array): Float32Array {
    const positions = new Float32Array(this.#asset.mesh.positions.length);
    const targets = this.#asset.morphs?.targets.length ?? 0;
    const corrections = new Float32Array(this.#coefficients);
    this.#deformer.deformInto({ bones, morphs: new Float32Array(targets), corrections }, positions);
    return positions;
  }

  /** Of a pose that no animation has: none. */
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
