// SPDX-License-Identifier: MIT
import type { DirectDeltaMush } from '../model/direct-delta-mush.ts';
import type { CompressOptions } from './compress-options.ts';
import { type CompressResult, makeDdmCompressor } from './make-ddm-compressor.ts';

/** Compresses a Direct Delta Mush model, variant 0, into two layers. Throws on invalid input or options. */
export async function compressDdm(ddm: DirectDeltaMush, options: CompressOptions = {}): Promise<CompressResult> {
  return makeDdmCompressor(ddm, options).compress();
}
