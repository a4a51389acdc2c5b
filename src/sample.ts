// SPDX-License-Identifier: MIT
/**
 * Generated examples with known ground truth.
 *
 * @module ossify/sample
 */
export { type FaceSample, makeFace } from './sample/make-face.ts';
export { makeRigSample, RIG_SAMPLES } from './sample/make-rig-sample.ts';
export { makeSample, SAMPLES } from './sample/make-sample.ts';
export type { Sample, SampleBody, SampleMorphs, SampleOptions } from './sample/sample.ts';
