// SPDX-License-Identifier: MIT
export { checkNorm, type DistanceNorm, NORM_ITERATIONS, refineNorm } from './refine-norm.ts';
