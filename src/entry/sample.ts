// SPDX-License-Identifier: MIT
/**
 * Generated examples with known ground truth.
 *
 * @module ossify/sample
 */
export {
  type FaceSample,
  makeFace,
  makeRigSample,
  makeSample,
  RIG_SAMPLES,
  SAMPLES,
  type Sample,
  type SampleBody,
  type SampleMorphs,
  type SampleOptions,
} from '../samples/index.ts';
