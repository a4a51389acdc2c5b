// SPDX-License-Identifier: MIT
export { ASSET_FORMATS, FRAMES_FORMATS } from './asset-formats.ts';
export { describeMissing } from './describe-missing.ts';
export { compareNatural } from './natural-order.ts';
export { type InputFile, type ReadAssetOptions, readAsset } from './read-asset.ts';
export { readMeshSequence } from './read-mesh-sequence.ts';
export { readMotion } from './read-motion.ts';
export { readStreamed } from './read-streamed.ts';
export { sniffFormat } from './sniff-format.ts';
