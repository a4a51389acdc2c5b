// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeSurfaceColors } from '../make-surface-colors.ts';

describe('makeSurfaceColors', () => {
  it('measures the gradients of colours that are linear in the plane', () => {
    const positions = Float64Array.of(0, 0, 5, 2, 0, 5, 2, 1, 5, 0, 1, 5);
    const values = Float64Array.from([0, 1, 2, 3].flatMap((i) => [positions[3 * i], 3 * positions[3 * i + 1], 0.5]));
    const { gradients } = makeSurfaceColors(positions, Uint32Array.of(0, 1, 2, 0, 2, 3), values);
    for (let i = 0; i < 4; i++)
      expect([...gradients.subarray(9 * i, 9 * i + 9)].map((x) => Math.round(1e9 * x) / 1e9 + 0)).toEqual([
        1, 0, 0, 0, 3, 0, 0, 0, 0,
      ]);
  });
});
