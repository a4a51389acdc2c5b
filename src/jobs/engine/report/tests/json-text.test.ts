// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonLine, jsonText } from '../json-text.ts';

describe('jsonText', () => {
  it('means what JSON.stringify means, whatever the value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(jsonText(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('writes a list of numbers on one line, and leaves texts that look like one alone', () => {
    expect(jsonText({ a: [1, -2.5e-7, null], b: '[\n 1,\n 2\n]', c: [], d: [{ e: [3] }] }).split('\n')).toEqual([
      '{',
      '  "a": [1, -2.5e-7, null],',
      '  "b": "[\\n 1,\\n 2\\n]",',
      '  "c": [],',
      '  "d": [',
      '    {',
      '      "e": [3]',
      '    }',
      '  ]',
      '}',
    ]);
  });

  it('hands a terminal nothing to act on', () => {
    const text = jsonText({ name: '\u001b[2J\u009b2J\u202eevil\u2028\u007f' });
    expect(text).toBe('{\n  "name": "\\u001b[2J\\u009b2J\\u202eevil\\u2028\\u007f"\n}');
    expect(jsonLine({ name: '\u202e\u200f\n' })).toBe('{"name":"\\u202e\\u200f\\n"}\n');
  });
});
