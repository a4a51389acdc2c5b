// SPDX-License-Identifier: MIT
import type { InputSize, Method, SolvePlan } from '../../core/options/method.ts';
import { checkSkeletonOptions, SKELETON_OPTIONS, type SkeletonValues } from './options.ts';
import type { SkeletonInput } from './skeleton-input.ts';
import type { SkeletonResult } from './skeleton-result.ts';

/** Bones that memory is estimated for if their number is found while solving. */
const UNKNOWN_BONES = 64;
/** Peak memory besides the input, measured with 3,128 vertices x 1,000 frames: copies for the solver and frames of the written file; matrices of the solver and of the model, and keys of the file. */
const BYTES_PER_VERTEX = 60;
const BYTES_PER_BONE = 400;

function plan(
  { bones = UNKNOWN_BONES }: Pick<SkeletonValues, 'bones'>,
  _goal: unknown,
  { vertexCount, frameCount }: InputSize,
): SolvePlan {
  const boneCount = Math.min(bones, vertexCount);
  const bytes = frameCount * (vertexCount * BYTES_PER_VERTEX + boneCount * BYTES_PER_BONE);
  return { strategy: 'whole', reads: 'clip', bytes };
}

/** Skeletons with exactly connected joints. */
export const skeletonMethod = {
  name: 'skeleton',
  summary: 'joints, weights and joint rotations of an animated mesh',
  options: SKELETON_OPTIONS,
  capabilities: { goals: [], keeps: ['skeleton'], noise: true, corrections: false },
  check: checkSkeletonOptions,
  plan,
  load: () => import('./solve.ts'),
} satisfies Method<typeof SKELETON_OPTIONS, SkeletonInput, SkeletonResult>;
