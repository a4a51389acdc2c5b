// SPDX-License-Identifier: MIT
// Memory of decompositions, measured: peak memory of 3,128 vertices x 1,000 frames, less that of reading them.

import type { InputSize, SolvePlan } from '../../../core/options/method.ts';

/** Bones that a solve is estimated for if their number is found while solving. */
const UNKNOWN_BONES = 64;
/** Bytes per vertex and frame: copies for the solver, and frames of the written file. */
const VERTEX_BYTES = { whole: 84, blocks: 30 };
/** Bytes per bone and frame: matrices of the solver and of the model, and keys of the file. */
const BONE_BYTES = 400;

/**
 * Memory of a solve, bytes.
 * @param bones 0 if the number is found while solving
 */
export function estimateBytes(
  strategy: SolvePlan['strategy'],
  bones: number,
  { vertexCount, frameCount }: InputSize,
): number {
  const boneCount = Math.min(bones || UNKNOWN_BONES, vertexCount);
  return frameCount * (vertexCount * VERTEX_BYTES[strategy] + boneCount * BONE_BYTES);
}

/** The plan of methods that need all frames at once. */
export function planWhole({ bones }: { bones: number }, size: InputSize): SolvePlan {
  return { strategy: 'whole', reads: 'clip', bytes: estimateBytes('whole', bones, size) };
}
