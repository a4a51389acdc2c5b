// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../../../core/math/random.ts';
import { translateSym4 } from '../../../core/math/sym4.ts';
import type { MultiWeights } from '../../../core/model/deformed/direct-delta-mush.ts';
import { makeDecodeBudget } from '../../layout/decode-limit.ts';
import type { PrimitiveExtension } from '../../layout/extension-source.ts';
import { decodeDirectDeltaMush } from '../decode-direct-delta-mush.ts';
import { type PackDdmOptions, type PackedDdm, packDdm } from '../pack-direct-delta-mush.ts';

/** Ω of points with weights: per entry, a bone and what it moves. */
type Row = { bone: number; points: [number, number, number, number][] }[];

/** Rows of sums of w [u 1][u 1]ᵀ, scaled to sum to one, strongest first. */
function makeRows(rows: Row[]): MultiWeights {
  const rowStart = new Uint32Array(rows.length + 1);
  const bones: number[] = [];
  const omegas: number[] = [];
  rows.forEach((row, i) => {
    const total = row.reduce((sum, { points }) => sum + points.reduce((s, p) => s + p[3], 0), 0);
    const entries = row.map(({ bone, points }) => {
      const omega = new Float64Array(10);
      for (const [x, y, z, w] of points)
        [x * x, x * y, x * z, x, y * y, y * z, y, z * z, z, 1].forEach((v, c) => {
          omega[c] += (w / total) * v;
        });
      return { bone, omega };
    });
    entries.sort((a, b) => b.omega[9] - a.omega[9]);
    for (const { bone, omega } of entries) {
      bones.push(bone);
      omegas.push(...omega);
    }
    rowStart[i + 1] = bones.length;
  });
  return { rowStart, boneIndices: Uint32Array.from(bones), omegas: Float64Array.from(omegas) };
}

const TYPES = { starts: 'SCALAR', counts: 'SCALAR', centers: 'VEC3', scales: 'SCALAR', joints: 'SCALAR' };

/** The extension of a primitive whose skin has 301 joints, as readers of files hand it to the decoder. */
function sourceOf(packed: PackedDdm, json: Record<string, unknown> = {}): PrimitiveExtension {
  const types: Record<string, string> = { ...TYPES, columns: 'VEC4', squares: 'VEC2', weights: 'SCALAR' };
  const arrays: Record<string, PrimitiveExtension['arrays'][string]> = {};
  for (const [name, values] of Object.entries(packed))
    arrays[name] = { type: types[name], values, normalized: values instanceof Int16Array };
  const fields = Object.fromEntries(Object.keys(packed).map((name, n) => [name, n]));
  return {
    where: 'test',
    json: { version: 1, variant: 0, ...fields, ...json },
    arrays,
    accessorCount: 7,
    vertexCount: packed.starts.length,
    jointCount: 301,
    budget: makeDecodeBudget(1000),
  };
}

const read = (packed: PackedDdm): MultiWeights => decodeDirectDeltaMush(sourceOf(packed)).multiWeights;

/** First moments and weight of a row. */
function centerOf({ rowStart, omegas }: MultiWeights, i: number): number[] {
  const sums = [0, 0, 0, 0];
  for (let e = rowStart[i]; e < rowStart[i + 1]; e++)
    for (let c = 0; c < 4; c++) sums[c] += omegas[10 * e + [3, 6, 8, 9][c]];
  return sums;
}

function entryOf({ rowStart, boneIndices, omegas }: MultiWeights, i: number, bone: number): Float64Array {
  for (let e = rowStart[i]; e < rowStart[i + 1]; e++)
    if (boneIndices[e] === bone) return omegas.slice(10 * e, 10 * e + 10);
  return new Float64Array(10);
}

const pack = (rows: MultiWeights, options?: PackDdmOptions) =>
  packDdm(rows, 0, rows.rowStart.length - 1, (bone) => bone, options);
const hexOf = (values: ArrayBufferView) =>
  Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString('hex');
const hexesOf = (packed: PackedDdm) =>
  Object.fromEntries(Object.entries(packed).map(([name, values]) => [name, hexOf(values)]));

