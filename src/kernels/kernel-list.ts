// SPDX-License-Identifier: MIT

import type { ResidentArray } from './compute.ts';
import { linearBlendTwin } from './linear-blend.ts';
import { rotationsTwin } from './rotations.ts';

/** A kernel in TypeScript: the same arguments as the WebAssembly one, arrays as views. */
export type Twin = (args: readonly (ResidentArray | number)[], chunk: number) => void;

/** Every kernel, by the name its WebAssembly twin is exported under (index.as.ts). */
export const TWINS = {
  linearBlend: linearBlendTwin,
  rotations: rotationsTwin,
} satisfies Record<string, Twin>;

export type KernelName = keyof typeof TWINS;

/** Fixed order: workers are told a kernel by its index. */
export const KERNEL_NAMES = Object.keys(TWINS).sort() as KernelName[];
