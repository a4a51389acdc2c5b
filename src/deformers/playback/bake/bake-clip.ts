// SPDX-License-Identifier: MIT

import type { Asset } from '../../../core/model/asset.ts';
import type { Animation } from '../../../core/model/clip/animation.ts';
import type { Clip } from '../../../core/model/clip/clip.ts';
import type { FrameRange } from '../../../core/model/clip/select-frames.ts';
import type { Deformer } from '../../../core/model/deformed/deformer.ts';
import { InputError } from '../../../core/model/errors.ts';
import { listFrameTimes } from '../times/list-frame-times.ts';
import { bakeAt } from './bake-at.ts';

/** Options of bakeClip. */
export interface BakeOptions {
  /** Index of the asset's animation, or of its clip if it has any. Default: 0. */
  animation?: number;
  /** Frames per second. Default: the rate of the keys if they are regular, otherwise 30. */
  fps?: number;
  /** Frames at the times of the keys (of all tracks) instead of a constant rate. */
  keys?: boolean;
  /** First time in seconds, inclusive. Default: 0. */
  start?: number;
  /** Last time in seconds, inclusive. Default: the animation's duration. */
  end?: number;
  /** The frames of an animation to evaluate. Default: all. */
  frames?: FrameRange;
  /** Maximum bytes of the frames. Default: 4 GB. */
  maxMemory?: number;
  /** Default: the one of the file. Clips do not need one. */
  deformer?: Deformer;
}

/**
 * Evaluates an asset (keys, skins, morph targets) to frames of positions: morphs, then the skin. An asset without motion
 * gives one frame; an asset with clips gives its clip unchanged.
 * @example
 * ```ts
 * import { decompose } from 'ossify';
 * import { bakeClip } from 'ossify/deform';
 *
 * // one second of the second animation, at 60 frames per second
 * const baked = bakeClip(asset, { animation: 1, fps: 60, end: 1 });
 * const { model } = await decompose(baked, { bones: 20 });
 * ```
 */
export function bakeClip(asset: Asset, options: BakeOptions = {}): Clip {
  const index = options.animation ?? 0;
  const available = asset.clips.length > 0 ? asset.clips.length : asset.animations.length;
  if (options.animation !== undefined && !(Number.isInteger(index) && index >= 0 && index < available)) {
    throw new InputError('bake', `animation ${options.animation} was asked for, and "${asset.name}" has ${available}`);
  }
  if (asset.clips.length > 0) return asset.clips[index];

  const animation: Animation | undefined = asset.animations[index];
  const bytesPerFrame = 4 * asset.mesh.positions.length;
  const times = animation ? listFrameTimes(animation, { ...options, bytesPerFrame }) : Float64Array.of(0);
  return bakeAt(asset, animation, times, options.deformer);
}
