// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { allRead } from '../method.ts';

describe('allRead', () => {
  it('compiles only if no option is left', () => {
    const options = { bones: 4, norm: 2 };
    const { bones, norm, ...rest } = options;
    allRead(rest);
    const { bones: _bones, ...left } = options;
    // @ts-expect-error norm is not read
    allRead(left);
    expect([bones, norm]).toEqual([4, 2]);
  });
});
