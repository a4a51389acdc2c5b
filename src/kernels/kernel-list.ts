// SPDX-License-Identifier: MIT

import { blendMatricesTwin } from './blend-matrices.ts';
import { boneErrorsTwin } from './bone-errors.ts';
import { boneProductsTwin } from './bone-products.ts';
import { boneSweepTwin } from './bone-sweep.ts';
import type { ResidentArray } from './compute.ts';
import { convexWeightsTwin } from './convex-weights.ts';
import { ddmTwin } from './ddm.ts';
import { exampleDotsTwin } from './example-dots.ts';
import { insertionGainsTwin } from './insertion-gains.ts';
import { jointPosesTwin } from './joint-poses.ts';
import { linearBlendTwin } from './linear-blend.ts';
import { multiplyTwin } from './multiply.ts';
import { nearestRowsTwin } from './nearest-rows.ts';
import { rotationsTwin } from './rotations.ts';
import { shiftRowsTwin } from './shift-rows.ts';
import { addPartsTwin, skinMomentsTwin } from './skin-moments.ts';
import { sparsePowerTwin } from './sparse-power.ts';
import { sparseSolveTwin } from './sparse-solve.ts';

/** A kernel in TypeScript: the same arguments as the WebAssembly one, arrays as views. */
export type Twin = (args: readonly (ResidentArray | number)[], chunk: number) => void;

/** Every kernel, by the name its WebAssembly twin is exported under (index.as.ts). */
export const TWINS = {
  addParts: addPartsTwin,
  blendMatrices: blendMatricesTwin,
  boneErrors: boneErrorsTwin,
  boneProducts: boneProductsTwin,
  boneSweep: boneSweepTwin,
  convexWeights: convexWeightsTwin,
  ddm: ddmTwin,
  exampleDots: exampleDotsTwin,
  insertionGains: insertionGainsTwin,
  jointPoses: jointPosesTwin,
  linearBlend: linearBlendTwin,
  multiply: multiplyTwin,
  nearestRows: nearestRowsTwin,
  rotations: rotationsTwin,
  shiftRows: shiftRowsTwin,
  skinMoments: skinMomentsTwin,
  sparsePower: sparsePowerTwin,
  sparseSolve: sparseSolveTwin,
} satisfies Record<string, Twin>;

export type KernelName = keyof typeof TWINS;

/** Fixed order: workers are told a kernel by its index. */
export const KERNEL_NAMES = Object.keys(TWINS).sort() as KernelName[];
