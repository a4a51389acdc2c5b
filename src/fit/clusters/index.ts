// SPDX-License-Identifier: MIT
export { BinaryHeap } from './binary-heap.ts';
export { edgeCollapseClusters } from './edge-collapse-clusters.ts';
export { orderPoints } from './order-points.ts';
export { rigidClusters } from './rigid-clusters.ts';
export { drawByValue, placeBone, RigidPatches } from './rigid-patches.ts';
export { kMeans, spectralClusters } from './spectral-clusters.ts';
