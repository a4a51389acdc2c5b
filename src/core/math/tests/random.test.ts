// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../random.ts';

describe('makeRandom', () => {
  it('gives the same numbers for the same seed, and others for another', () => {
    const a = makeRandom(7);
    const b = makeRandom(7);
    const c = makeRandom(8);
    const first = Array.from({ length: 20 }, () => a.next());
    expect(Array.from({ length: 20 }, () => b.next())).toEqual(first);
    expect(Array.from({ length: 20 }, () => c.next())).not.toEqual(first);
  });

  it('spreads evenly over [0, 1) from neighbouring seeds alike', () => {
    for (const seed of [0, 1, 2, 0xffffffff, -1]) {
      const random = makeRandom(seed);
      const bins = new Array<number>(10).fill(0);
      for (let n = 0; n < 10000; n++) {
        bins[Math.floor(10 * random.next())]++;
      }
      expect(bins.length).toBe(10);
      // six standard deviations of a bin of 1000 are 180
      for (const count of bins) expect(Math.abs(count - 1000)).toBeLessThan(180);
    }
  });

  it('gives integers below a count, all of them', () => {
    const random = makeRandom(3);
    const seen = new Set(Array.from({ length: 200 }, () => random.below(6)));
    expect([...seen].sort()).toEqual([0, 1, 2, 3, 4, 5]);
    expect(random.below(1)).toBe(0);
  });

  it('gives normals of mean zero and variance one', () => {
    const random = makeRandom(4);
    let sum = 0;
    let square = 0;
    const count = 20000;
    for (let n = 0; n < count; n++) {
      const x = random.normal();
      sum += x;
      square += x * x;
    }
    expect(Math.abs(sum / count)).toBeLessThan(0.04);
    expect(Math.abs(square / count - 1)).toBeLessThan(0.06);
  });
});
