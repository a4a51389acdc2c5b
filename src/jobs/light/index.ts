// SPDX-License-Identifier: MIT

export { type AssetLight, type LightAssetOptions, light } from './light.ts';
export { lightJob } from './light-job.ts';
export { makeLitMotions } from './make-lit-motions.ts';
