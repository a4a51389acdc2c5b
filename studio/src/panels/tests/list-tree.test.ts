// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { listTree } from '../list-tree.ts';

describe('listTree', () => {
  it('lists children under their parents, with their depth', () => {
    // 0 - 1 - 3
    //  \- 2      4
    const rows = listTree({ parents: Int32Array.of(-1, 0, 0, 1, -1) });
    expect(rows.map(({ index, depth }) => [index, depth])).toEqual([
      [0, 0],
      [1, 1],
      [3, 2],
      [2, 1],
      [4, 0],
    ]);
  });
});
