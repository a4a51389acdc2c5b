// SPDX-License-Identifier: MIT

import { boneErrorsReference } from '../kernels/bones/bone-errors.ts';
import { boneProductsReference } from '../kernels/bones/bone-products.ts';
import { boneSweepReference } from '../kernels/bones/bone-sweep.ts';
import { extrapolateBonesReference } from '../kernels/bones/extrapolate-bones.ts';
import { placeBonesReference } from '../kernels/bones/place-bones.ts';
import { addPartsReference, skinMomentsReference } from '../kernels/bones/skin-moments.ts';
import { weightedSweepReference } from '../kernels/bones/weighted-sweep.ts';
import type { ResidentArray } from '../kernels/compute.ts';
import { ddmReference } from '../kernels/ddm/ddm.ts';
import { frameErrorsReference, vertexErrorsReference } from '../kernels/errors/frame-errors.ts';
import { halfwayErrorsReference, partMomentsReference } from '../kernels/errors/halfway-errors.ts';
import {
  normFramesReference,
  normSquaresReference,
  normVerticesReference,
} from '../kernels/errors/norm-vertices-reference.ts';
import {
  jointSystemReference,
  rotationProductsReference,
  subtreeMomentsReference,
} from '../kernels/joints/joint-system.ts';
import { treeMomentsReference } from '../kernels/joints/tree-moments.ts';
import { multiplyReference } from '../kernels/matrices/multiply.ts';
import { expandTargetsReference } from '../kernels/matrices/reduce-rows.ts';
import { shiftRowsReference } from '../kernels/matrices/shift-rows.ts';
import { patchBonesReference } from '../kernels/patches/patch-bones.ts';
import { patchMeansReference } from '../kernels/patches/patch-means.ts';
import { rotationsReference } from '../kernels/patches/rotations.ts';
import { castRaysReference } from '../kernels/search/cast-rays.ts';
import { fitBoxesReference, fitTrianglesReference } from '../kernels/search/fit-bvh.ts';
import { nearestPointsReference } from '../kernels/search/nearest-points.ts';
import { nearestRowsReference } from '../kernels/search/nearest-rows.ts';
import { blendMatricesReference } from '../kernels/skinning/blend-matrices.ts';
import { jointPosesReference } from '../kernels/skinning/joint-poses.ts';
import { linearBlendReference } from '../kernels/skinning/linear-blend.ts';
import { skinFramesReference } from '../kernels/skinning/skin-frames.ts';
import { graphBlocksReference } from '../kernels/sparse/graph-blocks.ts';
import { sparseFactorReference } from '../kernels/sparse/sparse-factor.ts';
import { sparsePowerReference } from '../kernels/sparse/sparse-power.ts';
import { sparseSolveReference } from '../kernels/sparse/sparse-solve.ts';
import { convexWeightsReference } from '../kernels/weights/convex-weights.ts';
import { exampleDotsReference } from '../kernels/weights/example-dots.ts';
import { insertionGainsReference } from '../kernels/weights/insertion-gains.ts';

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
