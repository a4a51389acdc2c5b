// SPDX-License-Identifier: MIT
export type { AutoResult } from './auto/auto.ts';
export type { AutoOptions } from './auto/options.ts';
export {
  DECOMPOSE_METHOD_NAMES,
  DECOMPOSE_METHODS,
  type DecomposeMethodName,
  type DecomposeMethodOptions,
  decomposeMethodOf,
  listMethodsWith,
  type MethodValues,
  methodOptionsOf,
} from './decompose-methods.ts';
export type { Decomposition } from './decomposition.ts';
export type { DecomposeInput, DecomposeMethod, LargeClip } from './define-decompose-method.ts';
export type { FsdResult } from './fsd/fsd.ts';
export type { FsdOptions } from './fsd/options.ts';
export { type GivenParts, giveSkeleton, giveWeights } from './given-parts.ts';
export { type LsspResult, lssp } from './lssp/lssp.ts';
export type { LsspOptions } from './lssp/options.ts';
export {
  type BoneGrowth,
  type BoneGrowthOptions,
  type GrownBones,
  type GrowthStart,
  makeBoneGrowth,
} from './make-bone-growth.ts';
export { MODEL_KEYS, SOLVER_KEYS } from './shared/decomposition-options.ts';
export { lowerLargestError } from './shared/lower-largest-error.ts';
export { ESTIMATE_ETA_DEFAULTS, estimateEta, POOR_ETA } from './sma/estimate-eta.ts';
export { type SmaOptions, settleSmaOptions } from './sma/options.ts';
export { clusterTriangles, type SmaClusters, type SmaResult, skinClusters } from './sma/sma.ts';
export { type TriangleRotations, triangleRotations } from './sma/triangle-rotations.ts';
export { fitGiven } from './ssdr/fit-given.ts';
export type { SsdrOptions } from './ssdr/options.ts';
export { type SsdrResult, ssdr } from './ssdr/ssdr.ts';
