// SPDX-License-Identifier: MIT
export type { AutoOptions, AutoResult } from './auto/auto.ts';
export {
  DECOMPOSE_METHOD_NAMES,
  DECOMPOSE_METHODS,
  type DecomposeMethod,
  type DecomposeMethodName,
  type DecomposeMethodOptions,
  decomposeMethodOf,
  findForeignOption,
  listMethodsWith,
  pickMethodOptions,
} from './decompose-methods.ts';
export type { Decomposition } from './decomposition.ts';
export type { FsdOptions, FsdResult } from './fsd/fsd.ts';
export { giveSkeleton, giveWeights } from './given-parts.ts';
export { type BlockChoice, canSolveInBlocks, isLarge } from './large/solve-large.ts';
export { type LsspOptions, type LsspResult, lssp } from './lssp/lssp.ts';
export {
  type BoneGrowth,
  type BoneGrowthOptions,
  type GrownBones,
  type GrowthStart,
  makeBoneGrowth,
} from './make-bone-growth.ts';
export { lowerLargestError } from './shared/lower-largest-error.ts';
export { ESTIMATE_ETA_DEFAULTS, estimateEta, POOR_ETA } from './sma/estimate-eta.ts';
export {
  BONE_RULES,
  clusterTriangles,
  type SmaClusters,
  type SmaOptions,
  type SmaResult,
  settleSmaOptions,
  skinClusters,
} from './sma/sma.ts';
export { type TriangleRotations, triangleRotations } from './sma/triangle-rotations.ts';
export { WEIGHT_RULES } from './sma/vertex-weights.ts';
export { fitGiven, type GivenParts } from './ssdr/fit-given.ts';
export { SSDR_DEFAULTS, type SsdrOptions, type SsdrResult, ssdr, ssdrInBlocks } from './ssdr/ssdr.ts';
