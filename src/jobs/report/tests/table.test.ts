// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { formatBytes, formatNumber } from '../../engine/format-number.ts';
import { formatTable } from '../table.ts';

describe('formatTable', () => {
  it('aligns columns and rules off the heading', () => {
    const text = formatTable(
      [
        ['name', 'n'],
        ['a', '10'],
        ['long', '9'],
      ],
      { align: 'lr', heading: (line) => line.toUpperCase() },
    );
    expect(text).toBe('NAME   N\n----  --\na     10\nlong   9\n');
  });

  it('keeps names out of a file from steering the terminal', () => {
    const text = formatTable([['\u001b[2Jgone\u0007\nnext', 'x']]);
    expect(text).toBe('\ufffd[2Jgone\ufffd next  x\n');
  });
});

describe('formatNumber', () => {
  it.each([
    [0, '0'],
    [1.75, '1.75'],
    [0.000012346, '1.235e-5'],
    [1234567.8, '1234568'],
    [99.99999, '100'],
    [-0.5, '-0.5'],
    [1e-7, '1e-7'],
    [Number.NaN, 'NaN'],
  ])('writes %d as %s', (value, text) => {
    expect(formatNumber(value)).toBe(text);
  });

  it('writes bytes in powers of a thousand', () => {
    expect([12, 999, 1000, 1037268, 2e9].map(formatBytes)).toEqual([
      '12 bytes',
      '999 bytes',
      '1 kB',
      '1.04 MB',
      '2 GB',
    ]);
  });
});
