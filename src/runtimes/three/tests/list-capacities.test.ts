// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { listCapacities } from '../list-capacities.ts';

describe('listCapacities', () => {
  it('has room for all instances in the last level alone, and four times as many in each further level', () => {
    expect(listCapacities(4, 100_000)).toEqual([256, 1024, 4096, 100_000]);
    expect(listCapacities(1, 100_000)).toEqual([100_000]);
  });

  it('takes the numbers that are given, but for the last level', () => {
    expect(listCapacities(3, 5000, [10])).toEqual([10, 1024, 5000]);
    expect(listCapacities(2, 5000, [10, 20])).toEqual([10, 5000]);
  });

  it('never has more than there are instances', () => {
    expect(listCapacities(4, 300, [1000])).toEqual([300, 300, 300, 300]);
  });
});
