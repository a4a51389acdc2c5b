// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeCompute } from '../../../compute/make-compute.ts';
import { makeRandom } from '../../../math/random.ts';
import { type Compute, uploadFloat32, uploadFloat64 } from '../../compute.ts';
import { l1Distance, paddedWidth } from '../../errors/l1-distance.ts';
import { shiftRows } from '../../matrices/shift-rows.ts';
import { NearLists } from '../../patches/near-lists.ts';
import { NO_ROW, nearestRows } from '../nearest-rows.ts';

const ROWS = 60;
const WIDTH = 45;
const STRIDE = paddedWidth(WIDTH);

const random = makeRandom(5);
const rows = new Float32Array(ROWS * STRIDE);
for (let n = 0; n < ROWS; n++) for (let c = 0; c < WIDTH; c++) rows[n * STRIDE + c] = random.normal();
// two rows at one place
rows.copyWithin(7 * STRIDE, 3 * STRIDE, 4 * STRIDE);
const weights = Float64Array.from({ length: ROWS }, () => 1 + Math.floor(9 * random.next()));
/** For every row some others, in no order. */
const others = Array.from({ length: ROWS }, (_, n) =>
  Array.from({ length: ROWS }, (_, m) => ROWS - 1 - m).filter((m) => m !== n && random.next() < 0.6),
);

/** By a plain sum in double precision. */
function distanceOf(n: number, m: number): number {
  let sum = 0;
  for (let c = 0; c < WIDTH; c++) sum += Math.abs(rows[n * STRIDE + c] - rows[m * STRIDE + c]);
  return sum;
}

const LIMIT = 48;
const BANDWIDTH = 55;

async function withLists<T>(compute: Compute, act: (lists: NearLists) => Promise<T>): Promise<T> {
  const lists = new NearLists(compute, ROWS);
  for (const [n, near] of others.entries()) expect(lists.add(n, near)).toBe(true);
  const result = await act(lists);
  return result;
}

async function findNearest(compute: Compute) {
  const array = uploadFloat32(compute, rows);
  const found = await withLists(compute, async (lists) => {
    await nearestRows(lists, array, STRIDE, LIMIT);
    return { best: lists.best.view().slice(0, ROWS), distances: lists.distances.view().slice(0, ROWS) };
  });
  array.free();
  return found;
}

async function shift(compute: Compute) {
  const [array, heavy, here] = [
    uploadFloat32(compute, rows),
    uploadFloat64(compute, weights),
    uploadFloat32(compute, rows),
  ];
  const found = await withLists(compute, async (lists) => {
    await shiftRows(lists, array, heavy, here, STRIDE, BANDWIDTH);
    return { here: here.view().slice(), way: lists.distances.view().slice(0, ROWS) };
  });
  for (const resident of [array, heavy, here]) resident.free();
  return found;
}

const ENGINES = [
  ['typescript', 1],
  ['wasm', 1],
  ['wasm', 2],
] as const;

describe('l1Distance', () => {
  it('is the sum of differences, or a number above the limit', () => {
    for (let n = 0; n < ROWS; n++) {
      for (let m = 0; m < ROWS; m++) {
        const exact = l1Distance(rows, n * STRIDE, rows, m * STRIDE, STRIDE, Number.POSITIVE_INFINITY);
        expect(exact).toBeCloseTo(distanceOf(n, m), 4);
        const limited = l1Distance(rows, n * STRIDE, rows, m * STRIDE, STRIDE, LIMIT);
        if (exact <= LIMIT) expect(limited).toBe(exact);
        else expect(limited).toBeGreaterThan(LIMIT);
      }
    }
  });
});

describe.each(ENGINES)('rows near others: %s, %i threads', (kind, threads) => {
  it('are those of a plain loop, at equal distances the first', async () => {
    const compute = await makeCompute({ kind, threads });
    const { best, distances } = await findNearest(compute);
    compute.dispose();
    let none = 0;
    for (const [n, near] of others.entries()) {
      const closest = near.reduce((distances, m) => Math.min(distances, distanceOf(n, m)), LIMIT);
      const first = near.filter((m) => distanceOf(n, m) === closest && closest < LIMIT).sort((p, q) => p - q)[0];
      expect(best[n]).toBe(first ?? NO_ROW);
      expect(distances[n]).toBeCloseTo(closest, 4);
      if (first === undefined) none++;
    }
    expect(none).toBeGreaterThan(0);
    expect(none).toBeLessThan(ROWS);
  });

  it('move places to their weighted mean', async () => {
    const compute = await makeCompute({ kind, threads });
    const { here, way } = await shift(compute);
    compute.dispose();
    for (const [n, near] of others.entries()) {
      const mean = new Float64Array(WIDTH);
      let total = 0;
      for (const m of near) {
        const a = weights[m] * Math.max(0, 1 - distanceOf(n, m) / BANDWIDTH) ** 2;
        total += a;
        for (let c = 0; c < WIDTH; c++) mean[c] += a * rows[m * STRIDE + c];
      }
      let sum = 0;
      for (let c = 0; c < WIDTH; c++) {
        const goal = total > 0 ? mean[c] / total : rows[n * STRIDE + c];
        expect(here[n * STRIDE + c]).toBeCloseTo(goal, 4);
        sum += Math.abs(goal - rows[n * STRIDE + c]);
      }
      expect(way[n]).toBeCloseTo(sum, 3);
    }
  });
});

describe('kernels for rows near others', () => {
  it('give the same bits in WebAssembly, on any number of threads, as in the reference', async () => {
    const results: unknown[] = [];
    for (const [kind, threads] of ENGINES) {
      const compute = await makeCompute({ kind, threads });
      results.push([await findNearest(compute), await shift(compute)]);
      compute.dispose();
    }
    expect(results[1]).toEqual(results[0]);
    expect(results[2]).toEqual(results[0]);
  });

  it('accept lists until they are full', async () => {
    const compute = await makeCompute({ kind: 'typescript' });
    const lists = new NearLists(compute, ROWS, 2);
    expect([lists.add(4, [1, 2]), lists.add(5, []), lists.add(6, [3])]).toEqual([true, true, false]);
    expect([...lists.starts.view()]).toEqual([0, 2, 2]);
    lists.clear();
    expect(lists.add(6, [3])).toBe(true);
  });
});
