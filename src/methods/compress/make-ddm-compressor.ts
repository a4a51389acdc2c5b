// SPDX-License-Identifier: MIT
import { makeCompute } from '../../core/compute/make-compute.ts';
import type { DirectDeltaMush } from '../../core/model/deformed/direct-delta-mush.ts';
import { fillDefaults } from '../../core/options/fill-defaults.ts';
import type { CompressOptions, DdmCompressor } from './compressor.ts';
import { COMPRESS_OPTIONS, TUNING_OPTIONS } from './options.ts';
import { ModelCompressor } from './solve.ts';

/**
 * Makes a compressor of a Direct Delta Mush model, variant 0. Throws on invalid input or options.
 * @example
 * ```ts
 * import { makeDdmCompressor } from 'ossify';
 *
 * const compressor = makeDdmCompressor(ddm);
 * const small = await compressor.compress({ virtualBones: 100 });
 * const large = await compressor.compress({ virtualBones: 500 });
 * ```
 */
export function makeDdmCompressor(ddm: DirectDeltaMush, options: CompressOptions = {}): DdmCompressor {
  const { virtualBones, maps, motions, compute, threads, onProgress, signal, ...own } = options;
  const tuning = fillDefaults(TUNING_OPTIONS, own);
  return new ModelCompressor({ ddm, virtualBones, tuning, maps, motions }, fillDefaults(COMPRESS_OPTIONS, own), {
    openCompute: async () => compute?.child() ?? makeCompute({ threads }),
    onProgress,
    signal,
  });
}
