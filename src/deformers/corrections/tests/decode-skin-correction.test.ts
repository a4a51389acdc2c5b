// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeDecodeBudget } from '../../layout/decode-limit.ts';
import type { PrimitiveExtension } from '../../layout/extension-source.ts';
import { decodeSkinCorrection } from '../decode-skin-correction.ts';
import { type PackedComponents, packCoefficients, packComponents } from '../pack-skin-correction.ts';

/** Two components of three vertices. */
const BASIS = Float32Array.of(1, -2, 3, 4, 5, -6, 7, 8, 9, 0.1, 0.2, 0.3, -0.4, 0.5, 0.6, 0, 0, 0);

/** A correction with two keys for the second animation. */
function sourceOf({ values, scales }: PackedComponents, vertexCount: number): PrimitiveExtension {
  const store = (type: string, of: Float32Array | Int16Array) => ({
    type,
    values: of,
    normalized: of instanceof Int16Array,
  });
  return {
    where: 'test',
    json: {
      ...{ version: 1, rank: 2, basis: 0, times: 1, values: 2, tracks: [{ animation: 1, keys: 2 }] },
      ...(scales ? { scales: 3 } : {}),
    },
    arrays: {
      basis: store('VEC3', values),
      times: store('SCALAR', Float32Array.of(0, 1)),
      values: store('SCALAR', Float32Array.of(1, 0.5, -1, 0.25)),
      ...(scales ? { scales: store('SCALAR', scales) } : {}),
    },
    accessorCount: 4,
    vertexCount,
    jointCount: 1,
    budget: makeDecodeBudget(1000),
  };
}

describe('the layout of OSSIFY_skin_correction', () => {
  it('of version 1 is what it always was', () => {
    expect([...packComponents(BASIS, 2, 1, 2).values]).toEqual([...[4, 5, -6, 7, 8, 9], ...BASIS.subarray(12)]);
    const { values, scales } = packComponents(BASIS, 2, 1, 2, true);
    expect([...scales!]).toEqual([9, Math.fround(0.6)]);
    expect([...values]).toEqual([14563, 18204, -21845, 25485, 29126, 32767, -21845, 27306, 32767, 0, 0, 0]);
    expect([...packCoefficients(Float32Array.of(1, -1, 0.5, 0), true)]).toEqual([32767, -32767, 16384, 0]);
  });

  it.each([false, true])('comes back within half a step of its numbers, quantized: %s', (quantize) => {
    for (const [start, count] of [
      [0, 1],
      [1, 2],
    ]) {
      const { basis } = decodeSkinCorrection(sourceOf(packComponents(BASIS, 2, start, count, quantize), count), [
        'a',
        'b',
      ]);
      for (let r = 0; r < 2; r++) {
        for (let c = 0; c < 3 * count; c++) {
          const step = quantize ? (0.51 * (r === 0 ? 9 : 0.6)) / 32767 : 0;
          expect(Math.abs(basis[3 * count * r + c] - BASIS[9 * r + 3 * start + c])).toBeLessThanOrEqual(step);
        }
      }
    }
  });

  it('gives every animation a track, without keys where the file has none for it', () => {
    const { tracks } = decodeSkinCorrection(sourceOf(packComponents(BASIS, 2, 0, 3), 3), ['a', 'b']);
    expect(tracks.map(({ name, times }) => [name, ...times])).toEqual([['a'], ['b', 0, 1]]);
    expect([...tracks[1].values]).toEqual([1, 0.5, -1, 0.25]);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['a rank beyond all counts, before memory is allocated', { rank: 2 ** 40 }, 'basis has 6 elements'],
    ['tracks that take more keys than there are', { tracks: [{ animation: 0, keys: 2 ** 40 }] }, 'do not have 2 keys'],
    ['a track of no animation', { tracks: [{ animation: 7, keys: 2 }] }, 'is of animation 7'],
    ['a rank of normals without a rule', { normalRank: 1 }, 'without normalRule'],
    ['a rule that is none', { normalRule: 'sideways' }, 'normalRule must be one of'],
  ])('refuses %s', (_, change, message) => {
    const source = sourceOf(packComponents(BASIS, 2, 0, 3), 3);
    const json = { ...(source.json as object), ...change };
    expect(() => decodeSkinCorrection({ ...source, json }, ['a', 'b'])).toThrow(message);
  });

  it('holds vertices that no component moves', () => {
    const { values, scales } = packComponents(new Float32Array(6), 1, 0, 2, true);
    expect([...values, ...scales!]).toEqual(new Array(7).fill(0));
  });
});
