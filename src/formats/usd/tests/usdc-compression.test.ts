// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../../core/model/errors.ts';
import { decodeUsdcIntegers, decodeUsdcLongIntegers } from '../syntax/usdc-compression.ts';

/** A block of LZ4: literals, then `length` times the last of them. */
function runOf(literals: number[], length: number): Uint8Array {
  const more = length - 4 - 15;
  const lengths = [...Array(Math.floor(more / 255)).fill(255), more % 255];
  return Uint8Array.from([0, (literals.length << 4) | 15, ...literals, 1, 0, ...lengths]);
}

describe('compressed integers of binary USD', () => {
  it('are read where one difference is that of all, which takes two bits each before LZ4', () => {
    const count = 40_000;
    const block = runOf([3, 0, 0, 0, 0], count / 4 - 1);
    expect(block.length).toBeLessThan(60);
    const values = decodeUsdcIntegers(block, count);
    expect([values[0], values[1], values[count - 1]]).toEqual([3, 6, 3 * count]);
    const long = decodeUsdcLongIntegers(runOf([3, 0, 0, 0, 0, 0, 0, 0, 0], count / 4 - 1), count);
    expect([long[0], long[count - 1]]).toEqual([3, 3 * count]);
  });

  it('are refused before memory is allocated if LZ4 cannot hold them', () => {
    const block = runOf([3, 0, 0, 0, 0], 100);
    for (const decode of [decodeUsdcIntegers, decodeUsdcLongIntegers])
      expect(() => decode(block, 2 ** 40)).toThrow(FormatError);
    expect(() => decodeUsdcIntegers(block, 1000)).toThrow('end before the last of 1000');
  });
});
