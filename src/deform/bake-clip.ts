// SPDX-License-Identifier: MIT

import type { Animation } from '../model/animation.ts';
import type { Asset } from '../model/asset.ts';
import type { Clip } from '../model/clip.ts';
import { InputError } from '../model/errors.ts';
import { bakeAt, MAX_CLIP_BYTES } from './bake-at.ts';
import { listFrameTimes } from './list-frame-times.ts';

export interface BakeOptions {
  /** Which of the asset's animations, or of its clips where it has any; 0 unless said. */
  animation?: number;
  /** Frames per second; unless said, the rate of the keys when they are steady, else 30. */
  fps?: number;
  /** Frames at the keys' own times (all tracks together) instead of a steady rate. */
  keys?: boolean;
  /** Seconds, inclusive; 0 unless said. */
  start?: number;
  /** Seconds, inclusive; the animation's duration unless said. */
  end?: number;
}

/**
 * Turns what a file says (keys, skins, morph targets) into frames of positions: morphs, then the skin. An asset with nothing
 * that moves gives one frame; an asset that already has clips gives the clip as it is.
 */
export function bakeClip(asset: Asset, options: BakeOptions = {}): Clip {
  const index = options.animation ?? 0;
  const available = asset.clips.length > 0 ? asset.clips.length : asset.animations.length;
  if (options.animation !== undefined && !(Number.isInteger(index) && index >= 0 && index < available)) {
    throw new InputError('bake', `animation ${options.animation} was asked for, and "${asset.name}" has ${available}`);
  }
  if (asset.clips.length > 0) return asset.clips[index];

  const animation: Animation | undefined = asset.animations[index];
  const stride = asset.mesh.positions.length;
  const limit = Math.max(1, Math.floor(MAX_CLIP_BYTES / Math.max(4, stride * 4)));
  const times = animation ? listFrameTimes(animation, options, limit) : Float64Array.of(0);
  return bakeAt(asset, animation, times);
}
