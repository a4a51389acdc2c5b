// SPDX-License-Identifier: MIT
export {
  type BiharmonicOptions,
  type BiharmonicResult,
  boundedBiharmonicWeights,
} from './per-vertex/bounded-biharmonic-weights.ts';
export {
  type ElasticWeights,
  type ElasticWeightsOptions,
  solveElasticWeights,
} from './per-vertex/solve-elastic-weights.ts';
export { type ReduceCageResult, reduceCage } from './reduce-cage.ts';
export { listReducePoses, POSE_SOURCES, type PoseSource } from './reduce-poses.ts';
export {
  checkReduceOptions,
  METHODS_WITH_POSES,
  makeSkinReducer,
  REDUCE_DEFAULTS,
  REDUCE_METHODS,
  REDUCE_PURSUITS,
  type ReduceMethod,
  type ReduceOptions,
  type ReduceResult,
  type SkinReducer,
} from './reduce-skin.ts';
export {
  type BoneLadder,
  type BoneLadderOptions,
  type LadderPoses,
  makeBoneLadder,
} from './two-layer/make-bone-ladder.ts';
export { skinOfLayers } from './two-layer/skin-of-layers.ts';
