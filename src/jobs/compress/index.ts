// SPDX-License-Identifier: MIT

export {
  type AssetCompressor,
  type CompressAssetOptions,
  type CompressAssetResult,
  type CompressStep,
  compress,
  makeAssetCompressor,
} from './compress.ts';
export { compressJob } from './compress-job.ts';
