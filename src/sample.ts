// SPDX-License-Identifier: MIT
/**
 * Generated examples with known ground truth.
 *
 * @example Decompose a generated walk with its true number of bones.
 * ```ts
 * import { decompose } from 'ossify';
 * import { makeSample } from 'ossify/sample';
 *
 * const sample = makeSample('quadruped', { frames: 48 });
 * const { eRms } = await decompose(sample.clip, { bones: sample.skeleton?.names.length });
 * ```
 *
 * @module ossify/sample
 */
export { makeRigSample, RIG_SAMPLES } from './sample/make-rig-sample.ts';
export { makeSample, SAMPLES } from './sample/make-sample.ts';
export type { Sample, SampleBody, SampleMorphs, SampleOptions } from './sample/sample.ts';
