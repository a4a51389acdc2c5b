// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { solveSymmetric3 } from '../solve-symmetric3.ts';

describe('solveSymmetric3', () => {
  it('solves a positive system', () => {
    const out = new Float64Array(4).fill(7);
    // [[4 1 0] [1 3 1] [0 1 2]] (1, 2, 3)
    expect(solveSymmetric3([4, 1, 0, 3, 1, 2], [6, 10, 8], out, 1)).toBe(true);
    expect([...out].map((x) => Math.round(x * 1e12) / 1e12)).toEqual([7, 1, 2, 3]);
  });

  it('does not write where the system is singular', () => {
    const out = new Float64Array(3).fill(7);
    expect(solveSymmetric3([1, 1, 0, 1, 0, 1], [1, 1, 1], out)).toBe(false);
    expect([...out]).toEqual([7, 7, 7]);
  });
});
