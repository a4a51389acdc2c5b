// SPDX-License-Identifier: MIT
export { compressByError } from './compress-by-error.ts';
export { compressDdm } from './compress-ddm.ts';
export { compressMethod } from './compress-method.ts';
export type {
  CompressCount,
  CompressInput,
  CompressMaps,
  CompressOptions,
  CompressResult,
  DdmCompressor,
} from './compressor.ts';
export { makeDdmCompressor } from './make-ddm-compressor.ts';
export { type MeasuredCompressed, measureCompressed } from './measure-compressed.ts';
export { COMPRESS_DEFAULTS, COUNT_OPTIONS, type CompressDefaults, TUNING_OPTIONS } from './options.ts';
export { skinOfMultiWeights } from './virtual-bones/skin-of-multi-weights.ts';
