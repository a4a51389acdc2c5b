// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeIdentities } from '../../../core/math/mat4.ts';
import { checkMultiWeights, type MultiWeights } from '../../../core/model/deformed/direct-delta-mush.ts';
import { skinOfMultiWeights } from '../../../methods/compress/virtual-bones/skin-of-multi-weights.ts';
import { dropMultiWeights } from '../drop-multi-weights.ts';

/** One vertex; entries [bone, weight, x of its moment]. */
function makeRow(entries: [number, number, number][]): MultiWeights {
  const omegas = new Float64Array(10 * entries.length);
  entries.forEach(([, weight, x], e) => {
    omegas[10 * e] = weight * x * x;
    omegas[10 * e + 3] = weight * x;
    omegas[10 * e + 9] = weight;
  });
  return {
    rowStart: Uint32Array.of(0, entries.length),
    boneIndices: Uint32Array.from(entries, ([bone]) => bone),
    omegas,
  };
}

//   0 - 1 - 2 - 3
//    \ 4 - 5        and 6 is a root of its own
const skeleton = {
  names: ['0', '1', '2', '3', '4', '5', '6'],
  parents: Int32Array.of(-1, 0, 1, 2, 0, 4, -1),
  bindMatrices: makeIdentities(7),
};

describe('dropping multi-weights', () => {
  it('folds small entries into the kept bone nearest along the skeleton, and sorts', () => {
    const row = makeRow([
      [1, 0.3, 1],
      [3, 0.004, 2],
      [4, 0.69, 3],
      [5, 0.006, 4],
    ]);
    const { boneIndices, omegas } = dropMultiWeights(row, skeleton, { threshold: 0.01 });
    expect([...boneIndices]).toEqual([4, 1]);
    expect(omegas[9]).toBeCloseTo(0.696, 12);
    expect(omegas[3]).toBeCloseTo(0.69 * 3 + 0.006 * 4, 12);
    expect(omegas[19]).toBeCloseTo(0.304, 12);
    expect(omegas[13]).toBeCloseTo(0.3 * 1 + 0.004 * 2, 12);
    expect(row.boneIndices).toHaveLength(4);
  });

  it('renormalizes the kept entries with the option renormalize', () => {
    const row = makeRow([
      [1, 0.8, 1],
      [3, 0.005, 2],
      [4, 0.195, 3],
    ]);
    const { omegas } = dropMultiWeights(row, skeleton, { threshold: 0.01, drop: 'renormalize' });
    expect(omegas[9]).toBeCloseTo(0.8 / 0.995, 12);
    expect(omegas[13]).toBeCloseTo((0.195 * 3) / 0.995, 12);
  });

  it('keeps the strongest entry for any threshold, and measures distances between trees', () => {
    const row = makeRow([
      [2, 0.6, 1],
      [6, 0.4, 2],
    ]);
    const { boneIndices, omegas } = dropMultiWeights(row, skeleton, { threshold: 0.9 });
    expect([...boneIndices]).toEqual([2]);
    expect(omegas[9]).toBeCloseTo(1, 12);
  });

  it('rejects invalid thresholds and rules', () => {
    const row = makeRow([[0, 1, 1]]);
    expect(() => dropMultiWeights(row, skeleton, { threshold: 1 })).toThrow('at least 0 and below 1, got 1');
    expect(() => dropMultiWeights(row, skeleton, { drop: 'lose' as 'fold' })).toThrow("got 'lose'");
  });
});

describe('the skin of multi-weights', () => {
  it('keeps the largest weights, summing to one', () => {
    const row = makeRow([
      [4, 0.5, 1],
      [1, 0.3, 1],
      [2, 0.2, 1],
    ]);
    expect([...skinOfMultiWeights(row).boneIndices]).toEqual([4, 1, 2]);
    const { boneIndices, weights } = skinOfMultiWeights(row, 2);
    expect([...boneIndices]).toEqual([4, 1]);
    expect(weights[0]).toBeCloseTo(0.625, 6);
    expect(() => skinOfMultiWeights(row, -1)).toThrow('influences must be a whole number, got -1');
  });
});

describe('checking multi-weights', () => {
  it('reports the fault', () => {
    const good = makeRow([[0, 1, 1]]);
    expect(() => checkMultiWeights(good, 1, 1)).not.toThrow();
    expect(() => checkMultiWeights(good, 2, 1)).toThrow('1 rows for 2 vertices');
    expect(() => checkMultiWeights(makeRow([[3, 1, 1]]), 1, 2)).toThrow('vertex 0 names bone 3 of 2');
    expect(() => checkMultiWeights(makeRow([[0, 0.5, 1]]), 1, 1)).toThrow('vertex 0 sum to 0.5');
    expect(() => checkMultiWeights(makeRow([[0, 1, Number.NaN]]), 1, 1)).toThrow('not finite');
    const rising = makeRow([
      [0, 0.4, 1],
      [1, 0.6, 1],
    ]);
    expect(() => checkMultiWeights(rising, 1, 2)).toThrow('do not fall');
    expect(() => checkMultiWeights({ ...good, omegas: new Float64Array(3) }, 1, 1)).toThrow('disagree in number');
  });
});
