// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeTextStyles, wantsStyles } from '../text-styles.ts';

describe('wantsStyles', () => {
  it('styles terminals only, unless the environment decides', () => {
    expect(wantsStyles({}, true)).toBe(true);
    expect(wantsStyles({}, false)).toBe(false);
    expect(wantsStyles({ TERM: 'dumb' }, true)).toBe(false);
    expect(wantsStyles({ NO_COLOR: '1' }, true)).toBe(false);
    expect(wantsStyles({ NO_COLOR: '' }, true)).toBe(true);
    expect(wantsStyles({ FORCE_COLOR: '1' }, false)).toBe(true);
    expect(wantsStyles({ FORCE_COLOR: '0' }, true)).toBe(false);
    expect(makeTextStyles(false).red('x')).toBe('x');
    expect(makeTextStyles(true).red('x')).not.toBe('x');
  });
});
