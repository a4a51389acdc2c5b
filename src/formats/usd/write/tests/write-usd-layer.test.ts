// SPDX-License-Identifier: MIT
import * as fc from 'fast-check';
import { USDAParser } from 'three/addons/loaders/usd/USDAParser.js';
import { USDCParser } from 'three/addons/loaders/usd/USDCParser.js';
import { describe, expect, it } from 'vitest';
import { decompressLz4Block } from '../../syntax/lz4-block.ts';
import { readUsda } from '../../syntax/read-usda.ts';
import { readUsdc } from '../../syntax/read-usdc.ts';
import type { UsdLayer, UsdPrim } from '../../syntax/usd-layer.ts';
import { decodeUsdcIntegers } from '../../syntax/usdc-compression.ts';
import { compressLz4Block } from '../crate/compress-lz4-block.ts';
import { encodeUsdcIntegers } from '../crate/encode-usdc-integers.ts';
import { halfOf, roundToHalf } from '../crate/half-float.ts';
import { writeUsdcLayer } from '../crate/write-usdc-layer.ts';
import { makeUsdDraft, relationOf, type UsdDraftLayer, uniformOf } from '../usd-draft.ts';
import { writeUsdaLayer } from '../write-usda-layer.ts';

const counted = Array.from({ length: 40 }, (_, n) => n);

/** A layer with a value of every kind. */
function makeLayer(): UsdDraftLayer {
  const root = {
    ...makeUsdDraft('Xform', 'Root', [
      { name: 'float', type: 'float', value: 0.1 },
      { name: 'double', type: 'double', value: 0.1 },
      { name: 'exact', type: 'double', value: 0.5 },
      { name: 'int', type: 'int', value: -7 },
      { name: 'flag', type: 'bool', value: true },
      { name: 'text', type: 'string', value: 'a "quoted"\nline\\' },
      { name: 'file', type: 'asset', value: 'textures/a b.png' },
      uniformOf('order', 'token[]', ['b', 'a']),
      { name: 'color', type: 'color3f', value: Float32Array.of(0.25, 0.5, 1) },
      { name: 'orient', type: 'quatf', value: Float32Array.of(0.5, -0.5, 0.5, 0.5) },
      { name: 'matrices', type: 'matrix4d[]', value: Float64Array.from({ length: 32 }, (_, n) => n / 3) },
      { name: 'ints', type: 'int[]', value: Int32Array.from(counted, (n) => (n * n * 991) % 70_001) },
      { name: 'none', type: 'int[]', value: new Int32Array(0) },
      { name: 'ones', type: 'float[]', value: new Float32Array(40).fill(1) },
      { name: 'few', type: 'float[]', value: Float32Array.from(counted, (n) => 0.1 + (n % 2)) },
      { name: 'many', type: 'float[]', value: Float32Array.from(counted, (n) => Math.sin(n)) },
      { name: 'halves', type: 'half3[]', value: Float32Array.from(counted.slice(0, 39), (n) => n / 8) },
      {
        ...{ name: 'points', type: 'point3f[]', interpolation: 'vertex', elementSize: 2 },
        value: Float32Array.of(1, 2, 3),
        samples: { codes: [0, 1.5], at: (k: number) => Float32Array.of(k, 2, 3) },
      },
      { name: 'out', type: 'token', connection: '/Root/Child.value' },
      relationOf('both', '/Root/Child', '/Root'),
    ]),
    apis: ['SkelBindingAPI'],
    displayName: 'Ünïcode',
    data: { plain: 1.5, deep: { list: [1, 2], mixed: [1, 'a', null], none: null }, on: true, names: ['x'] },
  };
  root.children.push(makeUsdDraft('Scope', 'Child', [{ name: 'value', type: 'token', value: 't' }]));
  root.children.push(makeUsdDraft('', 'Other'));
  const time = { rate: 24, end: 1.5 };
  return { defaultPrim: 'Root', upAxis: 'Z', metersPerUnit: 0.01, time, prims: [root, makeUsdDraft('Xform', 'Two')] };
}

const plain = (value: unknown): unknown =>
  ArrayBuffer.isView(value)
    ? Array.from(value as Float32Array)
    : typeof value === 'number'
      ? Math.fround(value)
      : value;

