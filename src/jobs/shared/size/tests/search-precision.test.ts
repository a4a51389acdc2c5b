// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import type { SmallPrecision } from '../../../../formats/gltf/small/small-precision.ts';
import { searchPrecision } from '../search-precision.ts';

/** A model of files: squared errors of bones, weights and steps add, and bytes fall with the logarithm of the steps. */
function makeAttempt(bones: number, weights: (steps: number) => number) {
  const tried: SmallPrecision[] = [];
  const attempt = async (precision: SmallPrecision) => {
    tried.push(precision);
    const { positionStep, weightSteps } = precision;
    const error = Math.sqrt(bones ** 2 + weights(weightSteps) ** 2 + 0.2 * positionStep ** 2);
    const length = Math.round(20_000 - 3000 * Math.log2(positionStep) + 2500 * Math.log2(weightSteps));
    const small = { bytes: new Uint8Array(length), order: new Uint32Array(0), parts: undefined as never };
    return { small, error };
  };
  return { attempt, tried };
}

describe('searchPrecision', () => {
  it('meets the limit closely in a few files', async () => {
    const { attempt, tried } = makeAttempt(0.7, () => 0.3);
    const { best, isMet } = await searchPrecision({ goal: { kind: 'rms', limit: 1 }, attempt });
    expect(isMet).toBe(true);
    expect(best.error).toBeLessThanOrEqual(1);
    expect(best.error).toBeGreaterThan(0.97);
    expect(best.precision.weightSteps).toBe(17);
    expect(tried.length).toBeLessThanOrEqual(4);
  });

  it('uses finer weights where coarse ones cannot meet the limit', async () => {
    const { attempt } = makeAttempt(0.7, (steps) => 20 / steps);
    const { best, isMet } = await searchPrecision({ goal: { kind: 'rms', limit: 1 }, attempt });
    expect(isMet).toBe(true);
    expect(best.precision.weightSteps).toBeGreaterThan(17);
  });

  it('returns the file of the smallest error if none meets the limit', async () => {
    const { attempt } = makeAttempt(1.5, (steps) => 1 / steps);
    const { best, isMet, tried } = await searchPrecision({ goal: { kind: 'max', limit: 1 }, attempt });
    expect(isMet).toBe(false);
    expect(best.error).toBe(Math.min(...tried.map(({ error }) => error)));
  });
});
