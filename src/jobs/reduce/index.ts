// SPDX-License-Identifier: MIT
export { reduce } from './reduce.ts';
export { type ReduceByErrorResult, reduceByError } from './reduce-by-error.ts';
export { clipOfCage } from './reduce-cage-job.ts';
export { reduceJob } from './reduce-job.ts';
