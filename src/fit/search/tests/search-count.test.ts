// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { type SearchCountOptions, searchCount } from '../search-count.ts';

/** A search where the error of n is 10 / n, with a record of the calls. */
function search(maxError: number, options: Partial<SearchCountOptions<string>> = {}) {
  const calls: { count: number; from?: number; phase: string }[] = [];
  const found = searchCount<string>({
    ...{ maxError, range: [1, 1000], first: 8, power: 1, close: 1, noun: 'bone', diagonal: 100 },
    solve: async (count, from, phase) => {
      calls.push({ count, from: from?.count, phase });
      return { result: `model ${count}`, max: 10 / count, isStopped: false };
    },
    ...options,
  });
  return found.then((result) => ({ ...result, calls }));
}

describe('searchCount', () => {
  it('finds the smallest number that meets the error, in few trials', async () => {
    for (const wanted of [1, 2, 3, 8, 20, 77]) {
      const { best, status, tried } = await search(10 / wanted + 1e-9);
      expect(best).toMatchObject({ count: wanted, result: `model ${wanted}` });
      expect(status).toBe('converged');
      expect(tried.length).toBeLessThanOrEqual(7);
    }
  });

  it('continues from the largest number that failed', async () => {
    const { calls } = await search(10 / 20 + 1e-9);
    for (const { count, from } of calls.slice(1)) expect(from).toBeLessThan(count);
    expect(calls[0].from).toBeUndefined();
  });

  it('describes the bracket', async () => {
    const { calls } = await search(10 / 20 + 1e-9, { power: 1.3 });
    expect(calls[0].phase).toBe('trying 8');
    expect((await search(6, { first: 1 })).calls[1].phase).toBe('1 bone: too few, trying 2');
    expect(calls[1].phase).toMatch(/^8 bones: too few, trying \d+$/);
    expect(calls.at(-1)!.phase).toMatch(/^\d+ bones: 0\.\d+ %, \d+ bones: too few, trying \d+$/);
  });

  it('ends with a close number, at the largest number, and when it is stopped', async () => {
    const near = await search(0.1, { close: 1.2, power: 0.7 });
    expect(near.best.count).toBeGreaterThanOrEqual(100);
    expect(near.best.count).toBeLessThanOrEqual(120);
    expect(await search(0.1, { range: [1, 50] })).toMatchObject({ status: 'stalled', best: { count: 50 } });
    const flat = await search(0.9, {
      solve: async (count) => ({ result: '', max: Math.max(1, 10 / count), isStopped: false }),
    });
    expect(flat.status).toBe('stalled');
    expect(flat.tried.length).toBeLessThanOrEqual(5);
    const stopped = await search(0.1, {
      solve: async (count) => ({ result: '', max: 10 / count, isStopped: true }),
    });
    expect(stopped).toMatchObject({ status: 'stopped', best: { count: 8 } });
    expect(stopped.tried).toHaveLength(1);
  });
});