function describeLayer({ metadata, root }: UsdLayer) {
  const describePrim = (prim: UsdPrim): object => ({
    ...{ name: prim.name, type: prim.typeName, displayName: prim.displayName, data: prim.customData },
    properties: [...prim.properties].map(([name, property]) => ({
      ...{ name, type: property.typeName, value: plain(property.value), targets: property.targets },
      ...{ interpolation: property.interpolation, elementSize: property.elementSize },
      times: property.samples && [...property.samples.times],
      samples: property.samples && Array.from(property.samples.times, (_, k) => plain(property.samples?.at(k))),
    })),
    children: [...prim.children.values()].map(describePrim),
  });
  const { primChildren, ...own } = metadata;
  return { metadata: { ...own }, prims: describePrim(root) };
}

describe('a layer that is written', () => {
  it('is the same as text and as binary', () => {
    const text = describeLayer(readUsda(writeUsdaLayer(makeLayer())));
    const binary = describeLayer(readUsdc(writeUsdcLayer(makeLayer())));
    expect(binary).toEqual(text);
    expect(text.metadata).toMatchObject({ defaultPrim: 'Root', upAxis: 'Z', metersPerUnit: 0.01, endTimeCode: 1.5 });
  });

  it("has the same prims, values and samples in three's parsers", () => {
    const layer = makeLayer();
    const text = new USDAParser().parseData(new TextDecoder().decode(writeUsdaLayer(layer))).specsByPath;
    const binary = new USDCParser().parseData(writeUsdcLayer(layer).buffer).specsByPath as typeof text;
    expect(Object.keys(binary).sort()).toEqual(expect.arrayContaining(['/', '/Root', '/Root/Child', '/Root.points']));
    const fields = (path: string) => (binary as Record<string, { fields: Record<string, unknown> }>)[path].fields;
    expect(plain(fields('/Root.matrices').default)).toEqual(counted.slice(0, 32).map((n) => n / 3));
    expect(plain(fields('/Root.many').default)).toEqual(counted.map((n) => Math.fround(Math.sin(n))));
    expect(plain(fields('/Root.few').default)).toEqual(counted.map((n) => Math.fround(0.1 + (n % 2))));
    expect(fields('/Root.both').targetPaths).toEqual(['/Root/Child', '/Root']);
    expect(fields('/Root.points').timeSamples).toMatchObject({ times: [0, 1.5] });
    expect(fields('/Root.orient').default).toEqual([0.5, -0.5, 0.5, 0.5]);
  });
});

describe('compressLz4Block', () => {
  it('gives the same bytes back, and fewer where they repeat', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(3), fc.nat(90)), { maxLength: 60 }), (runs) => {
        const bytes = Uint8Array.from(runs.flatMap(([byte, count]) => Array.from({ length: count }, () => byte)));
        const out = new Uint8Array(bytes.length);
        expect(decompressLz4Block(compressLz4Block(bytes), out, 'usd')).toBe(bytes.length);
        expect(out).toEqual(bytes);
      }),
    );
    expect(compressLz4Block(new Uint8Array(100_000)).length).toBeLessThan(500);
  });
});

describe('encodeUsdcIntegers', () => {
  it('gives the same integers back', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.integer(), fc.integer({ min: -130, max: 40_000 }))), (values) => {
        expect([...decodeUsdcIntegers(encodeUsdcIntegers(values), values.length)]).toEqual(values);
      }),
    );
  });
});

describe('halfOf', () => {
  it('gives the nearest half, and itself for a half', () => {
    for (const [x, bits] of [
      ...[
        [0, 0],
        [1, 0x3c00],
        [-2, 0xc000],
        [65_504, 0x7bff],
        [1e9, 0x7c00],
        [2 ** -24, 1],
        [2 ** -14, 0x400],
      ],
      ...[
        [0.1, 0x2e66],
        [1 + 2 ** -11, 0x3c00],
        [1 + 3 * 2 ** -11, 0x3c02],
        [2047.5 / 1024, 0x4000],
      ],
    ])
      expect([x, halfOf(x)]).toEqual([x, bits]);
    fc.assert(
      fc.property(fc.double({ min: -60_000, max: 60_000, noNaN: true }), (x) => {
        expect(Math.abs(roundToHalf(x) - x)).toBeLessThanOrEqual(Math.max(2 ** -25, Math.abs(x) * 2 ** -11));
        expect(roundToHalf(roundToHalf(x))).toBe(roundToHalf(x));
      }),
    );
  });
});
