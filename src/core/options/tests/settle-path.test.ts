// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { count, flag, option } from '../option.ts';
import { settlePath } from '../settle-path.ts';
import { defineStep } from '../step.ts';

const bones = defineStep({ name: 'bones', options: { bones: option(count(1), 'number of bones', { default: 8 }) } });
const few = defineStep({ name: 'few', options: { bones: option(count(1), 'number of bones', { default: 2 }) } });
const store = defineStep({ name: 'store', options: { quantize: option(flag, 'fewer bytes') } });

describe('settlePath', () => {
  it('takes defaults from the steps of the path', () => {
    expect(settlePath({ of: 'rigs', steps: [bones, store] }, { command: 'job' })).toEqual({ bones: 8 });
    expect(settlePath({ of: 'shapes', steps: [few] }, { command: 'job' })).toEqual({ bones: 2 });
  });

  it('parses given options', () => {
    expect(settlePath({ of: 'shapes', steps: [few] }, { command: 'job', options: { bones: '5' } })).toEqual({
      bones: 5,
    });
  });

  it('refuses a given option of another path, and ignores a switch of it that is off', () => {
    const path = { of: 'shapes', steps: [few] };
    expect(() => settlePath(path, { command: 'job', options: { quantize: true } })).toThrow('has no effect on shapes');
    expect(settlePath(path, { command: 'job', options: { quantize: false } })).toEqual({ bones: 2 });
  });
});
