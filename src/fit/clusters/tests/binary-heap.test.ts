// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BinaryHeap } from '../binary-heap.ts';

describe('BinaryHeap', () => {
  it('returns items in order, also with pushes in between', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.integer(), { nil: undefined })), (calls) => {
        const heap = new BinaryHeap<number>((a, b) => a < b);
        const sorted: number[] = [];
        for (const value of calls) {
          if (value === undefined) {
            expect(heap.pop()).toBe(sorted.shift());
            continue;
          }
          heap.push(value);
          sorted.push(value);
          sorted.sort((a, b) => a - b);
        }
        for (const value of sorted) expect(heap.pop()).toBe(value);
        expect(heap.pop()).toBeUndefined();
      }),
    );
  });
});
