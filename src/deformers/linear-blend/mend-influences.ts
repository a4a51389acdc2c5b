// SPDX-License-Identifier: MIT
import { FLOAT_STEPS, roundToSteps } from './pack-influences.ts';

/** Per influence, how far from one the Khronos validator lets 32-bit weights sum. */
const FLOAT_SLACK = 2e-7;

/** JOINTS_n and WEIGHTS_n: vertexCount x 4 each. */
export interface InfluenceSet {
  joints: { [index: number]: number };
  weights: ArrayLike<number>;
}

/** Whether the weights of every vertex sum to one as stored. */
export function sumsToOne(sets: readonly InfluenceSet[], stepCount: number): boolean {
  for (let i = 0; i < sets[0].weights.length / 4; i++) {
    let sum = 0;
    let used = 0;
    for (const { weights } of sets) {
      for (let c = i * 4; c < i * 4 + 4; c++) {
        sum += weights[c];
        if (weights[c] > 0) used++;
      }
    }
    const exact = stepCount === FLOAT_STEPS ? Math.abs(sum - 1) <= FLOAT_SLACK * used : sum === stepCount;
    if (!exact || used === 0) return false;
  }
  return true;
}

/**
 * Weights in whole steps that sum to one, by set. A vertex without any weight follows the first joint. Joints are changed in place: an influence that
 * rounding has emptied names joint zero.
 */
export function mendInfluences(
  sets: readonly InfluenceSet[],
  stepCount: number,
): (Float32Array<ArrayBuffer> | Uint8Array<ArrayBuffer> | Uint16Array<ArrayBuffer>)[] {
  const { length } = sets[0].weights;
  const row = new Float64Array(sets.length * 4);
  const outputs = sets.map(() =>
    stepCount === FLOAT_STEPS
      ? new Float32Array(length)
      : stepCount === 255
        ? new Uint8Array(length)
        : new Uint16Array(length),
  );
  for (let i = 0; i < length / 4; i++) {
    sets.forEach(({ weights }, s) => {
      for (let c = 0; c < 4; c++) row[s * 4 + c] = weights[i * 4 + c];
    });
    if (!roundToSteps(row, stepCount)) {
      row[0] = stepCount;
      sets[0].joints[i * 4] = 0;
    }
    outputs.forEach((output, s) => {
      for (let c = 0; c < 4; c++) {
        output[i * 4 + c] = stepCount === FLOAT_STEPS ? row[s * 4 + c] / FLOAT_STEPS : row[s * 4 + c];
        if (row[s * 4 + c] === 0) sets[s].joints[i * 4 + c] = 0;
      }
    });
  }
  return outputs;
}
