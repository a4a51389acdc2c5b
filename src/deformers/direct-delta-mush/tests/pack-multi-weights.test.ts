// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../../../core/math/random.ts';
import { SLICE } from '../../layout/order-lanes.ts';
import { packMultiWeights } from '../pack-multi-weights.ts';

const VERTICES = 40;
const BONES = 5;

/** Each vertex: three bones, each with the moments of a few points around the vertex. */
function makeSource() {
  const random = makeRandom(11);
  const positions = Float64Array.from({ length: 3 * VERTICES }, () => 10 + random.normal());
  const rowStart = Uint32Array.from({ length: VERTICES + 1 }, (_, i) => 3 * i);
  const boneIndices = Uint32Array.from({ length: 3 * VERTICES }, (_, e) => (Math.floor(e / 3) + (e % 3)) % BONES);
  const omegas = new Float64Array(30 * VERTICES);
  for (let e = 0; e < 3 * VERTICES; e++) {
    const i = Math.floor(e / 3);
    for (let k = 0; k < 6; k++) {
      const u = [0, 1, 2].map((c) => positions[3 * i + c] + 0.05 * random.normal());
      u.push(1);
      let o = 10 * e;
      for (let r = 0; r < 4; r++) for (let c = r; c < 4; c++) omegas[o++] += ([0.5, 0.3, 0.2][e % 3] / 6) * u[r] * u[c];
    }
  }
  return { boneCount: BONES, positions, multiWeights: { rowStart, boneIndices, omegas } };
}

/** Word w of entry `row` of lane n, for a load of `load` words and `words` words in all. */
function wordOf(
  entries: Uint32Array,
  n: number,
  row: number,
  w: number,
  words: number,
  load: number,
  firstRow: number,
): number {
  return entries[
    (((firstRow + row) * words) / load + Math.floor(w / load)) * SLICE * load + (n % SLICE) * load + (w % load)
  ];
}

describe('packMultiWeights', () => {
  it.each([0, 1] as const)('keeps moments of v%i about the center and in units of the patch', (variant) => {
    const source = makeSource();
    const { entries, order, rest, restRows } = packMultiWeights({ ...source, variant });
    const floats = new Float32Array(1);
    const words = new Uint32Array(floats.buffer);
    const restFloats = new Float32Array(rest.buffer);
    for (let n = 0; n < VERTICES; n++) {
      const slice = Math.floor(n / SLICE);
      const sums = new Float64Array(10);
      for (let row = 0; row < 3; row++) {
        for (let c = 0; c < 10; c++) {
          words[0] = wordOf(entries, n, row, c, 12, 4, order.slices[2 * slice]);
          sums[c] += floats[0];
          expect(Math.abs(floats[0])).toBeLessThanOrEqual(1.0001);
        }
      }
      for (const c of [3, 6, 8]) expect(sums[c]).toBeCloseTo(0, 6);
      expect(sums[9]).toBeCloseTo(1, 6);
      // whitened by their own sum, moments sum to the identity
      if (variant === 1)
        for (const [c, wanted] of [
          [0, 1],
          [1, 0],
          [2, 0],
          [4, 1],
          [5, 0],
          [7, 1],
        ])
          expect(sums[c]).toBeCloseTo(wanted, 5);
      const i = order.vertexOfLane[n];
      expect(rest[(slice * restRows * SLICE + (n % SLICE)) * 4 + 3]).toBe(i);
      const p = restFloats.subarray(((slice * restRows + 2) * SLICE + (n % SLICE)) * 4);
      for (let c = 0; c < 3; c++) expect(Math.abs(p[c] - source.positions[3 * i + c])).toBeLessThan(0.2);
    }
  });

  it('keeps the sums of short multi-weights to the bit, in half the bytes', () => {
    const source = makeSource();
    const long = packMultiWeights({ ...source, variant: 0 });
    const { entries, order } = packMultiWeights({ ...source, variant: 0, isShort: true });
    expect(entries.byteLength).toBe(long.entries.byteLength / 2);
    const shorts = new Int16Array(2);
    const word = new Uint32Array(shorts.buffer);
    for (let n = 0; n < VERTICES; n++) {
      const sums = new Int32Array(10);
      for (let row = 0; row < 3; row++) {
        for (let w = 0; w < 5; w++) {
          word[0] = wordOf(entries, n, row, w, 6, 2, order.slices[2 * Math.floor(n / SLICE)]);
          sums[2 * w] += shorts[0];
          sums[2 * w + 1] += shorts[1];
        }
      }
      expect([sums[3], sums[6], sums[8], sums[9]]).toEqual([0, 0, 0, 32767]);
    }
  });

  it('refuses counts that do not fit', () => {
    const source = makeSource();
    expect(() => packMultiWeights({ ...source, positions: [0, 0, 0], variant: 0 })).toThrow('1 positions for 40 rows');
    expect(() => packMultiWeights({ ...source, boneCount: 70_000, variant: 2 })).toThrow('at most 65536 bones');
  });
});
