// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../../../math/random.ts';
import { farthestPoints } from '../farthest-points.ts';

describe('farthestPoints', () => {
  it('goes to the far end, then to the middle', () => {
    const line = [0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0];
    expect([...farthestPoints(line, 3, { start: 0 })]).toEqual([0, 4, 2]);
  });

  it('breaks ties by index and never names a point twice, even where points coincide', () => {
    expect([...farthestPoints([5, 5, 5, 5, 5, 5, 5, 5, 5], 9, { start: 1 })]).toEqual([1, 0, 2]);
    expect([...farthestPoints([0, 0, 0, 1, 0, 0, -1, 0, 0], 2, { start: 0 })]).toEqual([0, 1]);
  });

  it('covers: each choice is at least as far out as all later ones, and none is farther than the last', () => {
    const random = makeRandom(2);
    const positions = Float32Array.from({ length: 600 }, () => random.next());
    const chosen = farthestPoints(positions, 20, { seed: 3 });
    const distance = (i: number, j: number) =>
      Math.hypot(...[0, 1, 2].map((c) => positions[3 * i + c] - positions[3 * j + c]));
    const gap = (i: number, count: number) => Math.min(...[...chosen.subarray(0, count)].map((j) => distance(i, j)));
    const gaps = [...chosen].slice(1).map((i, n) => gap(i, n + 1));
    for (let n = 1; n < gaps.length; n++) expect(gaps[n]).toBeLessThanOrEqual(gaps[n - 1]);
    for (let i = 0; i < 200; i++) expect(gap(i, 20)).toBeLessThanOrEqual(gaps[18]);
  });

  it('is the same for the same seed, and rejects a start that is no point', () => {
    const positions = Float32Array.from({ length: 300 }, (_, c) => (c * 7919) % 101);
    expect(farthestPoints(positions, 10, { seed: 8 })).toEqual(farthestPoints(positions, 10, { seed: 8 }));
    expect(() => farthestPoints(positions, 10, { start: 100 })).toThrow('start must be one of the 100 points');
    expect(farthestPoints([], 10)).toHaveLength(0);
  });
});
