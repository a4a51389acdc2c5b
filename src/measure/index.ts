// SPDX-License-Identifier: MIT
export { type BetweenOptions, type BetweenReport, measureBetween } from './between/measure-between.ts';
export { type ComparedClip, type CompareOptions, type CompareResult, compare } from './compare.ts';
export { type ErrorReport, type MeasureOptions, measureError } from './error/measure-error.ts';
export { LOCAL_MEASURE_HOST, type MeasureHost, type MeasureRun, shareProgress } from './error/measure-host.ts';
export { measureSource } from './error/measure-source.ts';
export { METRICS, unitOf } from './error/metric-list.ts';
export { quantileOfSorted } from './error/quantile.ts';
export { listVertexMaps, MAP_SIZE, type VertexMaps } from './list-vertex-maps.ts';
export {
  assetFor,
  COMMON_INFLUENCES,
  listOtherPlayers,
  type MeasureForOptions,
  measureFor,
  type Player,
} from './measure-for.ts';
export { type JointDistance, type JointReport, measureJoints, type SharedAnimation } from './measure-joints.ts';
export { measureSpread } from './measure-spread.ts';
export { measureSurfaces } from './measure-surfaces.ts';
export { type MeasureWrittenOptions, measureWritten, type Written } from './measure-written.ts';
export type { MatchedJoints, SkeletonReport } from './rigs/compare-skeletons.ts';
export { measureJointSymmetry } from './rigs/measure-joint-symmetry.ts';
