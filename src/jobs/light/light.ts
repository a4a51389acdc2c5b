// SPDX-License-Identifier: MIT

import { makeCompute } from '../../core/compute/make-compute.ts';
import type { Compute } from '../../core/kernels/compute.ts';
import type { Asset } from '../../core/model/asset.ts';
import type { Animation } from '../../core/model/clip/animation.ts';
import { type FrameRange, listFrames } from '../../core/model/clip/select-frames.ts';
import { InputError } from '../../core/model/errors.ts';
import { findMotion, listFrameTimes } from '../../deformers/playback/index.ts';
import { type LightOptions, type LightResult, lightMotions } from '../../methods/light/index.ts';
import { makeLitMotions } from './make-lit-motions.ts';

/** Options of light. */
export interface LightAssetOptions extends LightOptions {
  /** Name or index of the animation to light; the others get the mean light. Default: all. */
  animation?: string;
  /** Frames to light. */
  frames?: FrameRange;
  /** Frames per second at which animations are sampled. Default: the rate of their keys. */
  rate?: number;
  /** Maximum bytes of the times of an animation. */
  maxMemory?: number;
  /** Number of threads; 0: one per core. */
  threads?: number;
  /** Runs the rays; made for this call by default. */
  compute?: Compute;
}

/**
 * Precomputes the light of an animated skin: ambient occlusion, transfer vectors or colours for every frame, as a few components with coefficients for every
 * frame. Write it with writeGlb and content of kind 'light'. Throws an InputError if the asset has no skin, no animation or no triangles.
 * @example
 * ```ts
 * import { light, writeGlb } from 'ossify';
 *
 * const { model, errors } = await light(asset, { kind: 'occlusion', rank: 6 });
 * console.log(`relative error ${errors.at(-1)}`);
 * const glb = await writeGlb(asset, { kind: 'light', model });
 * ```
 */
export async function light(asset: Asset, options: LightAssetOptions = {}): Promise<LightResult> {
  if (!asset.rig) throw new InputError('light', 'the file has no skin to light; decompose its motion first');
  if (asset.mesh.triangles.length === 0) throw new InputError('light', 'the skin has no triangles to light');
  if (asset.animations.length === 0) throw new InputError('light', 'the skin has no animation to light');
  const { threads = 0, animation, frames, rate, maxMemory, ...own } = options;
  const only = animation === undefined ? undefined : findMotion(asset, animation);
  const motions = makeLitMotions(
    asset,
    asset.animations.map((one, n) => (only === undefined || only === n ? listTimes(one) : new Float64Array(0))),
  );
  const compute = own.compute ?? (await makeCompute({ threads }));
  try {
    const found = await lightMotions(compute, asset.mesh, motions, asset.up, own);
    return asset.light?.colors ? { ...found, model: { ...found.model, colors: asset.light.colors } } : found;
  } finally {
    if (!own.compute) compute.dispose();
  }

  function listTimes(one: Animation): Float64Array {
    const times = listFrameTimes(one, { fps: rate, maxMemory });
    return frames ? Float64Array.from(listFrames(times.length, frames), (k) => times[k]) : times;
  }
}
