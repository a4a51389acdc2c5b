// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_VERTEX, orderLanes, SLICE } from '../../layout/order-lanes.ts';
import { alignEntries, NO_ENTRY } from '../align-entries.ts';

const skins = fc.array(fc.uniqueArray(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 7 }), {
  minLength: 1,
  maxLength: 150,
});

function pack(rows: readonly number[][]): { rowStart: Uint32Array; boneIndices: Uint32Array } {
  const rowStart = new Uint32Array(rows.length + 1);
  for (const [i, row] of rows.entries()) rowStart[i + 1] = rowStart[i] + row.length;
  return { rowStart, boneIndices: Uint32Array.from(rows.flat()) };
}

describe('entries in columns that neighbours share', () => {
  for (const perRow of [1, 4]) {
    for (const keepsFirst of [false, true]) {
      it(`hold every entry of every vertex once, with its bone (${perRow} per row, keeps first: ${keepsFirst})`, () => {
        fc.assert(
          fc.property(skins, (rows) => {
            const { rowStart, boneIndices } = pack(rows);
            const order = orderLanes(rowStart, perRow, perRow === 1);
            const { entryAt, boneAt } = alignEntries(order, rowStart, boneIndices, perRow, keepsFirst);
            for (const [n, i] of order.vertexOfLane.entries()) {
              if (i === NO_VERTEX) continue;
              const s = Math.floor(n / SLICE);
              const seen: number[] = [];
              for (let column = 0; column < order.slices[2 * s + 1] * perRow; column++) {
                const o = (order.slices[2 * s] * perRow + column) * SLICE + (n % SLICE);
                expect(boneAt[o]).toBeLessThan(10);
                if (entryAt[o] === NO_ENTRY) continue;
                seen.push(entryAt[o]);
                expect(boneAt[o]).toBe(rows[i][entryAt[o]]);
                if (keepsFirst && column === 0) expect(entryAt[o]).toBe(0);
              }
              expect(seen.sort((a, b) => a - b)).toEqual(rows[i].map((_, e) => e));
            }
          }),
        );
      });
    }
  }

  it('read one bone per column where all vertices have the same bones in any order', () => {
    const rows = Array.from({ length: 32 }, (_, i) => [3, 1, 4, 2].map((_, c, all) => all[(c + i) % 4]));
    const { rowStart, boneIndices } = pack(rows);
    const { boneAt } = alignEntries(orderLanes(rowStart, 4, false), rowStart, boneIndices, 4, false);
    for (let column = 0; column < 4; column++)
      expect(new Set(boneAt.subarray(column * SLICE, (column + 1) * SLICE)).size).toBe(1);
  });
});
