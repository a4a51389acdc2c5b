// SPDX-License-Identifier: MIT
// The WebAssembly module: one export per kernel, kernel(args, chunk, thread). args points at one f64 per slot of the kernel's table (kernel.ts): a number, or the
// byte address of an array. The build makes their offsets from the tables: ConvexWeights.removal. Kernels never allocate; memory-pool.ts
// lays out all memory. The thread index only selects scratch memory; no result depends on it.
export { blendMatrices } from '../kernels/skinning/blend-matrices.as';
export { boneErrors } from '../kernels/bones/bone-errors.as';
export { boneProducts } from '../kernels/bones/bone-products.as';
export { boneSweep } from '../kernels/bones/bone-sweep.as';
export { castRays } from '../kernels/search/cast-rays.as';
export { clearBytes } from './clear-bytes.as';
export { convexWeights } from '../kernels/weights/convex-weights.as';
export { ddm } from '../kernels/ddm/ddm.as';
export { exampleDots } from '../kernels/weights/example-dots.as';
export { extrapolateBones } from '../kernels/bones/extrapolate-bones.as';
export { fitBoxes, fitTriangles } from '../kernels/search/fit-bvh.as';
export { frameErrors, vertexErrors } from '../kernels/errors/frame-errors.as';
export { graphBlocks } from '../kernels/sparse/graph-blocks.as';
export { insertionGains } from '../kernels/weights/insertion-gains.as';
export { jointPoses } from '../kernels/skinning/joint-poses.as';
export { jointSystem, rotationProducts, subtreeMoments } from '../kernels/joints/joint-system.as';
export { linearBlend } from '../kernels/skinning/linear-blend.as';
export { multiply } from '../kernels/matrices/multiply.as';
export { nearestPoints } from '../kernels/search/nearest-points.as';
export { nearestRows } from '../kernels/search/nearest-rows.as';
export { normFrames, normSquares, normVertices } from '../kernels/errors/norm-vertices.as';
export { patchBones } from '../kernels/patches/patch-bones.as';
export { patchMeans } from '../kernels/patches/patch-means.as';
export { placeBones } from '../kernels/bones/place-bones.as';
export { expandTargets } from '../kernels/matrices/reduce-rows.as';
export { poseDistances } from '../kernels/errors/pose-distances.as';
export { rotations } from '../kernels/patches/rotations.as';
export { shiftRows } from '../kernels/matrices/shift-rows.as';
export { skinFrames } from '../kernels/skinning/skin-frames.as';
export { addParts, skinMoments } from '../kernels/bones/skin-moments.as';
export { sparseFactor } from '../kernels/sparse/sparse-factor.as';
export { sparsePower } from '../kernels/sparse/sparse-power.as';
export { sparseSolve } from '../kernels/sparse/sparse-solve.as';
export { treeMoments } from '../kernels/joints/tree-moments.as';
export { weightedSweep } from '../kernels/bones/weighted-sweep.as';
