// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { defaultOf, listOptions } from '../job-form.ts';

describe('the options of a job', () => {
  it('are those that differ from their defaults', () => {
    expect(listOptions('decompose', { bones: Number(defaultOf('decompose', 'bones')), influences: 2 })).toEqual({
      influences: 2,
    });
  });
  it('are refused by name if the job does not have them', () => {
    expect(() => listOptions('decompose', { bonez: 3 })).toThrow('decompose has no option "bonez"');
  });
});
