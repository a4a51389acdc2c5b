// SPDX-License-Identifier: MIT
export { EXTRACT_DEFAULTS, type ExtractOptions, type ExtractResult, skeleton } from './extract.ts';
export { type OrientedFrames, orientFrames } from './orient-frames.ts';
export { skeletonJob } from './skeleton-job.ts';
