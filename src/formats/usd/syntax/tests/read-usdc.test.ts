// SPDX-License-Identifier: MIT
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compress, encodeIntegers, makeUsdc, u32, u64 } from '../../../../../fuzz/seeds/make-usdc.ts';
import { FormatError } from '../../../../core/model/errors.ts';
import { readUsd } from '../../read-usd.ts';
import { decompressLz4Block } from '../lz4-block.ts';
import { readUsdc } from '../read-usdc.ts';
import { decodeUsdcIntegers, decodeUsdcLongIntegers, decompressUsdc } from '../usdc-compression.ts';

describe('binary USD', () => {
  it('has the prims, properties and values of the file', async () => {
    const layer = readUsdc(makeUsdc([0, 0, 0, 1, 0, 0, 0, 1, 0]));
    const mesh = layer.root.children.get('M');
    expect(mesh?.typeName).toBe('Mesh');
    expect(mesh?.specifier).toBe('def');
    expect(mesh?.properties.get('faceVertexIndices')?.value).toEqual(Int32Array.of(0, 1, 2));
    expect(mesh?.properties.get('timeSamples')?.value).toEqual(new Int32Array(16).fill(7));
    const asset = await readUsd(makeUsdc([0, 0, 0, 1, 0, 0, 0, 1, 0]));
    // centimetres become metres
    expect([...asset.mesh.positions]).toEqual([0, 0, 0, 1, 0, 0, 0, 1, 0].map((x) => Math.fround(x / 100)));
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
