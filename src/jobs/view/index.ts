// SPDX-License-Identifier: MIT
export { compareJob } from './compare-job.ts';
export { makeComparePage } from './compare-page.ts';
export { drawJob } from './draw-job.ts';
export { makeErrorScenes, makeScenes } from './draw-scenes.ts';
export { infoJob } from './info-job.ts';
