// SPDX-License-Identifier: MIT
export { type CacheAxes, matchCacheAxes, turnCache } from './match-cache-axes.ts';
export { type CacheHeader, checkCachePositions, type PointCache } from './point-cache.ts';
export { MDD_COUNTS_LENGTH, readMddFrameCount, readMddHeader } from './read-mdd.ts';
export { PC2_HEADER_LENGTH, readPc2Header } from './read-pc2.ts';
export { writeMdd } from './write-mdd.ts';
export { type WritePc2Options, writePc2 } from './write-pc2.ts';
