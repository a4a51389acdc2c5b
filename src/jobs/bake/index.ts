// SPDX-License-Identifier: MIT
export { bakeJob } from './bake-job.ts';
export {
  type ChooseDeformerOptions,
  chooseDeformer,
  DEFORMER_NAMES,
  DEFORMER_WEIGHTS,
  type DeformerName,
  type DeformerWeights,
} from './choose-deformer.ts';
export { editJob } from './edit-job.ts';
export { measureAsset } from './measure-baked.ts';
