// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../model/errors.ts';
import { count, flag, option } from '../option.ts';
import { checkPath, defineStep, schemaOf } from '../step.ts';

const bones = defineStep({ name: 'bones', options: { bones: option(count(1), 'number of bones', { default: 4 }) } });
const store = defineStep({ name: 'store', options: { quantize: option(flag, 'store in fewer bytes') } });

describe('schemaOf', () => {
  it('has the options of all steps, in their order', () => {
    expect(Object.keys(schemaOf([store, bones]))).toEqual(['quantize', 'bones']);
  });

  it('refuses two steps with one option', () => {
    expect(() => schemaOf([bones, { name: 'other', options: bones.options }])).toThrow('option bones');
  });
});

describe('checkPath', () => {
  const path = { of: 'morph targets', steps: [bones] };

  it('accepts the options of its steps, and switches that are off', () => {
    expect(() => checkPath(path, { bones: 3, quantize: false })).not.toThrow();
    expect(() => checkPath(path, { bones: 3, quantize: undefined })).not.toThrow();
  });

  it('refuses an option of another step with its flag and a remedy', () => {
    expect(() => checkPath(path, { quantize: true })).toThrow(UsageError);
    expect(() => checkPath(path, { quantize: true })).toThrow('--quantize: has no effect on morph targets; remove it');
  });

  it('gives the remedy of the path if there is one', () => {
    const faults = { quantize: 'is for files of skins; use --bits' };
    expect(() => checkPath({ ...path, faults }, { quantize: true })).toThrow('--quantize: is for files of skins');
  });
});
