// SPDX-License-Identifier: MIT
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../model/errors.ts';
import { decompressLz4Block } from './lz4-block.ts';
import { readUsd } from './read-usd.ts';
import { readUsdc } from './read-usdc.ts';
import { decodeUsdcIntegers, decodeUsdcLongIntegers, decompressUsdc } from './usdc-compression.ts';

const u32 = (n: number) => [n & 255, (n >> 8) & 255, (n >> 16) & 255, (n >> 24) & 255];
const u64 = (n: number | bigint) => Array.from(new Uint8Array(BigInt64Array.of(BigInt(n)).buffer));

/** One chunk of LZ4 that holds literals only. */
function compress(bytes: number[]): number[] {
  const extra: number[] = [];
  for (let left = bytes.length - 15; left >= 0; left -= 255) extra.push(Math.min(left, 255));
  return [0, Math.min(bytes.length, 15) << 4, ...extra, ...bytes];
}

/** Integers as differences of four bytes each. */
function encodeIntegers(values: number[]): number[] {
  const codes = Array.from({ length: Math.ceil(values.length / 4) }, () => 255);
  const steps = values.flatMap((value, n) => u32((value - (values[n - 1] ?? 0)) | 0));
  return compress([...u32(0), ...codes, ...steps]);
}

/** A binary file with one mesh: a triangle, points as a table of floats. */
function makeUsdc(points: number[]): Uint8Array {
  const tokens = [
    '',
    'specifier',
    'typeName',
    'Mesh',
    'points',
    'default',
    'faceVertexCounts',
    'faceVertexIndices',
    'M',
    'int[]',
    'point3f[]',
    'timeSamples',
  ];
  const token = (text: string): number => tokens.indexOf(text);
  const file: number[] = [
    ...new TextEncoder().encode('PXR-USDC'),
    0,
    8,
    0,
    0,
    0,
    0,
    0,
    0,
    ...u64(0),
    ...Array(64).fill(0),
  ];
  const put = (bytes: number[]): number => {
    const at = file.length;
    file.push(...bytes);
    return at;
  };
  const rep = (type: number, payload: number, flags: bigint): bigint =>
    (flags << 56n) | (BigInt(type) << 48n) | BigInt(payload);
  const ARRAY = 0x80n;
  const INLINED = 0x40n;
  const COMPRESSED = 0xa0n;
  const floats = Array.from(new Uint8Array(Float32Array.from(points).buffer));
  const counts = put([...u64(1), ...u32(3)]);
  const indices = put([...u64(3), ...u32(0), ...u32(1), ...u32(2)]);
  const positions = put([...u64(points.length / 3), ...floats]);
  // sixteen times the same number of faces, to use the compressed coding
  const many = put([
    ...u64(16),
    ...u64(encodeIntegers(Array(16).fill(7)).length),
    ...encodeIntegers(Array(16).fill(7)),
  ]);
  const fields: [string, bigint][] = [
    ['specifier', rep(42, 0, INLINED)],
    ['typeName', rep(11, token('Mesh'), INLINED)],
    ['typeName', rep(11, token('int[]'), INLINED)],
    ['default', rep(3, counts, ARRAY)],
    ['default', rep(3, indices, ARRAY)],
    ['typeName', rep(11, token('point3f[]'), INLINED)],
    ['default', rep(24, positions, ARRAY)],
    ['default', rep(3, many, COMPRESSED)],
  ];
  const sets = [-1, 0, 1, -1, 2, 3, -1, 2, 4, -1, 5, 6, -1, 2, 7, -1];
  // paths: /, /M, and four properties, depth first; the tokens of properties are negative
  const names = ['faceVertexCounts', 'faceVertexIndices', 'points', 'timeSamples'];
  const sections: [string, number[]][] = [
    ['TOKENS', tokenSection(tokens)],
    ['STRINGS', u64(0)],
    [
      'FIELDS',
      [
        ...u64(fields.length),
        ...sized(encodeIntegers(fields.map(([name]) => token(name)))),
        ...sized(
          compress(
            fields.flatMap(([, value]) =>
              u64(value & 0x7fffffffffffffffn).map((byte, n) => (n === 7 && value >> 63n ? byte | 128 : byte)),
            ),
          ),
        ),
      ],
    ],
    ['FIELDSETS', [...u64(sets.length), ...sized(encodeIntegers(sets))]],
    [
      'PATHS',
      [
        ...u64(6),
        ...u64(6),
        ...sized(encodeIntegers([0, 1, 2, 3, 4, 5])),
        ...sized(encodeIntegers([0, token('M'), ...names.map((name) => -token(name))])),
        ...sized(encodeIntegers([-1, -1, 0, 0, 0, -2])),
      ],
    ],
    [
      'SPECS',
      [
        ...u64(6),
        ...sized(encodeIntegers([0, 1, 2, 3, 4, 5])),
        ...sized(encodeIntegers([0, 1, 4, 7, 10, 13])),
        ...sized(encodeIntegers([7, 6, 1, 1, 1, 1])),
      ],
    ],
  ];
  const table = sections.flatMap(([name, bytes]) => [
    ...new TextEncoder().encode(name.padEnd(16, '\0')),
    ...u64(put(bytes)),
    ...u64(bytes.length),
  ]);
  const toc = put([...u64(sections.length), ...table]);
  u64(toc).forEach((byte, n) => {
    file[16 + n] = byte;
  });
  return Uint8Array.from(file);
}

