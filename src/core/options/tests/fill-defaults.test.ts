// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { defaultsOf, fillDefaults } from '../fill-defaults.ts';
import { count, option } from '../option.ts';

const schema = { bones: option(count(1), 'number of bones'), rank: option(count(1), 'rank', { default: 6 }) };

describe('defaultsOf', () => {
  it('has the options with a default only', () => {
    expect(defaultsOf(schema)).toEqual({ rank: 6 });
  });
});

describe('fillDefaults', () => {
  it('keeps what is given, and the default of what is undefined', () => {
    expect(fillDefaults(schema, { bones: 3, rank: undefined })).toEqual({ bones: 3, rank: 6 });
    expect(fillDefaults(schema, { rank: 2 })).toEqual({ rank: 2 });
  });

  it('leaves out what the schema does not have', () => {
    const options = { rank: 2, threads: 4 };
    expect(fillDefaults(schema, options)).toEqual({ rank: 2 });
  });
});
