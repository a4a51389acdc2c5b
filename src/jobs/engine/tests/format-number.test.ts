// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { formatCount, formatMean } from '../format-number.ts';

describe('numbers of things', () => {
  it('take the singular for one alone, as it is printed', () => {
    expect([0, 1, 2].map((count) => formatCount(count, 'bone'))).toEqual(['0 bones', '1 bone', '2 bones']);
    expect([1, 1.0001, 1.01, 3.999].map((mean) => formatMean(mean, 'entry', 'entries'))).toEqual([
      ...['1 entry', '1 entry', '1.01 entries', '4 entries'],
    ]);
  });
});