const sized = (bytes: number[]): number[] => [...u64(bytes.length), ...bytes];

function tokenSection(tokens: string[]): number[] {
  const text = [...new TextEncoder().encode(`${tokens.join('\0')}\0`)];
  return [...u64(tokens.length), ...u64(text.length), ...sized(compress(text))];
}

describe('binary USD', () => {
  it('has the prims, properties and values of the file', async () => {
    const layer = readUsdc(makeUsdc([0, 0, 0, 1, 0, 0, 0, 1, 0]));
    const mesh = layer.root.children.get('M');
    expect(mesh?.typeName).toBe('Mesh');
    expect(mesh?.specifier).toBe('def');
    expect(mesh?.properties.get('faceVertexIndices')?.value).toEqual(Int32Array.of(0, 1, 2));
    expect(mesh?.properties.get('timeSamples')?.value).toEqual(new Int32Array(16).fill(7));
    const asset = await readUsd(makeUsdc([0, 0, 0, 1, 0, 0, 0, 1, 0]));
    expect([...asset.mesh.positions]).toEqual([0, 0, 0, 1, 0, 0, 0, 1, 0]);
  });

  it('gives a FormatError or an asset for any mutation of a file', async () => {
    const seed = makeUsdc([0, 0, 0, 1, 0, 0, 0, 1, 0]);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(seed.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        async (changes) => {
          const bytes = seed.slice();
          for (const [at, byte] of changes) bytes[at] = byte;
          try {
            await readUsd(bytes);
          } catch (error) {
            expect(error).toBeInstanceOf(FormatError);
          }
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('refuses sizes that the file cannot hold before it allocates memory', () => {
    expect(() => decompressUsdc(Uint8Array.of(0, 0), 1e9)).toThrow('announces 1000000000 bytes');
    expect(() => decodeUsdcIntegers(Uint8Array.of(0, 0), 1e9)).toThrow(FormatError);
  });
});

describe('compressed integers', () => {
  it('come back, in 32 and 64 bits', () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { minLength: 1, maxLength: 50 }), (values) => {
        expect([...decodeUsdcIntegers(Uint8Array.from(encodeIntegers(values)), values.length)]).toEqual(values);
      }),
    );
    const long = [5, 5, 6, 1e12, -3];
    const codes = [0b11111111, 0b11];
    const steps = long.flatMap((value, n) => u64(value - (long[n - 1] ?? 0)));
    expect([...decodeUsdcLongIntegers(Uint8Array.from(compress([...u64(0), ...codes, ...steps])), 5)]).toEqual(long);
  });

  it('take no byte for the most common difference, one or two for small ones', () => {
    // codes, from the lowest bits: common, 8 bits, 16 bits, common
    const data = compress([...u32(3), 0b00_10_01_00, 0xff, 0x00, 0x01]);
    expect([...decodeUsdcIntegers(Uint8Array.from(data), 4)]).toEqual([3, 2, 258, 261]);
  });
});

describe('decompressLz4Block', () => {
  it('copies literals and earlier output, also where both overlap', () => {
    const out = new Uint8Array(16);
    // 'ab', then 7 bytes from two before, then 'c'
    const block = Uint8Array.of(0x23, 97, 98, 2, 0, 0x10, 99);
    expect(decompressLz4Block(block, out, 'usd')).toBe(10);
    expect(new TextDecoder().decode(out.subarray(0, 10))).toBe('ababababac');
  });

  it('refuses copies from before the start and output that does not fit', () => {
    expect(() => decompressLz4Block(Uint8Array.of(0x10, 97, 9, 0), new Uint8Array(9), 'usd')).toThrow('damaged');
    expect(() => decompressLz4Block(Uint8Array.of(0x20, 97, 98), new Uint8Array(1), 'usd')).toThrow('damaged');
  });
});
