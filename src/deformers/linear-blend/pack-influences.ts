// SPDX-License-Identifier: MIT
import { InputError } from '../../core/model/errors.ts';
import type { Skin } from '../../core/model/skin/skin.ts';

/**
 * Number of steps in one. Weights are integer multiples of a step, so that their sum is exactly one, in any order: multiples of 2⁻²⁴ are
 * exact in 32-bit floats, and the integer types of glTF are multiples of 1/255 and 1/65535.
 */
export const FLOAT_STEPS = 2 ** 24;

export interface PackedWeights {
  /** Sets of four influences: JOINTS_0 and WEIGHTS_0, JOINTS_1 … each vertexCount x 4 */
  joints: (Uint8Array | Uint16Array)[];
  weights: (Float32Array | Uint16Array)[];
}

/** Packs rows of a skin into sets of four, falling weights, unused places zero on joint zero. */
export function packInfluences(
  skin: Skin,
  boneCount: number,
  vertexStart: number,
  vertexCount: number,
  setCount: number,
): PackedWeights {
  if (boneCount > 65536)
    throw new InputError('writeGlb', `glTF holds at most 65536 joints in a skin, got ${boneCount}`);
  const joints = Array.from({ length: setCount }, () =>
    boneCount <= 256 ? new Uint8Array(vertexCount * 4) : new Uint16Array(vertexCount * 4),
  );
  const weights = Array.from({ length: setCount }, () => new Float32Array(vertexCount * 4));
  const steps = new Float64Array(setCount * 4);
  for (let i = 0; i < vertexCount; i++) {
    const from = skin.rowStart[vertexStart + i];
    const count = skin.rowStart[vertexStart + i + 1] - from;
    for (let e = 0; e < count; e++) {
      const bone = skin.boneIndices[from + e];
      if (bone >= boneCount)
        throw new InputError('writeGlb', `vertex ${vertexStart + i} names bone ${bone} of ${boneCount}`);
      steps[e] = skin.weights[from + e];
    }
    steps.fill(0, count);
    if (!roundToSteps(steps, FLOAT_STEPS))
      throw new InputError('writeGlb', `vertex ${vertexStart + i} has no positive weight`);
    for (let e = 0; e < count; e++) {
      if (steps[e] === 0) continue;
      joints[e >> 2][i * 4 + (e & 3)] = skin.boneIndices[from + e];
      weights[e >> 2][i * 4 + (e & 3)] = steps[e] / FLOAT_STEPS;
    }
  }
  return { joints, weights };
}

/**
 * Converts weights to integers with the sum stepCount, in place: each is rounded, and the remainder is added to the largest (the first of
 * several). Negative weights and NaN count as zero. Returns false if no weight is positive.
 */
export function roundToSteps(weights: Float64Array, stepCount: number): boolean {
  let sum = 0;
  let largest = 0;
  for (let e = 0; e < weights.length; e++) {
    if (!(weights[e] > 0)) weights[e] = 0;
    sum += weights[e];
    if (weights[e] > weights[largest]) largest = e;
  }
  if (!(sum > 0) || !Number.isFinite(sum)) return false;
  let rest = stepCount;
  for (let e = 0; e < weights.length; e++) {
    if (e === largest) continue;
    weights[e] = Math.round((weights[e] / sum) * stepCount);
    rest -= weights[e];
  }
  weights[largest] = rest;
  return true;
}
