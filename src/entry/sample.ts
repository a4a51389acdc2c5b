// SPDX-License-Identifier: MIT
/**
 * Generated examples with known ground truth.
 *
 * @module ossify/sample
 */
export { type FaceSample, makeFace } from '../samples/make-face.ts';
export { makeSample, SAMPLES } from '../samples/make-sample.ts';
export { makeRigSample, RIG_SAMPLES } from '../samples/rigs/make-rig-sample.ts';
export type { Sample, SampleBody, SampleMorphs, SampleOptions } from '../samples/sample.ts';
