// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { listUnread, refuseUnread } from '../refuse-unread.ts';

describe('refuseUnread', () => {
  const unread = listUnread({ bones: 0, maxError: 0, keepRest: 0 }, ['bones']);

  it('refuses options that are not read, by their flag', () => {
    expect(unread).toEqual(['maxError', 'keepRest']);
    const refuse = () => refuseUnread({ options: { bones: 4, maxError: '1mm' } }, unread, 'has no effect; remove it');
    expect(refuse).toThrow('--max-error: has no effect; remove it');
  });

  it('accepts options that are read, and those that are not given', () => {
    const options = { bones: 4, maxError: undefined, keepRest: false };
    expect(() => refuseUnread({ options }, unread, 'has no effect')).not.toThrow();
    expect(() => refuseUnread({}, unread, 'has no effect')).not.toThrow();
  });
});
