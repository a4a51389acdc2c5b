// SPDX-License-Identifier: MIT

import type { WeightRows } from '../weight-problem.ts';
import type { Dictionary } from './dictionary.ts';

/** Two atoms (Algorithm 7, line 1): the weights with the largest norm, and those with the smallest product with them; every point chooses. */
export function startDictionary(dictionary: Dictionary, rows: WeightRows): void {
  const { pointCount: n, boneCount: m } = dictionary.quadratics;
  let one = 0;
  let largest = -1;
  for (let i = 0; i < n; i++) {
    let square = 0;
    for (let e = rows.rowStart[i]; e < rows.rowStart[i + 1]; e++) square += rows.values[e] ** 2;
    if (square > largest) {
      largest = square;
      one = i;
    }
  }
  const atom = new Float64Array(m);
  fillRow(rows, one, dictionary.cardinality, atom);
  dictionary.add(atom);
  let other = 0;
  let lowest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < n; i++) {
    let dot = 0;
    for (let e = rows.rowStart[i]; e < rows.rowStart[i + 1]; e++) dot += rows.values[e] * atom[rows.columns[e]];
    if (dot < lowest) {
      lowest = dot;
      other = i;
    }
  }
  fillRow(rows, other, dictionary.cardinality, atom);
  dictionary.add(atom);
  for (let i = 0; i < n; i++) {
    dictionary.clearCandidates();
    dictionary.addCandidate(0);
    dictionary.addCandidate(1);
    dictionary.search(i);
    dictionary.adopt(i);
  }
}

/** The largest weights of a point, at most count, scaled to sum to one. */
export function fillRow(
  { rowStart, columns, values }: WeightRows,
  i: number,
  maxEntries: number,
  atom: Float64Array,
): void {
  atom.fill(0);
  const end = Math.min(rowStart[i + 1], rowStart[i] + maxEntries);
  let sum = 0;
  for (let e = rowStart[i]; e < end; e++) sum += values[e];
  for (let e = rowStart[i]; e < end; e++) atom[columns[e]] = values[e] / sum;
}
