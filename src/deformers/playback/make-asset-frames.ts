// SPDX-License-Identifier: MIT

import type { Asset } from '../../core/model/asset.ts';
import { frameOf } from '../../core/model/clip/clip.ts';
import { findMotion } from './clip-pair.ts';
import { makeAssetDeformer } from './make-asset-deformer.ts';
import { sampleAnimation } from './sample-animation.ts';
import { listFrameTimes } from './times/list-frame-times.ts';

export interface AssetFramesOptions {
  /** A name or an index; by default the first. */
  animation?: string;
  /** Frames per second at which an animation is sampled; by default the rate of its keys. */
  rate?: number;
  keys?: boolean;
  /** Maximum bytes of the times. */
  maxMemory?: number;
}

/** Single frames of an asset, computed on demand: a picture of one frame does not need a whole clip. */
export interface AssetFrames {
  name: string;
  /** frameCount, seconds; one frame if nothing moves */
  times: Float64Array;
  /** Positions of frame k, vertexCount x 3; not to be written */
  frameAt(k: number): Float32Array;
  /** Bones of frame k, boneCount x 16, rest to posed; undefined without a rig, or where frames of positions play instead */
  poseAt(k: number): Float64Array | undefined;
}

export function makeAssetFrames(asset: Asset, options: AssetFramesOptions = {}): AssetFrames {
  const index = options.animation === undefined ? 0 : findMotion(asset, options.animation);
  if (asset.clips.length > 0) {
    const clip = asset.clips[index];
    return { name: clip.name, times: clip.times, frameAt: (k) => frameOf(clip, k), poseAt: () => undefined };
  }
  const animation = asset.animations.at(index);
  const times = animation
    ? listFrameTimes(animation, { fps: options.rate, keys: options.keys, maxMemory: options.maxMemory })
    : Float64Array.of(0);
  const deformer = makeAssetDeformer(asset);
  const sample = (k: number) => sampleAnimation(asset, animation, times.subarray(k, k + 1));
  return {
    name: animation?.name ?? asset.name,
    times,
    frameAt(k) {
      const { motion, morphWeights, corrections } = sample(k);
      const positions = new Float32Array(asset.mesh.positions.length);
      deformer.deformInto({ bones: motion.matrices, morphs: morphWeights, corrections }, positions);
      return positions;
    },
    poseAt: (k) => (asset.rig ? sample(k).motion.matrices : undefined),
  };
}
