// SPDX-License-Identifier: MIT
import type { DirectDeltaMush } from '../../core/model/deformed/direct-delta-mush.ts';
import type { CompressOptions, CompressResult } from './compressor.ts';
import { makeDdmCompressor } from './make-ddm-compressor.ts';

/**
 * Compresses a Direct Delta Mush model, variant 0, into two layers. Throws on invalid input or options.
 * @example
 * ```ts
 * import { compressDdm } from 'ossify';
 * import { makeTwoLayer } from 'ossify/deform';
 *
 * const { model } = await compressDdm(ddm, { virtualBones: 200 });
 * makeTwoLayer(model).deformInto({ bones }, positions);
 * ```
 */
export async function compressDdm(ddm: DirectDeltaMush, options: CompressOptions = {}): Promise<CompressResult> {
  return makeDdmCompressor(ddm, options).compress();
}
