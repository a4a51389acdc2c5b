// SPDX-License-Identifier: MIT
export { demoJob } from './demo-job.ts';
export { assetOfSample } from './sample-asset.ts';
export { encodeSample, sampleJob } from './sample-job.ts';
