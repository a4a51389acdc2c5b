// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../random.ts';
import { cosineOf, powerOf, sineOf } from '../sine.ts';

/** A unit in the last place of numbers from one half to one; the host's own may be off by as much. */
const UNIT = 2 ** -53;
const GOLDEN = 987836238;

describe('sine and cosine', () => {
  it('are those of the host to two units in the last place of one', () => {
    const random = makeRandom(1);
    let worst = 0;
    for (let n = 0; n < 100_000; n++) {
      const x = (2 * random.next() - 1) * 10 ** Math.floor(7 * random.next() - 1);
      worst = Math.max(worst, Math.abs(sineOf(x) - Math.sin(x)), Math.abs(cosineOf(x) - Math.cos(x)));
    }
    expect(worst).toBeLessThan(4 * UNIT);
  });

  it('keep their digits near zero, and are exact where they can be', () => {
    for (const x of [1e-300, 1e-20, 1e-8, 1e-3]) expect(Math.abs(sineOf(x) / Math.sin(x) - 1)).toBeLessThan(4 * UNIT);
    expect([sineOf(0), cosineOf(0)]).toEqual([0, 1]);
    expect(sineOf(Math.PI / 2)).toBe(1);
    expect(Math.abs(sineOf(Math.PI) / 1.2246467991473532e-16 - 1)).toBeLessThan(1e-3);
    expect(Number.isNaN(sineOf(Number.NaN))).toBe(true);
    expect(Number.isNaN(cosineOf(Number.POSITIVE_INFINITY))).toBe(true);
  });

  it('lie on the circle, and are odd and even', () => {
    const random = makeRandom(2);
    for (let n = 0; n < 2000; n++) {
      const x = 200 * random.next() - 100;
      expect(Math.abs(sineOf(x) ** 2 + cosineOf(x) ** 2 - 1)).toBeLessThan(8 * UNIT);
      expect(sineOf(-x)).toBe(-sineOf(x));
      expect(cosineOf(-x)).toBe(cosineOf(x));
    }
  });

  it('are these bits, on every machine', () => {
    let hash = 0;
    const bits = new DataView(new ArrayBuffer(8));
    for (let n = 0; n < 10_000; n++) {
      for (const value of [sineOf(0.37 * n - 1000), cosineOf(0.37 * n - 1000)]) {
        bits.setFloat64(0, value);
        hash = (Math.imul(hash, 31) + bits.getInt32(0) + Math.imul(bits.getInt32(4), 17)) | 0;
      }
    }
    expect(hash).toBe(GOLDEN);
  });
});

describe('powers', () => {
  it('are those of the host to a few units', () => {
    for (const [base, exponent] of [
      [2, 0.5],
      [10, -3.5],
      [0.003, 0.2],
      [7, 0],
      [1, 1e9],
    ])
      expect(Math.abs(powerOf(base, exponent) / base ** exponent - 1)).toBeLessThan(1e-14);
    expect(powerOf(0, 2)).toBe(0);
  });
});
