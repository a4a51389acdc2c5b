// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { TERM_SIZE, UNSHADOWED_SIZE } from '../../../core/model/deformed/skin-light.ts';
import { makeDecodeBudget } from '../../layout/decode-limit.ts';
import type { PrimitiveExtension } from '../../layout/extension-source.ts';
import { decodeSkinLight } from '../decode-skin-light.ts';
import { type PackedLight, packLightBasis, packUnshadowedLight } from '../pack-skin-light.ts';

/** Two components of three vertices, three channels each. */
const BASIS = Float32Array.of(1, 0.5, 0.25, 2, 0, 4, 3, 3, 3, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0, 0, 0);
const NAMES = ['a', 'b'];

const store = (type: string, values: Float32Array | Int16Array | Uint8Array) => ({
  type,
  values,
  normalized: !(values instanceof Float32Array),
});

/** A light with two keys for the second animation. */
function sourceOf({ values, scales }: PackedLight, vertexCount: number, json: object = {}): PrimitiveExtension {
  return {
    where: 'test',
    json: {
      ...{ version: 1, kind: 'prelit', rank: 2, basis: 0, times: 1, values: 2, tracks: [{ animation: 1, keys: 2 }] },
      ...(scales ? { scales: 3 } : {}),
      ...json,
    },
    arrays: {
      basis: store('VEC4', values),
      times: store('SCALAR', Float32Array.of(0, 1)),
      values: store('SCALAR', Float32Array.of(1, 0.5, 0, 0.25)),
      colors: store('VEC4', Uint8Array.of(255, 0, 51, 255, 0, 255, 0, 0)),
      ...(scales ? { scales: store('SCALAR', scales) } : {}),
    },
    accessorCount: 5,
    vertexCount,
    jointCount: 1,
    budget: makeDecodeBudget(1000),
  };
}

describe('the layout of OSSIFY_skin_light', () => {
  it('of version 1 is what it always was', () => {
    const rows = [2, 0, 4, 3, 3, 3, ...BASIS.subarray(12)];
    expect([...packLightBasis(BASIS, 2, 3, 6).values]).toEqual(rows);
    expect([...packLightBasis(BASIS, 2, 0, 3).values]).toEqual([1, 0.5, 0.25, ...BASIS.subarray(9, 12), 0, 0]);
    const { values, scales } = packLightBasis(BASIS, 2, 3, 6, true);
    expect([...scales!]).toEqual([4, Math.fround(0.6)]);
    expect([...values]).toEqual([16384, 0, 32767, 24575, 24575, 24575, 21845, 27306, 32767, 0, 0, 0]);
  });

  it.each([false, true])('comes back within half a step of its numbers, quantized: %s', (quantize) => {
    const { basis, kind, tracks } = decodeSkinLight(sourceOf(packLightBasis(BASIS, 2, 3, 6, quantize), 2), NAMES);
    const expected = [2, 0, 4, 3, 3, 3, ...BASIS.subarray(12)];
    expected.forEach((x, c) => {
      expect(Math.abs(basis[c] - x)).toBeLessThanOrEqual(quantize ? (0.51 * 4) / 32767 : 0);
    });
    expect(kind).toBe('prelit');
    expect(tracks.map(({ name, times }) => [name, times.length])).toEqual([
      ['a', 0],
      ['b', 2],
    ]);
    expect([...tracks[1].values]).toEqual([1, 0.5, 0, 0.25]);
  });

  it('has vertex colours without alpha', () => {
    const { colors } = decodeSkinLight(sourceOf(packLightBasis(BASIS, 2, 0, 6), 2, { colors: 4 }), NAMES);
    expect([...colors!]).toEqual([1, 0, Math.fround(0.2), 0, 1, 0]);
  });

  it('of a later version is not read', () => {
    expect(() => decodeSkinLight(sourceOf(packLightBasis(BASIS, 2, 0, 6), 2, { version: 3 }), NAMES)).toThrow(
      'OSSIFY_skin_light of version 3 is not read; the mean light is used',
    );
  });

  it('of version 2 has terms of the normal, with a number per term', () => {
    const terms = Float32Array.from({ length: 2 * TERM_SIZE }, (_, c) => c / 64);
    const json = { version: 2, ...packUnshadowedLight({ terms }) };
    const light = decodeSkinLight(sourceOf(packLightBasis(BASIS, 2, 0, 4), 2, json), NAMES);
    expect(light.terms).toEqual(terms);
    expect([...light.basis]).toEqual([...BASIS.subarray(0, 4), ...BASIS.subarray(9, 13)]);
  });

  it('of version 2 has unshadowed transfer vectors', () => {
    const unshadowed = Float32Array.from({ length: UNSHADOWED_SIZE }, (_, c) => c / 64);
    const facts = { version: 2, kind: 'transfer', environment: new Array(27).fill(0) };
    const json = { ...facts, ...packUnshadowedLight({ unshadowed }) };
    const light = decodeSkinLight(sourceOf(packLightBasis(BASIS, 2, 0, 9), 1, json), NAMES);
    expect(light.unshadowed).toEqual(unshadowed);
  });

  it('of version 1 does not depend on normals, whatever other fields it has', () => {
    const terms = new Float32Array(TERM_SIZE);
    const light = decodeSkinLight(sourceOf(packLightBasis(BASIS, 2, 0, 6), 2, packUnshadowedLight({ terms })), NAMES);
    expect(light.terms).toBeUndefined();
  });

  const term = { harmonics: new Array(27).fill(0), direction: [0, 0, 1], color: [1, 1, 1] };
  it.each([
    [{ terms: [] }, '1 to 4 terms'],
    [{ terms: Array(5).fill(term) }, '1 to 4 terms'],
    [{ terms: 'sky' }, 'terms must be an array'],
    [{ terms: [term] }, 'elements'],
    [{ terms: [term, { ...term, harmonics: [1] }] }, 'terms[1].harmonics'],
    [{ terms: [term, { ...term, direction: undefined }] }, 'terms[1].direction'],
    [{ terms: [{ ...term, color: [0, 1e300, 0] }] }, 'too large'],
    [{ terms: [{ ...term, color: [0, null, 0] }] }, 'finite numbers'],
    [{ kind: 'transfer', environment: new Array(27).fill(0), unshadowed: [1, 2] }, 'unshadowed must hold 81'],
  ])('of version 2 with %j is refused', (json, fault) => {
    const source = sourceOf(packLightBasis(BASIS, 2, 0, 4), 2, { version: 2, ...json });
    expect(() => decodeSkinLight(source, NAMES)).toThrow(fault);
  });

  it.each([
    [{ kind: 'sunny' }, 'kind'],
    [{ rank: 0 }, 'rank'],
    [{ rank: 1e9 }, 'elements'],
    [{ kind: 'transfer' }, 'environment'],
    [{ kind: 'occlusion' }, 'elements'],
    [{ basis: 99 }, 'elements'],
    [{ tracks: [{ animation: 2, keys: 2 }] }, 'the file has 2'],
    [{ tracks: [{ animation: 0, keys: 1 }] }, '2 keys'],
    [{ tracks: Array(2).fill({ animation: 0, keys: 1 }) }, 'two tracks'],
  ])('with %j is refused', (json, fault) => {
    const decode = () =>
      decodeSkinLight(sourceOf(packLightBasis(BASIS, 2, 0, 6), 'basis' in json ? 3 : 2, json), NAMES);
    expect(decode).toThrow(fault);
  });
});
