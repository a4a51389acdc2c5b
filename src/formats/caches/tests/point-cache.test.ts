// SPDX-License-Identifier: MIT
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Clip } from '../../../core/model/clip/clip.ts';
import { FormatError } from '../../../core/model/errors.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import type { PointCache } from '../point-cache.ts';
import { readMdd } from '../read-mdd.ts';
import { readPc2 } from '../read-pc2.ts';
import { writeMdd } from '../write-mdd.ts';
import { writePc2 } from '../write-pc2.ts';

const data = process.env.OSSIFY_DATA ?? '../shared';

/** Two vertices, three frames, half a second apart. */
const clip: Clip = {
  kind: 'clip',
  name: 'clip',
  mesh: makeMesh(new Float32Array(6), new Uint32Array()),
  positions: Float32Array.from({ length: 18 }, (_, c) => c / 3),
  times: new Float64Array([0, 0.5, 1]),
};

const FORMATS: [
  name: string,
  read: (bytes: Uint8Array) => PointCache,
  bytes: Uint8Array<ArrayBuffer>,
  header: number,
][] = [
  ['PC2', readPc2, writePc2(clip), 32],
  ['MDD', readMdd, writeMdd(clip), 20],
];

function codeOf(read: (bytes: Uint8Array) => PointCache, bytes: Uint8Array): string {
  try {
    read(bytes);
  } catch (error) {
    if (error instanceof FormatError) return error.code;
    throw error;
  }
  return 'none';
}

describe.each(FORMATS)('%s', (_, read, bytes, header) => {
  it('reads back what was written', () => {
    const cache = read(bytes);
    expect(cache.vertexCount).toBe(2);
    expect(cache.positions).toEqual(clip.positions);
    expect(cache.times).toEqual(clip.times);
  });

  it('reads from any place in a larger buffer', () => {
    for (let shift = 0; shift < 5; shift++) {
      const larger = new Uint8Array(bytes.length + 8);
      larger.set(bytes, shift);
      expect(read(larger.subarray(shift, shift + bytes.length)).positions).toEqual(clip.positions);
    }
  });

  it('says at once when the bytes are not those announced, whatever the counts claim', () => {
    expect(codeOf(read, new Uint8Array())).toBe('empty');
    for (let length = 1; length < bytes.length; length++) {
      expect(codeOf(read, bytes.slice(0, length)), `${length} bytes`).toBe('truncated');
    }
    expect(codeOf(read, Uint8Array.from([...bytes, 0, 0]))).toBe('length');
    const before = process.memoryUsage().arrayBuffers;
    for (const at of header === 32 ? [16, 28] : [0, 4]) {
      const lying = bytes.slice();
      lying.set(header === 32 ? [255, 255, 255, 127] : [127, 255, 255, 255], at);
      expect(codeOf(read, lying)).toBe('truncated');
      lying.fill(255, at, at + 4);
      expect(codeOf(read, lying)).toBe('truncated');
      expect(() => read(lying)).toThrow('4294967295');
      lying.fill(0, at, at + 4);
      expect(codeOf(read, lying)).toBe('empty');
    }
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1e6);
  });

  it('names the frame and the vertex of a position that is not finite or too large', () => {
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY]) {
      const broken = bytes.slice();
      new DataView(broken.buffer).setFloat32(header + 4 * 10, bad, header === 32);
      expect(() => read(broken)).toThrow('frame 1, vertex 1 has a position that is not finite');
    }
    const large = bytes.slice();
    new DataView(large.buffer).setFloat32(header + 4 * 10, 2e18, header === 32);
    expect(() => read(large)).toThrow('frame 1, vertex 1 has a position that is larger than 1e18');
  });

  it('gives a FormatError or a whole cache for any mutation', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { maxLength: 6 }), (edits) => {
        const mutant = bytes.slice();
        for (const [at, value] of edits) mutant[at] = value;
        try {
          const cache = read(mutant);
          expect(cache.positions).toHaveLength(cache.times.length * cache.vertexCount * 3);
          for (let k = 1; k < cache.times.length; k++) expect(cache.times[k]).toBeGreaterThan(cache.times[k - 1]);
        } catch (error) {
          expect(error).toBeInstanceOf(FormatError);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('readPc2', () => {
  it('counts in frames, and shares the memory of the bytes', () => {
    const bytes = writePc2(clip);
    expect([...readPc2(bytes, { fps: 12 }).times]).toEqual([0, 1, 2]);
    expect(readPc2(bytes).positions.buffer).toBe(bytes.buffer);
  });

  it('tells another file, another version and a rate that is none', () => {
    const bytes = writePc2(clip);
    expect(codeOf(readPc2, new TextEncoder().encode('POINTCACHE3 and more'))).toBe('magic');
    expect(
      codeOf(
        readPc2,
        Uint8Array.from(bytes, (byte, n) => (n === 12 ? 2 : byte)),
      ),
    ).toBe('version');
    const still = bytes.slice();
    new DataView(still.buffer).setFloat32(24, 0, true);
    expect(codeOf(readPc2, still)).toBe('value');
  });

  const box = join(data, 'formats', 'max_cache_box.pc2');
  it.skipIf(!existsSync(box))(
    'reads a cache of 3ds Max: 770 vertices, 11 frames from frame 40 (needs the data folder)',
    () => {
      const cache = readPc2(new Uint8Array(readFileSync(box)));
      expect([cache.vertexCount, cache.times.length, cache.times[0]]).toEqual([770, 11, 0]);
      expect(cache.times[10]).toBeCloseTo(10 / 24, 12);
      expect(cache.positions[0]).toBeCloseTo(-16.34, 2);
    },
  );
});

describe('writePc2', () => {
  it('refuses frames that are not evenly spaced', () => {
    expect(() => writePc2({ ...clip, times: new Float64Array([0, 0.1, 1]) })).toThrow('evenly spaced');
  });
});

describe('readMdd', () => {
  it('counts frames where the times do not rise', () => {
    const bytes = writeMdd(clip);
    new DataView(bytes.buffer).setFloat32(12, 0, false);
    expect([...readMdd(bytes, { fps: 10 }).times]).toEqual([0, 0.1, 0.2]);
  });

  const cube = join(data, 'formats', 'cube.mdd');
  it.skipIf(!existsSync(cube))('reads a cube: 24 vertices, 4 frames (needs the data folder)', () => {
    const cache = readMdd(new Uint8Array(readFileSync(cube)));
    expect(cache.vertexCount).toBe(24);
    expect([...cache.times]).toEqual([0, 1, 2, 3]);
    expect([...cache.positions.subarray(0, 6)]).toEqual([0.5, 0.5, 0.5, 0.5, 0.5, -0.5]);
  });
});
