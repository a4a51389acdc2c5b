// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { bindCells } from '../bind-cells.ts';
import type { PointBinding } from '../bind-points.ts';

/** A strip of squares of width h along x, from 0 to 1; the weight of bone 0 falls linearly from one to zero. */
function makeStrip(count: number): { smooth: PointBinding; positions: number[]; triangles: Uint32Array } {
  const positions: number[] = [];
  const triangles: number[] = [];
  for (let n = 0; n <= count; n++) positions.push(n / count, 0, 0, n / count, 1, 0);
  for (let n = 0; n < count; n++) triangles.push(2 * n, 2 * n + 2, 2 * n + 1, 2 * n + 1, 2 * n + 2, 2 * n + 3);
  const rows = Array.from({ length: 2 * count + 2 }, (_, i) => {
    const x = positions[3 * i];
    return x <= 0.5 ? [0, 1 - x, 1, x] : [1, x, 0, 1 - x];
  });
  return {
    smooth: {
      rowStart: Uint32Array.from({ length: rows.length + 1 }, (_, i) => 2 * i),
      boneIndices: Uint32Array.from(rows.flatMap(([a, , b]) => [a, b])),
      weights: Float64Array.from(rows.flatMap(([, a, , b]) => [a, b])),
    },
    positions,
    triangles: Uint32Array.from(triangles),
  };
}

const shareOf = ({ rowStart, boneIndices, weights }: PointBinding, i: number, bone: number): number => {
  for (let e = rowStart[i]; e < rowStart[i + 1]; e++) if (boneIndices[e] === bone) return weights[e];
  return 0;
};

describe('bindCells', () => {
  it('gives each bone half of a strip, wherever the edges are', () => {
    for (const count of [3, 4, 7]) {
      const { smooth, positions, triangles } = makeStrip(count);
      const binding = bindCells(smooth, positions, triangles);
      // the area of bone 0 and its first moment, from the cells
      let [area, moment] = [0, 0];
      for (let i = 0; i < positions.length / 3; i++) {
        let own = 0;
        for (let t = 0; t < triangles.length; t++) if (triangles[t] === i) own += 1 / (6 * count);
        area += own * shareOf(binding, i, 0);
        moment += own * shareOf(binding, i, 0) * positions[3 * i];
      }
      expect(area).toBeCloseTo(0.5, 2);
      expect(moment).toBeCloseTo(0.125, 2);
    }
  });

  it('has rows that sum to one, and one bone away from the border', () => {
    const { smooth, positions, triangles } = makeStrip(8);
    const binding = bindCells(smooth, positions, triangles);
    for (let i = 0; i < positions.length / 3; i++) {
      const row = binding.weights.subarray(binding.rowStart[i], binding.rowStart[i + 1]);
      expect(row.reduce((sum, w) => sum + w, 0)).toBeCloseTo(1, 12);
    }
    expect(shareOf(binding, 0, 0)).toBe(1);
    expect(binding.rowStart[1]).toBe(1);
  });

  it('shares places with equal weights, however rounding orders them', () => {
    const { smooth, positions, triangles } = makeStrip(4);
    const tied = smooth.weights.map((_, e) => 0.5 + (e % 3 === 0 ? 1e-7 : -1e-7));
    const binding = bindCells({ ...smooth, weights: tied }, positions, triangles);
    for (let i = 0; i < positions.length / 3; i++) expect(shareOf(binding, i, 0)).toBeCloseTo(0.5, 4);
  });

  it('binds points without triangles to their strongest bone', () => {
    const { smooth, positions } = makeStrip(2);
    const binding = bindCells(smooth, positions, new Uint32Array(0));
    expect([...binding.boneIndices]).toEqual([0, 0, 0, 0, 1, 1]);
  });
});
