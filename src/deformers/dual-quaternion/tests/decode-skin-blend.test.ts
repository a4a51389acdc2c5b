// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeSkin } from '../../../core/model/skin/skin.ts';
import { makeDecodeBudget } from '../../layout/decode-limit.ts';
import { decodeSkinBlend } from '../decode-skin-blend.ts';
import { packSkinBlend } from '../pack-skin-blend.ts';

const SKIN = makeSkin([0, 1, 2, 0], [0.75, 0.25, 1, 0], 2);
const { joints, weights, influences } = packSkinBlend(SKIN, 0, 2, (bone) => bone);

const decode = (json: object, arrays: Record<string, Uint16Array> = { joints, weights }) =>
  decodeSkinBlend({
    where: 'test',
    json: { version: 1, joints: 0, weights: 1, influences, ...json },
    arrays: Object.fromEntries(
      Object.entries(arrays).map(([name, values]) => [
        name,
        { type: 'SCALAR', values, normalized: name.endsWith('eights') },
      ]),
    ),
    accessorCount: 4,
    vertexCount: 2,
    jointCount: 3,
    budget: makeDecodeBudget(1000),
  });

describe('decodeSkinBlend', () => {
  it('reads what packSkinBlend writes', () => {
    expect([...joints]).toEqual([0, 1, 2, 0]);
    expect([...weights]).toEqual([49151, 16384, 65535, 0]);
    const { blend, skin, normalSkin } = decode({ blend: 'dual-quaternion' });
    expect(blend).toBe('dual-quaternion');
    expect(normalSkin).toBeUndefined();
    expect([...skin!.boneIndices]).toEqual([0, 1, 2]);
    expect(skin!.weights[0]).toBeCloseTo(0.75, 4);
    expect(decode({}).blend).toBe('linear');
  });

  it.each<[string, object, RegExp]>([
    ['an unknown blend', { blend: 'spline' }, /blend must be/],
    ['no number of influences', { influences: undefined }, /influences must be a whole number/],
    ['too many influences', { influences: 1000 }, /at most 64/],
    ['arrays of another length', { influences: 3 }, /joints has 4 elements, and 6 are expected/],
    ['normals without weights', { normalJoints: 9, normalInfluences: 2 }, /normalJoints names accessor 9/],
  ])('refuses %s', (_, json, message) => {
    expect(() => decode(json)).toThrow(message);
  });

  it('refuses joints that are not there and vertices without weight, and names the code of another version', () => {
    expect(() => decode({}, { joints: Uint16Array.of(0, 9, 2, 0), weights })).toThrow('names joint 9 of 3');
    expect(() => decode({}, { joints, weights: Uint16Array.of(1, 1, 0, 0) })).toThrow(
      'vertex 1 has no positive weight',
    );
    expect(() => decode({ version: 2 })).toThrow(expect.objectContaining({ code: 'version' }));
  });
});
