// SPDX-License-Identifier: MIT
import type { Method } from '../../core/options/method.ts';
import type { CompressInput, DdmCompressor } from './compressor.ts';
import { COMPRESS_OPTIONS, checkCompressOptions } from './options.ts';

/** Compression of Direct Delta Mush into two layers. Its solver makes a compressor, which is called for each number of virtual bones. */
export const compressMethod: Method<typeof COMPRESS_OPTIONS, CompressInput, DdmCompressor> = {
  name: 'compress',
  summary: 'compress Direct Delta Mush into virtual bones and sparse weights',
  options: COMPRESS_OPTIONS,
  capabilities: { goals: ['max'], keeps: ['skeleton'], noise: false, corrections: false },
  check: checkCompressOptions,
  // a bounded number of frames is evaluated
  plan: () => ({ strategy: 'whole', reads: 'clip', bytes: 0 }),
  load: () => import('./solve.ts'),
};
