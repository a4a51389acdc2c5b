// SPDX-License-Identifier: MIT
// The WebAssembly module: one export per kernel, kernel(args, chunk, thread). args points at one f64 per argument: a number, or the
// byte address of an array. Kernels never allocate; memory-pool.ts
// lays out all memory. The thread index only selects scratch memory; no result depends on it.
export { blendMatrices } from './blend-matrices.as';
export { boneErrors } from './bone-errors.as';
export { boneProducts } from './bone-products.as';
export { boneSweep } from './bone-sweep.as';
export { castRays } from './cast-rays.as';
export { clearBytes } from './clear-bytes.as';
export { convexWeights } from './convex-weights.as';
export { ddm } from './ddm.as';
export { exampleDots } from './example-dots.as';
export { extrapolateBones } from './extrapolate-bones.as';
export { fitBoxes, fitTriangles } from './fit-bvh.as';
export { frameErrors, vertexErrors } from './frame-errors.as';
export { graphBlocks } from './graph-blocks.as';
export { halfwayErrors, partMoments } from './halfway-errors.as';
export { insertionGains } from './insertion-gains.as';
export { jointPoses } from './joint-poses.as';
export { jointSystem, rotationProducts, subtreeMoments } from './joint-system.as';
export { linearBlend } from './linear-blend.as';
export { multiply } from './multiply.as';
export { nearestPoints } from './nearest-points.as';
export { nearestRows } from './nearest-rows.as';
export { normFrames, normSquares, normVertices } from './norm-vertices.as';
export { patchBones } from './patch-bones.as';
export { patchMeans } from './patch-means.as';
export { placeBones } from './place-bones.as';
export { expandTargets } from './reduce-rows.as';
export { rotations } from './rotations.as';
export { shiftRows } from './shift-rows.as';
export { skinFrames } from './skin-frames.as';
export { addParts, skinMoments } from './skin-moments.as';
export { sparseFactor } from './sparse-factor.as';
export { sparsePower } from './sparse-power.as';
export { sparseSolve } from './sparse-solve.as';
export { treeMoments } from './tree-moments.as';
export { weightedSweep } from './weighted-sweep.as';
