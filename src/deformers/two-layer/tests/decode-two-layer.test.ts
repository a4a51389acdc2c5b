// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../../../core/math/random.ts';
import type { TwoLayer } from '../../../core/model/deformed/two-layer.ts';
import { makeSkin, type Skin } from '../../../core/model/skin/skin.ts';
import type { PackedDdm } from '../../direct-delta-mush/pack-direct-delta-mush.ts';
import { makeDecodeBudget } from '../../layout/decode-limit.ts';
import type { PrimitiveExtension } from '../../layout/extension-source.ts';
import { decodeVirtualBones, decodeVirtualSkin } from '../decode-two-layer.ts';
import { LAYER_FIELDS, type PackedVirtualSkin, packVirtualLayer, packVirtualSkin } from '../pack-two-layer.ts';

type Layer = Pick<TwoLayer, 'virtualBones' | 'centers'>;

const TYPES: Record<string, string> = { boneCenters: 'VEC3', columns: 'VEC4', squares: 'VEC2' };

/** The extension of a primitive whose skin has 301 joints, as readers of files hand it to the decoder. */
function sourceOf(
  fields: Record<string, NonNullable<PackedDdm['columns']> | PackedVirtualSkin['bones']>,
  vertexCount = 0,
) {
  const arrays: Record<string, PrimitiveExtension['arrays'][string]> = {};
  for (const [name, values] of Object.entries(fields))
    arrays[name] = {
      type: TYPES[name] ?? 'SCALAR',
      values,
      normalized: values instanceof Int16Array || name.toLowerCase().endsWith('weights'),
    };
  const names = Object.fromEntries(Object.keys(fields).map((name, n) => [name, n]));
  const json = { version: 1, kind: 'ddm', ...names };
  const budget = makeDecodeBudget(1000);
  return { where: 'test', json, arrays, accessorCount: 20, vertexCount, jointCount: 301, budget };
}

function readLayer(packed: PackedDdm): Layer {
  const named = Object.entries(packed).map(([name, values]) => [
    LAYER_FIELDS[name as keyof typeof LAYER_FIELDS],
    values,
  ]);
  const decoded = decodeVirtualBones(sourceOf(Object.fromEntries(named)));
  if (decoded.kind !== 'two-layer') throw new Error('another kind');
  return { virtualBones: decoded.rows, centers: decoded.centers };
}

function readSkin(packed: PackedVirtualSkin, boneCount: number): number[][][] {
  const source = sourceOf({ ...packed } as never, packed.starts.length);
  const { rowStart, boneIndices, weights } = decodeVirtualSkin(source, boneCount);
  return Array.from({ length: rowStart.length - 1 }, (_, i) =>
    Array.from(boneIndices.subarray(rowStart[i], rowStart[i + 1]), (bone, e) => [bone, weights[rowStart[i] + e]]),
  );
}

const packSkin = (skin: Skin, quantize = false) =>
  packVirtualSkin(skin, 0, skin.rowStart.length - 1, (bone) => bone, quantize);
const hexesOf = (packed: PackedDdm | PackedVirtualSkin) =>
  Object.fromEntries(
    Object.entries(packed).map(([name, values]) => [
      name,
      Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString('hex'),
    ]),
  );

/** Two virtual bones: the first between joints 0 and 3, the second on joint 300. */
const TWO: Layer = {
  virtualBones: {
    rowStart: Uint32Array.of(0, 2, 3),
    boneIndices: Uint32Array.of(0, 3, 300),
    omegas: Float64Array.of(
      ...[1, 0.25, 0, 0.5, 1, 0, 0.25, 0.5, 0, 0.75],
      ...[0.5, 0, 0, -0.5, 0.5, 0, -0.25, 0.5, 0, 0.25],
      ...[1, 0, 0, 0, 2, 0, 0, 3, 0, 1],
    ),
  },
  centers: Float64Array.of(1, 2, 3, -1, 0, 0.5),
};
const SEAM = makeSkin([0, 1, 1, 0, 0, 1], [0.75, 0.25, 1, 0, 0.75, 0.25], 2);

