// SPDX-License-Identifier: MIT

import { makeCompute } from '../../core/compute/make-compute.ts';
import type { Compute } from '../../core/kernels/compute.ts';
import type { Asset } from '../../core/model/asset.ts';
import { type FrameRange, listFrames } from '../../core/model/clip/select-frames.ts';
import { InputError } from '../../core/model/errors.ts';
import type { SolveRun } from '../../core/options/method.ts';
import { findMotion, listFrameTimes } from '../../deformers/playback/index.ts';
import { type PoseRanges, poseAsset } from '../../fit/poses/index.ts';
import {
  type LightOptions,
  type LightResult,
  type LightValues,
  lightMethod,
  lightValuesOf,
} from '../../methods/light/index.ts';
import { makeLitMotions } from './make-lit-motions.ts';
import { makeMeanLight } from './make-mean-light.ts';

/** Which frames are lit. */
interface ChosenFrames {
  /** Name or index of the animation to light; the others get the mean light. Default: all. */
  animation?: string;
  /** Frames to light. */
  frames?: FrameRange;
  /** Frames per second at which animations are sampled. Default: the rate of their keys. */
  rate?: number;
  /** Maximum bytes of the times of an animation. */
  maxMemory?: number;
  /** Ranges of drawn poses, for a skin without animations. */
  ranges?: PoseRanges;
}

/** The light of an asset. */
export interface AssetLight extends LightResult {
  /** Of an asset without animations, whose poses are drawn: the error of the mean colours, relative to the colours in the poses. */
  meanError?: number;
}

/** Options of light. */
export interface LightAssetOptions extends LightOptions, ChosenFrames {
  /** Number of threads; 0: one per core. */
  threads?: number;
  /** Runs the rays; made for this call by default. */
  compute?: Compute;
}

/**
 * Precomputes the light of an animated skin: ambient occlusion, transfer vectors or colours for every frame, as a few components with coefficients for every
 * frame. Of a skin without animations, the result is the mean light in poses within joint ranges. Write it with writeGlb and content of kind 'light'. Throws an InputError
 * if the asset has no skin or no triangles.
 * @example
 * ```ts
 * import { light, writeGlb } from 'ossify';
 *
 * const { model, errors } = await light(asset, { kind: 'occlusion', rank: 6 });
 * console.log(`relative error ${errors.at(-1)}`);
 * const glb = await writeGlb(asset, { kind: 'light', model });
 * ```
 */
export async function light(asset: Asset, options: LightAssetOptions = {}): Promise<AssetLight> {
  const { threads = 0, signal, onProgress } = options;
  const values = lightValuesOf(options);
  const compute = options.compute ?? (await makeCompute({ threads }));
  try {
    return await lightAsset({ compute, signal, onProgress }, asset, values, options);
  } finally {
    if (!options.compute) compute.dispose();
  }
}

/** Precomputes the light of some frames of an asset. */
export async function lightAsset(
  run: SolveRun,
  asset: Asset,
  values: LightValues,
  chosen: ChosenFrames,
): Promise<AssetLight> {
  if (!asset.rig) throw new InputError('light', 'the file has no skin to light; decompose its motion first');
  if (asset.mesh.triangles.length === 0) throw new InputError('light', 'the skin has no triangles to light');
  lightMethod.check?.(values);
  const isStill = asset.animations.length === 0;
  const moving = isStill ? poseAsset(asset, { ranges: chosen.ranges, seed: values.seed }).asset : asset;
  const times = listTimes(moving, chosen);
  const motions = makeLitMotions(moving, times);
  const frameCount = times.reduce((sum, { length }) => sum + length, 0);
  const plan = lightMethod.plan(values, undefined, { vertexCount: asset.mesh.positions.length / 3, frameCount });
  const { solve } = await lightMethod.load();
  const found = await solve(run, { mesh: asset.mesh, motions, up: asset.up }, values, plan);
  const lit = asset.light?.colors ? { ...found, model: { ...found.model, colors: asset.light.colors } } : found;
  if (!isStill) return lit;
  const { model, relativeError } = makeMeanLight(lit.model, motions, asset.mesh.positions.length / 3);
  return { ...lit, model, meanError: relativeError };
}

/** By animation, the times of its frames; none for animations that are not lit. */
function listTimes(asset: Asset, { animation, frames, rate, maxMemory }: ChosenFrames): Float64Array[] {
  const only = animation === undefined ? undefined : findMotion(asset, animation);
  return asset.animations.map((one, n) => {
    if (only !== undefined && only !== n) return new Float64Array(0);
    const times = listFrameTimes(one, { fps: rate, maxMemory });
    return frames ? Float64Array.from(listFrames(times.length, frames), (k) => times[k]) : times;
  });
}
