// SPDX-License-Identifier: MIT

import type { Asset } from '../../core/model/asset.ts';
import type { Motion } from '../../core/model/clip/motion.ts';
import type { DirectDeltaMush } from '../../core/model/deformed/direct-delta-mush.ts';
import { InputError } from '../../core/model/errors.ts';
import type { Skin } from '../../core/model/skin/skin.ts';
import { sampleMotions } from '../../deformers/playback/index.ts';
import { poseAsset, rangesFromLimits } from '../../fit/poses/index.ts';
import {
  type CompressCount,
  type CompressOptions,
  type CompressResult,
  compressByError,
  type DdmCompressor,
  makeDdmCompressor,
  skinOfMultiWeights,
} from '../../methods/compress/index.ts';
import { MUSH_DEFAULTS, type MushOptions, mush } from '../mush/index.ts';

/** Options of compress. */
export interface CompressAssetOptions extends Omit<CompressOptions, 'motions' | 'ranges'> {
  /** As in CompressOptions; 'limits' uses the joint limits of the asset. */
  ranges?: CompressOptions['ranges'] | 'limits';
  /** Maximum vertex error in the animations, file units. Without virtualBones: the fewest that meet it are used. */
  maxError?: number;
  /** Options of Direct Delta Mush, if the asset has none. The variant is 0. */
  mush?: Omit<MushOptions, 'variant' | 'signal' | 'onProgress'>;
}

/** A compressed model, and the Direct Delta Mush it was made from. */
export interface CompressAssetResult extends Omit<CompressResult, 'status'> {
  /** 'stalled': no number of virtual bones meets maxError. */
  status: CompressResult['status'] | 'stalled';
  /** What was compressed. */
  ddm: DirectDeltaMush;
  /** Its smoothed weights, few per vertex: a plain skin for viewers without the extension. */
  skin: Skin;
  /** Numbers that were tried for maxError, with their maximum vertex error, file units. */
  tried: { virtualBones: number; max: number }[];
}

/** Maximum frames of the animations for ranges. */
const MAX_RANGE_FRAMES = 1000;
/** Ratio of the progress for computing Direct Delta Mush. */
const MUSH_PART = 0.1;

/** Options of one run of an AssetCompressor. */
export interface CompressStep {
  /** Number of virtual bones. Default: that of the compressor. */
  virtualBones?: number;
  /** Called often while it solves. */
  onProgress?: CompressOptions['onProgress'];
}

/** Compresses one asset to several numbers of virtual bones. Everything that does not depend on the number is computed once. */
export interface AssetCompressor {
  /** Compresses to a number of virtual bones. */
  compress(step?: CompressStep): Promise<CompressAssetResult>;
}

/**
 * Makes a compressor for one asset. Throws an InputError if the asset has no weights or is compressed already, and a UsageError if options are invalid.
 * @example
 * ```ts
 * import { makeAssetCompressor } from 'ossify';
 *
 * const compressor = await makeAssetCompressor(asset);
 * for (const virtualBones of [100, 200, 500]) {
 *   const { rmseFit } = await compressor.compress({ virtualBones });
 *   console.log(virtualBones, rmseFit);
 * }
 * ```
 */
export async function makeAssetCompressor(asset: Asset, options: CompressAssetOptions = {}): Promise<AssetCompressor> {
  const { maxError, mush: own, onProgress, virtualBones, ...given } = options;
  const ddm =
    asset.ddm ??
    (await makeAssetDdm(asset, {
      ...own,
      signal: options.signal,
      onProgress: onProgress && ((info) => onProgress({ ...info, fraction: MUSH_PART * info.fraction })),
    }));
  const whole = { ...asset, ddm };
  const compressor = makeDdmCompressor(ddm, { ...given, ...listSources(whole, given.ranges, given.examples) });
  const { influences } = options;
  return compressorOf(whole, compressor, { maxError, virtualBones, influences, onProgress });
}

/** An asset with Direct Delta Mush. */
type MushedAsset = Asset & { ddm: DirectDeltaMush };

/** Ranges for the compression, and the motions that they or the examples need. Throws an InputError if the asset cannot be compressed. */
export function listSources(
  asset: MushedAsset,
  wanted: CompressAssetOptions['ranges'],
  examples = 0,
): { ranges: CompressOptions['ranges']; motions: Motion[] } {
  const { variant } = asset.ddm;
  if (variant !== 0)
    throw new InputError(
      'compress',
      `the Direct Delta Mush of the file is variant ${variant}; only 0 can be compressed`,
    );
  const ranges = wanted === 'limits' ? rangesFromLimits(asset) : wanted;
  return { ranges, motions: ranges === 'auto' || examples > 0 ? listMotions(asset, ranges) : [] };
}

/** A compressor of an asset from that of its model: it can search for the number of virtual bones, and makes the plain skin. */
export function compressorOf(
  asset: MushedAsset,
  compressor: DdmCompressor,
  options: Pick<CompressAssetOptions, 'maxError' | 'virtualBones' | 'influences' | 'onProgress'>,
): AssetCompressor {
  const { maxError, influences } = options;
  const { ddm } = asset;
  const { asset: moving } = poseAsset(asset);
  const skin = skinOfMultiWeights(ddm.multiWeights, MUSH_DEFAULTS.influences);
  return {
    async compress({ virtualBones = options.virtualBones, onProgress = options.onProgress } = {}) {
      const step = {
        influences,
        onProgress:
          onProgress && ((info) => onProgress({ ...info, fraction: MUSH_PART + (1 - MUSH_PART) * info.fraction })),
      } satisfies CompressCount;
      if (maxError !== undefined && virtualBones === undefined)
        return { ...(await compressByError(moving, ddm, compressor, maxError, step)), ddm, skin };
      return { ...(await compressor.compress({ ...step, virtualBones })), ddm, skin, tried: [] };
    },
  };
}

/**
 * Compresses an asset into two layers. Throws the same errors as makeAssetCompressor.
 * @example
 * ```ts
 * import { compress, writeGlb } from 'ossify';
 *
 * const { model, skin } = await compress(asset, { virtualBones: 200 });
 * const glb = await writeGlb(asset, { kind: 'two-layer', model, skin });
 * ```
 */
export async function compress(asset: Asset, options: CompressAssetOptions = {}): Promise<CompressAssetResult> {
  return (await makeAssetCompressor(asset, options)).compress();
}

/** Computes Direct Delta Mush of an asset that has none. Throws an InputError if the asset is compressed already. */
export async function makeAssetDdm(asset: Asset, options: MushOptions = {}): Promise<DirectDeltaMush> {
  if (asset.twoLayer)
    throw new InputError('compress', 'the file is compressed already; start from the rig that it was made of');
  return (await mush(asset, { ...options, variant: 0 })).model;
}

function listMotions(asset: Asset, ranges: CompressOptions['ranges']): Motion[] {
  if (asset.animations.length === 0)
    throw new InputError(
      'compress',
      ranges === 'auto'
        ? 'the file has no animation to take ranges of motion from; use the defaults or a file'
        : 'the file has no animation to take examples from; leave them out',
    );
  return sampleMotions(asset, MAX_RANGE_FRAMES);
}