describe('packDdm and decodeDirectDeltaMush', () => {
  const two = makeRows([
    [
      {
        bone: 0,
        points: [
          [0, 0, 0, 1],
          [2, 0, 0, 2],
        ],
      },
      { bone: 3, points: [[0, 4, 0, 1]] },
    ],
    [{ bone: 300, points: [[1, 1, 1, 1]] }],
    [
      {
        bone: 0,
        points: [
          [0, 0, 0, 1],
          [2, 0, 0, 2],
        ],
      },
      { bone: 3, points: [[0, 4, 0, 1]] },
    ],
  ]);

  it('keep the bytes of version 1', () => {
    expect(hexesOf(pack(two))).toEqual(GOLDEN_FLOATS);
    expect(hexesOf(pack(two, { quantize: true }))).toEqual(GOLDEN_SHORTS);
  });

  it('keep the bytes of version 2: one number per entry for variant 4, and no centers for variant 5', () => {
    const four = pack(two, { variant: 4 });
    expect(hexesOf(four)).toEqual({
      ...{ starts: GOLDEN_FLOATS.starts, counts: GOLDEN_FLOATS.counts, joints: GOLDEN_FLOATS.joints },
      centers: GOLDEN_FLOATS.centers,
      weights: '0000403f0000803e0000803f',
    });
    const { centers: _, ...five } = four;
    expect(pack(two, { variant: 5 })).toEqual(five);
    expect(pack(two, { variant: 5, quantize: true }).weights).toEqual(Int16Array.of(24575, 8192, 32767));
    for (const variant of [4, 5] as const) {
      const { multiWeights: rows } = decodeDirectDeltaMush(sourceOf(pack(two, { variant }), { version: 2, variant }));
      expect(rows.boneIndices).toEqual(two.boneIndices);
      for (let e = 0; e < rows.boneIndices.length; e++)
        expect(rows.omegas[10 * e + 9]).toBeCloseTo(two.omegas[10 * e + 9], 6);
      if (variant === 4) for (let i = 0; i < 3; i++) expect(centerOf(rows, i)).toEqual(centerOf(read(pack(two)), i));
    }
    expect(() => decodeDirectDeltaMush(sourceOf(four, { version: 2 }))).toThrow('variant 0 needs columns');
  });

  it('store a row once for vertices of a seam', () => {
    const packed = pack(two);
    expect([...packed.starts]).toEqual([0, 2, 0]);
    expect([...packed.counts]).toEqual([2, 1, 2]);
    expect(packed.joints).toEqual(Uint16Array.of(0, 3, 300));
    const back = read(packed);
    expect(back.rowStart).toEqual(two.rowStart);
    expect(back.boneIndices).toEqual(two.boneIndices);
  });

  it('give back what they took, in any place, to the precision of the numbers', () => {
    fc.assert(
      fc.property(fc.integer(), fc.constantFrom(0, 1, 1000), fc.boolean(), (seed, away, quantize) => {
        const random = makeRandom(seed).next;
        const point = (): [number, number, number, number] => [
          away + random(),
          away + random(),
          away - random(),
          0.01 + random(),
        ];
        const rows = makeRows(
          Array.from({ length: 5 }, () =>
            Array.from({ length: 1 + Math.floor(random() * 6) }, (_, bone) => ({
              bone,
              points: Array.from({ length: 3 }, point),
            })),
          ),
        );
        const back = read(pack(rows, { quantize }));
        const tolerance = quantize ? 3e-4 : 1e-6;
        for (let i = 0; i < 5; i++) {
          const [p, q] = [rows, back].map((one) => centerOf(one, i));
          expect(p[3]).toBeCloseTo(1, 12);
          expect(q[3]).toBeCloseTo(1, 12);
          for (let e = rows.rowStart[i]; e < rows.rowStart[i + 1]; e++) {
            const [a, b] = [rows, back].map((one) => entryOf(one, i, rows.boneIndices[e]));
            // about the middle of the patch, where numbers are small: that is what is to be precise
            for (const omega of [a, b]) translateSym4(omega, 0, -p[0], -p[1], -p[2]);
            for (let c = 0; c < 10; c++) expect(Math.abs(a[c] - b[c])).toBeLessThan(tolerance);
          }
        }
      }),
      { numRuns: 40 },
    );
  });

  it.each([false, true])('leave no patch with a negative moment, however thin (short numbers: %s)', (quantize) => {
    const random = makeRandom(3).next;
    for (let n = 0; n < 50; n++) {
      // points of one line, in any direction, moved by several bones
      const d = [random() - 0.5, random() - 0.5, random() - 0.5];
      const on = (t: number): [number, number, number, number] => [t * d[0], t * d[1], t * d[2], 0.1 + random()];
      const row = [0, 1, 2].map((bone) => ({ bone, points: [on(random()), on(random())] }));
      const { squares } = pack(makeRows([row]), { quantize });
      const s = [0, 0, 0, 0, 0, 0];
      for (let c = 0; c < squares!.length; c++) s[c % 6] += squares![c];
      const [xx, xy, xz, yy, yz, zz] = s;
      expect(Math.min(xx, yy, zz)).toBeGreaterThan(0);
      for (const minor of [xx * yy - xy * xy, xx * zz - xz * xz, yy * zz - yz * yz]) expect(minor).toBeGreaterThan(0);
      const det = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
      expect(det).toBeGreaterThan(0);
    }
  });

  it('refuse rows that are none', () => {
    const packed = pack(two);
    expect(() => read({ ...packed, starts: Uint32Array.of(0, 2, 2) })).toThrow('vertex 2 has the entries 2 to 4 of 3');
    expect(() => read({ ...packed, counts: Uint8Array.of(2, 0, 2) })).toThrow('vertex 1 has the entries 2 to 2 of 3');
    const heavy = packed.columns!.slice();
    heavy[3] = 2;
    expect(() => read({ ...packed, columns: heavy })).toThrow(/weights of vertex 0 sum to 2\.25/);
    const endless = packed.columns!.slice();
    endless[0] = Number.POSITIVE_INFINITY;
    expect(() => read({ ...packed, columns: endless })).toThrow('columns has a number that is not finite');
    expect(() => read({ ...packed, joints: Uint16Array.of(0, 3, 301) })).toThrow('names joint 301, but there are 301');
  });

  it('refuse fields that cannot be, in one sentence that names the extension', () => {
    const decode = (json: unknown) => () => decodeDirectDeltaMush({ ...sourceOf(pack(two)), json });
    for (const json of [null, undefined, 'x', [], 7]) expect(decode(json)).toThrow(/^test must be an object/);
    const change = (json: Record<string, unknown>) => () => decodeDirectDeltaMush(sourceOf(pack(two), json));
    expect(change({ version: 3 })).toThrow(expect.objectContaining({ code: 'version' }));
    expect(change({ version: '1' })).toThrow('test: version must be a whole number');
    expect(change({ variant: 6 })).toThrow('variant must be 0 to 5, got 6');
    expect(change({ settings: null })).toThrow('settings must be an object');
    expect(change({ bindMatrix: new Array(16).fill(0) })).toThrow('bindMatrix has no inverse');
    expect(change({ bindMatrix: [1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1] })).toThrow('is not affine');
    const { columns: _columns, ...arrays } = sourceOf(pack(two)).arrays;
    expect(() => decodeDirectDeltaMush({ ...sourceOf(pack(two), { columns: 7 }), arrays })).toThrow(
      'columns names accessor 7, but the file has 7',
    );
    const wide = {
      ...sourceOf(pack(two)).arrays,
      starts: { type: 'VEC2', values: pack(two).starts, normalized: false },
    };
    expect(() => decodeDirectDeltaMush({ ...sourceOf(pack(two)), arrays: wide })).toThrow(
      'starts must be SCALAR of the types unsigned byte, unsigned short, unsigned int',
    );
  });

  it('refuse rows that share entries beyond what the file can mean, before memory is allocated', () => {
    const vertexCount = 5000;
    const entryCount = 4000;
    const packed: PackedDdm = {
      starts: new Uint32Array(vertexCount),
      counts: new Uint16Array(vertexCount).fill(entryCount),
      centers: new Float32Array(3 * vertexCount),
      joints: Uint16Array.from({ length: entryCount }, (_, e) => e),
      columns: Float32Array.from({ length: 4 * entryCount }, (_, c) => (c % 4 === 3 ? 1 / entryCount : 0)),
    };
    const source = { ...sourceOf(packed), jointCount: entryCount, budget: makeDecodeBudget(174_000) };
    const before = process.memoryUsage().arrayBuffers;
    expect(() => decodeDirectDeltaMush(source)).toThrow('claims data of 1680000000 bytes');
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1e6);
  });
});

const GOLDEN_FLOATS = {
  centers: '0000803f0000803f000000000000803f0000803f0000803f0000803f0000803f00000000',
  columns: '0000803e000040bf000000000000403f000080be0000403f000000000000803e0000000000000000000000000000803f',
  counts: '020102',
  joints: '000003002c01',
  squares:
    '0a00403f000080be000000000a00403f00000000dbe123350700803e000040bf0000000001001040000000007a825a34000000000000000000000000000000000000000000000000',
  starts: '000000000200000000000000',
};

const GOLDEN_SHORTS = {
  centers: '0000803f0000803f000000000000803f0000803f0000803f0000803f0000803f00000000',
  columns: '501511c00000ff5fb0eaef3f00000020000000000000ff7f',
  counts: '020102',
  joints: '000003002c01',
  scales: 'fb31c03f0000803ffb31c03f',
  squares: '972acef10000972a00000400330e6cd50000be7f00000100000000000000000000000000',
  starts: '000000000200000000000000',
};
