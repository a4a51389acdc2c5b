// SPDX-License-Identifier: MIT
export { checkGivenSkeleton } from './check-given-skeleton.ts';
export { DECOMPOSE_DEFAULTS, type DecomposeOptions, type DecomposeResult, decompose } from './decompose.ts';
export { decomposeJob } from './decompose-job.ts';
export { DECOMPOSE_OPTIONS, type DecomposeValues, methodValuesOf } from './decompose-options.ts';
export { makeDecomposePlan, rmsOfErms } from './decompose-plan.ts';
