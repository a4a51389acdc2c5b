// SPDX-License-Identifier: MIT
import type { Adjacency } from '../../../core/mesh/topology/adjacency.ts';
import { type Dictionary, NONE } from './dictionary.ts';
import { reallocateAtoms } from './reallocate-atoms.ts';

/** Removes entries of the smallest cost until both layers have at most the given number: whole atoms if the excess is large, otherwise second shares. */
export function trimDictionary(dictionary: Dictionary, adjacency: Adjacency, maxEntries: number): void {
  const { first, second, share, errors } = dictionary;
  const n = first.length;
  while (dictionary.countEntries() - maxEntries > n / 100) if (reallocateAtoms(dictionary, adjacency) === 0) break;
  let over = dictionary.countEntries() - maxEntries;
  if (!(over > 0)) return;
  const costs = new Float64Array(n);
  const points: number[] = [];
  for (let i = 0; i < n; i++) {
    if (second[i] === NONE) continue;
    dictionary.clearCandidates();
    dictionary.addCandidatesOf(i);
    dictionary.search(i);
    costs[i] = dictionary.best.single - errors[i];
    points.push(i);
  }
  points.sort((a, b) => costs[a] - costs[b] || a - b);
  for (const i of points) {
    if (over <= 0) break;
    // the better of the two single atoms
    let best = Number.POSITIVE_INFINITY;
    let kept = first[i];
    for (const k of [first[i], second[i]]) {
      dictionary.clearCandidates();
      dictionary.addCandidate(k);
      dictionary.search(i);
      if (dictionary.best.error < best) {
        best = dictionary.best.error;
        kept = k;
      }
    }
    first[i] = kept;
    second[i] = NONE;
    share[i] = 1;
    errors[i] = best;
    over--;
  }
}
