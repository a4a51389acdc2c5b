// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { mendInfluences, sumsToOne } from '../mend-influences.ts';

describe('mended influences', () => {
  it('sum to one in the steps of their type, and empty ones name joint zero', () => {
    const joints = Uint8Array.of(3, 4, 5, 6, 7, 8, 9, 1);
    const weights = Uint8Array.of(100, 100, 0, 0, 0, 0, 0, 0);
    expect(sumsToOne([{ joints, weights }], 255)).toBe(false);
    const [mended] = mendInfluences([{ joints, weights }], 255);
    expect([...mended]).toEqual([127, 128, 0, 0, 255, 0, 0, 0]);
    expect([...joints]).toEqual([3, 4, 0, 0, 0, 0, 0, 0]);
    expect(sumsToOne([{ joints, weights: mended }], 255)).toBe(true);
  });
});
