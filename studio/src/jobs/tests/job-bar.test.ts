// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { JobBar } from '../job-bar.ts';

describe('the bar of a job', () => {
  it('covers reading, solving, writing, measuring and comparing, and never moves back', () => {
    const fractions: number[] = [];
    const bar = new JobBar(({ fraction }) => fractions.push(fraction));
    for (const [phase, fraction] of [
      ['read', 0],
      ['bake', 0],
      ['weights', 0.5],
      ['weights', 0.4],
      ['write', 0],
      ['measure', 0],
      ['measure', 0.5],
      ['measure', 1],
    ] as const)
      bar.tell({ phase, fraction });
    bar.compare(0.5);
    bar.compare(1);
    expect(fractions).toEqual([...fractions].sort((a, b) => a - b));
    expect(fractions.at(-1)).toBeCloseTo(1, 9);
    expect(fractions.at(-4)).toBeLessThan(fractions.at(-3)!);
  });
});