describe('OSSIFY_two_layer_skin', () => {
  it('keeps the bytes of version 1', () => {
    expect(hexesOf(packVirtualLayer(TWO, [0, 1], (bone) => bone))).toEqual(GOLDEN.layer);
    expect(hexesOf(packVirtualLayer(TWO, [0, 1], (bone) => bone, true))).toEqual(GOLDEN.shortLayer);
    expect(hexesOf(packSkin(SEAM))).toEqual(GOLDEN.skin);
    expect(hexesOf(packSkin(SEAM, true))).toEqual(GOLDEN.shortSkin);
  });

  it('packs the virtual bones of a list, in its order', () => {
    const back = readLayer(packVirtualLayer(TWO, [1], (bone) => bone - 299));
    expect([...back.virtualBones.boneIndices]).toEqual([1]);
    expect([...back.centers]).toEqual([-1, 0, 0.5]);
    expect([...back.virtualBones.omegas]).toEqual([...TWO.virtualBones.omegas.slice(20)]);
  });

  it('gives virtual bones back about their centers, in any place', () => {
    fc.assert(
      fc.property(fc.integer(), fc.constantFrom(0, 1, 1000), fc.boolean(), (seed, away, quantize) => {
        const random = makeRandom(seed).next;
        const omegas: number[] = [];
        const rowStart = [0];
        for (let k = 0; k < 4; k++) {
          const count = 1 + Math.floor(random() * 5);
          // A of each entry is a ball and a little; b sums to zero; equal weights
          const b = Array.from({ length: 3 * count }, () => random() - 0.5);
          for (let c = 0; c < 3; c++) {
            const mean = b.filter((_, n) => n % 3 === c).reduce((sum, x) => sum + x, 0) / count;
            for (let e = 0; e < count; e++) b[3 * e + c] -= mean;
          }
          for (let e = 0; e < count; e++) {
            const [x, y, z] = b.slice(3 * e, 3 * e + 3);
            omegas.push(1 + random(), random() / 4, random() / 4, x, 1, random() / 4, y, 1 + random(), z, 1 / count);
          }
          rowStart.push(omegas.length / 10);
        }
        const layer: Layer = {
          virtualBones: {
            rowStart: Uint32Array.from(rowStart),
            boneIndices: Uint32Array.from({ length: omegas.length / 10 }, (_, e) => e),
            omegas: Float64Array.from(omegas),
          },
          centers: Float64Array.from({ length: 12 }, () => away + random()),
        };
        const back = readLayer(packVirtualLayer(layer, [0, 1, 2, 3], (bone) => bone, quantize));
        expect(back.virtualBones.rowStart).toEqual(layer.virtualBones.rowStart);
        back.centers.forEach((x, c) => {
          expect(Math.abs(x - layer.centers[c])).toBeLessThanOrEqual(2 ** -24 * (away + 1));
        });
        for (let e = 0; e < omegas.length / 10; e++) {
          // equal weights may change places
          const at = back.virtualBones.boneIndices.indexOf(e);
          for (let c = 0; c < 10; c++)
            expect(Math.abs(back.virtualBones.omegas[10 * at + c] - omegas[10 * e + c])).toBeLessThan(
              quantize ? 1e-3 : 2e-6 * (1 + away / 10),
            );
        }
      }),
      { numRuns: 30 },
    );
  });

  it('stores 32 bits where a fitted weight is beyond one', () => {
    const beyond = structuredClone(TWO);
    beyond.virtualBones.omegas[9] = 1.25;
    beyond.virtualBones.omegas[19] = -0.25;
    const packed = packVirtualLayer(beyond, [0, 1], (bone) => bone, true);
    expect(packed.columns).toBeInstanceOf(Float32Array);
    expect(readLayer(packed).virtualBones.omegas[9]).toBeCloseTo(1.25, 6);
  });

  it('stores the weights of a seam once, falling, and short ones sum to one', () => {
    const packed = packSkin(SEAM);
    expect([...packed.starts]).toEqual([0, 2, 0]);
    expect([...packed.bones]).toEqual([0, 1, 1]);
    fc.assert(
      fc.property(fc.array(fc.float({ min: 0, max: 1, noNaN: true }), { minLength: 8, maxLength: 8 }), (row) => {
        const skin = makeSkin([0, 1, 2, 3, 4, 5, 6, 7], row, 8);
        const short = packSkin(skin, true);
        expect(Array.from(short.weights).reduce((sum, w) => sum + w, 0)).toBe(65535);
        const [back] = readSkin(short, 8);
        back.forEach(([bone, weight], e) => {
          expect(bone).toBe(skin.boneIndices[e]);
          expect(Math.abs(weight - skin.weights[e])).toBeLessThan(1 / 65535);
          if (e > 0) expect(weight).toBeLessThanOrEqual(back[e - 1][1]);
        });
      }),
      { numRuns: 50 },
    );
  });

  it('refuses weights that are none, in one sentence', () => {
    const packed = packSkin(SEAM);
    expect(() => readSkin({ ...packed, counts: Uint8Array.of(2, 0, 2) }, 2)).toThrow(
      'vertex 1 has the weights 2 to 2 of 3',
    );
    expect(() => readSkin({ ...packed, starts: Uint32Array.of(0, 2, 2) }, 2)).toThrow(
      'vertex 2 has the weights 2 to 4 of 3',
    );
    expect(() => readSkin(packed, 1)).toThrow('names virtual bone 1, but there are 1');
    expect(() => readSkin({ ...packed, weights: Float32Array.of(0.75, Number.NaN, 1) }, 2)).toThrow(
      'weights has a number that is not finite',
    );
    expect(() => readSkin({ ...packed, weights: Float32Array.of(0.75, 0.5, 1) }, 2)).toThrow(
      'the weights of vertex 0 sum to 1.25',
    );
    expect(() => readSkin({ ...packed, weights: Float32Array.of(1.25, -0.25, 1) }, 2)).toThrow(
      'vertex 0 has the weight -0.25',
    );
  });
});

const GOLDEN = {
  layer: {
    starts: '0000000002000000',
    counts: '0201',
    centers: '0000803f0000004000004040000080bf000000000000003f',
    joints: '000003002c01',
    columns: '0000003f0000803e000000000000403f000000bf000080be000000000000803e0000000000000000000000000000803f',
    squares:
      '0000803f0000803e000000000000803f000000000000003f0000003f00000000000000000000003f000000000000003f0000803f0000000000000000000000400000000000004040',
  },
  shortLayer: {
    starts: '0000000002000000',
    counts: '0201',
    centers: '0000803f0000004000004040000080bf000000000000003f',
    scales: 'c020803f91ecdd3f',
    joints: '000003002c01',
    columns: 'ef3ff81f0000ff5f11c008e000000020000000000000ff7f',
    squares: 'bd7fef1f0000bd7f0000df3fdf3f00000000df3f0000df3f952a0000000029550000be7f',
  },
  skin: { starts: '000000000200000000000000', counts: '020102', bones: '000101', weights: '0000403f0000803e0000803f' },
  shortSkin: { starts: '000000000200000000000000', counts: '020102', bones: '000101', weights: 'ffbf0040ffff' },
};
