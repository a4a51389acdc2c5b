// SPDX-License-Identifier: MIT
export { compressByError } from './compress-by-error.ts';
export { compressDdm } from './compress-ddm.ts';
export { COMPRESS_DEFAULTS, type CompressMaps, type CompressOptions } from './compress-options.ts';
export {
  type CompressCount,
  type CompressResult,
  type DdmCompressor,
  makeDdmCompressor,
} from './make-ddm-compressor.ts';
export { type MeasuredCompressed, measureCompressed } from './measure-compressed.ts';
export { skinOfMultiWeights } from './virtual-bones/skin-of-multi-weights.ts';
