// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../../core/model/errors.ts';
import { makeDecodeBudget } from '../../layout/decode-limit.ts';
import type { PrimitiveExtension } from '../../layout/extension-source.ts';
import { decodeShapeDrivers } from '../decode-shape-drivers.ts';

/** One linear term and one product, for two bones of form "matrix". */
function source(json: object = {}, arrays: object = {}): PrimitiveExtension {
  const stored = (values: Uint16Array | Uint32Array | Float32Array) => ({ type: 'SCALAR', values, normalized: false });
  return {
    where: 'OSSIFY_shape_drivers of mesh "face"',
    json: {
      ...{ version: 1, form: 'matrix', shapes: ['a', 'b'], tracks: [{ animation: 0, keys: 2 }] },
      ...{ factors: 0, rowStart: 1, entries: 2, values: 3, times: 4, weights: 5 },
      ...json,
    },
    arrays: {
      factors: stored(Uint16Array.of(0, 0xffff, 0, 1)),
      rowStart: stored(Uint32Array.of(0, 1, 3)),
      entries: stored(Uint16Array.of(3, 0, 23)),
      values: stored(Float32Array.of(1, 2, 3)),
      times: stored(Float32Array.of(0, 1)),
      weights: stored(Float32Array.of(0, 0, 1, 0.5)),
      ...arrays,
    },
    accessorCount: 6,
    vertexCount: 4,
    jointCount: 2,
    budget: makeDecodeBudget(1000),
  } as PrimitiveExtension;
}

describe('decodeShapeDrivers', () => {
  it('reads terms, products and tracks', () => {
    const { drivers, tracks } = decodeShapeDrivers(source(), ['talk']);
    expect([...drivers.factors]).toEqual([0, 0xffff_ffff, 0, 1]);
    expect([...drivers.columns]).toEqual([3, 0, 23]);
    expect([...tracks[0].weights]).toEqual([0, 0, 1, 0.5]);
  });

  it.each<[string, object, object, RegExp]>([
    ['another version', { version: 2 }, {}, /version 2 is not read/],
    ['an unknown form', { form: 'spline' }, {}, /form/],
    ['no shapes', { shapes: [] }, {}, /shapes/],
    ['a shape that does not exist', { shapes: ['a'] }, {}, /names a shape|elements/],
    [
      'a column beyond the joints',
      {},
      { entries: { type: 'SCALAR', values: Uint16Array.of(3, 0, 24) } },
      /drives output 24 of 24/,
    ],
    [
      'rows beyond the values',
      {},
      { rowStart: { type: 'SCALAR', values: Uint32Array.of(0, 4, 3) } },
      /does not lie within/,
    ],
    [
      'a value that is not finite',
      {},
      { values: { type: 'SCALAR', values: Float32Array.of(1, Number.NaN, 3) } },
      /not finite/,
    ],
    ['fewer columns than values', {}, { entries: { type: 'SCALAR', values: Uint16Array.of(3) } }, /elements/],
    ['times that do not ascend', {}, { times: { type: 'SCALAR', values: Float32Array.of(1, 1) } }, /ascend/],
    ['tracks with too many keys', { tracks: [{ animation: 0, keys: 3 }] }, {}, /keys/],
    ['tracks of another animation', { tracks: [{ animation: 5, keys: 2 }] }, {}, /animation 5/],
  ])('rejects %s', (_, json, arrays, pattern) => {
    const decode = () => decodeShapeDrivers(source(json, arrays), ['talk']);
    expect(decode).toThrow(FormatError);
    expect(decode).toThrow(pattern);
  });
});
