// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { formatTree } from '../format-tree.ts';

describe('formatTree', () => {
  it('puts chains on lines, children in order below them', () => {
    const names = ['root', 'spine', 'left', 'right', 'hand'];
    expect(formatTree({ names, parents: [-1, 0, 1, 1, 3] })).toBe('root > spine\n  left\n  right > hand');
  });

  it('takes a joint with very many children, and prints the first lines', () => {
    const count = 200_000;
    const names = Array.from({ length: count }, (_, n) => `j${n}`);
    const parents = names.map((_, n) => (n === 0 ? -1 : 0));
    const lines = formatTree({ names, parents }).split('\n');
    expect(lines.slice(0, 2)).toEqual(['j0', '  j1']);
    expect(lines.at(-1)).toBe(`… and ${count - 60} more chains`);
  });
});
