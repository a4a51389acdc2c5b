// SPDX-License-Identifier: MIT

export {
  type AssetCompressor,
  COMPRESS_DEFAULTS,
  type CompressAssetOptions,
  type CompressAssetResult,
  type CompressStep,
  compress,
  makeAssetCompressor,
} from './compress.ts';
export { compressJob } from './compress-job.ts';
