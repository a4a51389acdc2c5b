// SPDX-License-Identifier: MIT

export { type FaceSample, makeFace } from './make-face.ts';
export { DRIVEN_SAMPLES, makeSample, SAMPLES } from './make-sample.ts';
export { makeRigClip, makeRigSample, RIG_SAMPLES } from './rigs/make-rig-sample.ts';
export {
  SAMPLE_DEFAULTS,
  SAMPLE_FPS,
  type Sample,
  type SampleBody,
  type SampleMorphs,
  type SampleOptions,
} from './sample.ts';
export { type RemeshedSurface, type RemeshOptions, remeshSurface } from './surfaces/remesh-surface.ts';
export { type ScanOptions, scanSurface } from './surfaces/scan-surface.ts';
