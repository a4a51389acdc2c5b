// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { resolveUsdPath } from '../compose-usd.ts';
import { spreadWeight } from '../usd-skeleton.ts';

describe('resolveUsdPath', () => {
  it('stays in the folder of the stage', () => {
    expect(resolveUsdPath('a/b.usda', './c/../d.usd')).toBe('a/d.usd');
    expect(resolveUsdPath('a/b.usda', '../d.usd')).toBe('d.usd');
    for (const outside of ['../../d.usd', '/etc/passwd', 'https://example.com/a.usda', 'C:\\a.usd', '..\\..\\a.usd'])
      expect(resolveUsdPath('a/b.usda', outside)).toBeUndefined();
  });
});

describe('spreadWeight', () => {
  it('is piecewise linear through the rest shape and all shapes, and goes on outside', () => {
    const shapes = [{ at: 0.5 }, { at: 1 }];
    expect(spreadWeight(0.25, shapes)).toEqual([0.5, 0]);
    expect(spreadWeight(0.75, shapes)).toEqual([0.5, 0.5]);
    expect(spreadWeight(2, shapes)).toEqual([-2, 3]);
    expect(spreadWeight(-1, shapes)).toEqual([-2, 0]);
  });
});
