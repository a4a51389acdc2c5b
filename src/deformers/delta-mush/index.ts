// SPDX-License-Identifier: MIT
export { type DeltaMushOptions, makeDeltaMush } from './delta-mush.ts';
export { powerColumns } from './power-columns.ts';
export { smoothColumns } from './smooth-columns.ts';
export { makeSmoothLaplacian } from './smooth-laplacian.ts';
export { smoothWith } from './smooth-with.ts';
export { makeSmoother, type Smoother, type SmoothMethod } from './smoother.ts';
