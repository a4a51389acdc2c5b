// SPDX-License-Identifier: MIT

import { blendMatricesReference } from './blend-matrices.ts';
import { boneErrorsReference } from './bone-errors.ts';
import { boneProductsReference } from './bone-products.ts';
import { boneSweepReference } from './bone-sweep.ts';
import { castRaysReference } from './cast-rays.ts';
import type { ResidentArray } from './compute.ts';
import { convexWeightsReference } from './convex-weights.ts';
import { ddmReference } from './ddm.ts';
import { exampleDotsReference } from './example-dots.ts';
import { extrapolateBonesReference } from './extrapolate-bones.ts';
import { fitBoxesReference, fitTrianglesReference } from './fit-bvh.ts';
import { frameErrorsReference, vertexErrorsReference } from './frame-errors.ts';
import { graphBlocksReference } from './graph-blocks.ts';
import { halfwayErrorsReference, partMomentsReference } from './halfway-errors.ts';
import { insertionGainsReference } from './insertion-gains.ts';
import { jointPosesReference } from './joint-poses.ts';
import { jointSystemReference, rotationProductsReference, subtreeMomentsReference } from './joint-system.ts';
import { linearBlendReference } from './linear-blend.ts';
import { multiplyReference } from './multiply.ts';
import { nearestPointsReference } from './nearest-points.ts';
import { nearestRowsReference } from './nearest-rows.ts';
import { normFramesReference, normSquaresReference, normVerticesReference } from './norm-vertices-reference.ts';
import { patchBonesReference } from './patch-bones.ts';
import { patchMeansReference } from './patch-means.ts';
import { placeBonesReference } from './place-bones.ts';
import { expandTargetsReference } from './reduce-rows.ts';
import { rotationsReference } from './rotations.ts';
import { shiftRowsReference } from './shift-rows.ts';
import { skinFramesReference } from './skin-frames.ts';
import { addPartsReference, skinMomentsReference } from './skin-moments.ts';
import { sparseFactorReference } from './sparse-factor.ts';
import { sparsePowerReference } from './sparse-power.ts';
import { sparseSolveReference } from './sparse-solve.ts';
import { treeMomentsReference } from './tree-moments.ts';
import { weightedSweepReference } from './weighted-sweep.ts';

/** A reference implementation in TypeScript: the arguments of the WebAssembly kernel, arrays as views. */
export type ReferenceKernel = (args: readonly (ResidentArray | number)[], chunk: number) => void;

/** Every kernel, by the name of its WebAssembly export (index.as.ts). */
export const REFERENCE_KERNELS = {
  addParts: addPartsReference,
  blendMatrices: blendMatricesReference,
  boneErrors: boneErrorsReference,
  boneProducts: boneProductsReference,
  boneSweep: boneSweepReference,
  castRays: castRaysReference,
  convexWeights: convexWeightsReference,
  ddm: ddmReference,
  exampleDots: exampleDotsReference,
  expandTargets: expandTargetsReference,
  extrapolateBones: extrapolateBonesReference,
  fitBoxes: fitBoxesReference,
  fitTriangles: fitTrianglesReference,
  frameErrors: frameErrorsReference,
  graphBlocks: graphBlocksReference,
  halfwayErrors: halfwayErrorsReference,
  insertionGains: insertionGainsReference,
  jointPoses: jointPosesReference,
  jointSystem: jointSystemReference,
  linearBlend: linearBlendReference,
  multiply: multiplyReference,
  nearestPoints: nearestPointsReference,
  nearestRows: nearestRowsReference,
  normFrames: normFramesReference,
  normSquares: normSquaresReference,
  normVertices: normVerticesReference,
  partMoments: partMomentsReference,
  patchBones: patchBonesReference,
  patchMeans: patchMeansReference,
  placeBones: placeBonesReference,
  rotationProducts: rotationProductsReference,
  rotations: rotationsReference,
  shiftRows: shiftRowsReference,
  skinFrames: skinFramesReference,
  skinMoments: skinMomentsReference,
  sparseFactor: sparseFactorReference,
  sparsePower: sparsePowerReference,
  sparseSolve: sparseSolveReference,
  subtreeMoments: subtreeMomentsReference,
  treeMoments: treeMomentsReference,
  vertexErrors: vertexErrorsReference,
  weightedSweep: weightedSweepReference,
} satisfies Record<string, ReferenceKernel>;

export type KernelName = keyof typeof REFERENCE_KERNELS;

/** Fixed order: workers identify a kernel by its index. */
export const KERNEL_NAMES = Object.keys(REFERENCE_KERNELS).sort() as KernelName[];
