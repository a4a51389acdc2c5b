// SPDX-License-Identifier: MIT
// The door ossify/sample: generated examples with known truth.
export { makeRigSample, RIG_SAMPLES } from './sample/make-rig-sample.ts';
export { makeSample, SAMPLES } from './sample/make-sample.ts';
export type { Sample, SampleOptions } from './sample/sample.ts';
