// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeDecodeBudget } from '../../layout/decode-limit.ts';
import { decodeHelperBone, decodeTerms } from '../decode-helper-bones.ts';
import { packHelperTerms } from '../pack-helper-bones.ts';

const decode = (json: unknown) =>
  decodeHelperBone({ where: 'test', json, nodeCount: 5, budget: makeDecodeBudget(1000) });
const GOOD = {
  version: 1,
  translation: [1, 2, 3],
  inputs: [{ node: 2, parent: 1, rest: [0, 0, 0, 2], reach: 1 }],
  terms: [{ input: 0, powers: [1, 0, 0], translation: [0.05, 0, 0] }],
};

describe('decodeHelperBone', () => {
  it('reads what packHelperTerms writes, and fills in what is absent', () => {
    const { translation, rotation, scale, inputs, order, coefficients } = decode(GOOD);
    expect([translation, rotation, scale]).toEqual([
      [1, 2, 3],
      [0, 0, 0, 1],
      [1, 1, 1],
    ]);
    expect(inputs).toEqual([{ node: 2, parent: 1, rest: [0, 0, 0, 1], reach: 1 }]);
    const controller = { bone: 4, joints: Int32Array.of(2), reaches: Float64Array.of(1), order, coefficients };
    expect(packHelperTerms(controller)).toEqual(GOOD.terms);
    expect(decode({ ...GOOD, inputs: [{ node: 0 }] }).inputs).toEqual([
      { node: 0, rest: [0, 0, 0, 1], reach: Math.PI },
    ]);
    expect(decodeTerms([], 0, 'test', makeDecodeBudget(0))).toEqual({ order: 1, coefficients: new Float64Array(0) });
  });

  it.each<[string, unknown, RegExp]>([
    ['nothing', null, /^test must be an object, got null/],
    ['no version', {}, /version must be a whole number, got nothing/],
    ['inputs that are no list', { ...GOOD, inputs: 3 }, /inputs must be a list/],
    ['more inputs than nodes', { ...GOOD, inputs: new Array(6).fill({ node: 0 }) }, /at most one per node/],
    ['an input that is null', { ...GOOD, inputs: [null] }, /inputs\[0\] must be an object/],
    ['a parent that is not there', { ...GOOD, inputs: [{ node: 0, parent: 9 }] }, /parent names node 9/],
    ['a rest of zeros', { ...GOOD, inputs: [{ node: 0, rest: [0, 0, 0, 0] }] }, /rest must be a unit quaternion/],
    ['a reach below zero', { ...GOOD, inputs: [{ node: 0, reach: -1 }] }, /reach must be an angle/],
    ['a scale of text', { ...GOOD, scale: ['x', 1, 1] }, /scale must hold finite numbers/],
    ['terms that are null', { ...GOOD, terms: [null] }, /terms\[0\] must be an object/],
    ['a fractional power', { ...GOOD, terms: [{ input: 0, powers: [0.5, 0.5, 0] }] }, /powers must be three whole/],
    [
      'terms whose sum is infinite',
      { ...GOOD, terms: new Array(9).fill({ input: 0, powers: [1, 0, 0], scale: [1e308, 0, 0] }) },
      /sum of its terms is not finite/,
    ],
  ])('refuses %s in one sentence', (_, json, message) => {
    expect(() => decode(json)).toThrow(message);
  });

  it('refuses inputs that would take more memory than the file can mean', () => {
    const json = {
      version: 1,
      inputs: new Array(5000).fill({ node: 0 }),
      terms: [{ input: 0, powers: [6, 0, 0], scale: [1, 0, 0] }],
    };
    expect(() => decodeHelperBone({ where: 'test', json, nodeCount: 5000, budget: makeDecodeBudget(1000) })).toThrow(
      'claims data of',
    );
  });

  it('reads the delay of version 2, with critical damping by default', () => {
    expect(decode(GOOD).follow).toBeUndefined();
    expect(decode({ ...GOOD, version: 2, follow: { delay: 0.1, damping: 0.5 } }).follow).toEqual({
      ...{ delay: 0.1, damping: 0.5 },
    });
    expect(decode({ ...GOOD, version: 2, follow: { delay: 0.1 } }).follow).toEqual({ delay: 0.1, damping: 1 });
    for (const follow of [{ delay: -1 }, { delay: 0.1, damping: 2 }, { damping: 1 }, 3])
      expect(() => decode({ ...GOOD, version: 2, follow })).toThrow('follow');
  });

  it('names the code of another version, so that readers may ignore it', () => {
    expect(() => decode({ version: 3 })).toThrow(expect.objectContaining({ code: 'version' }));
  });
});
