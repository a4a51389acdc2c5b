// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_VERTEX, orderLanes, SLICE, WINDOW } from '../order-lanes.ts';

describe('orderLanes', () => {
  it('gives every vertex one lane of its own window and rows enough for its entries', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 200 }),
        fc.integer({ min: 1, max: 4 }),
        (counts, perRow) => {
          const rowStart = new Uint32Array(counts.length + 1);
          for (const [i, count] of counts.entries()) rowStart[i + 1] = rowStart[i] + count;
          const { vertexOfLane, slices, rowCount, uniformWidth } = orderLanes(rowStart, perRow, perRow === 1);
          expect([...vertexOfLane].filter((i) => i !== NO_VERTEX).sort((a, b) => a - b)).toEqual([...counts.keys()]);
          let rows = 0;
          for (const [n, i] of vertexOfLane.entries()) {
            if (n % SLICE === 0) {
              expect(slices[(2 * n) / SLICE]).toBe(rows);
              rows += slices[(2 * n) / SLICE + 1];
            }
            if (i === NO_VERTEX) continue;
            expect(Math.floor(i / WINDOW)).toBe(Math.floor(n / WINDOW));
            expect(slices[2 * Math.floor(n / SLICE) + 1] * perRow).toBeGreaterThanOrEqual(counts[i]);
          }
          expect(rows).toBe(rowCount);
          const widths = new Set([...slices].filter((w, n) => n % 2 === 1 && w > 0));
          expect(uniformWidth).toBe(widths.size === 1 ? [...widths][0] : 0);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('puts vertices with many entries together, so that few rows are padding', () => {
    // one vertex in eight has nine entries, the others one: as they come, every slice would be nine rows wide
    const rowStart = new Uint32Array(641);
    for (let i = 0; i < 640; i++) rowStart[i + 1] = rowStart[i] + (i % 8 === 0 ? 9 : 1);
    expect(orderLanes(rowStart, 1, true).rowCount).toBe(10 * (9 + 1));
  });
});
