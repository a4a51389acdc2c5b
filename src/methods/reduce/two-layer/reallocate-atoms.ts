// SPDX-License-Identifier: MIT
import type { Adjacency } from '../../../core/mesh/topology/adjacency.ts';
import { type Dictionary, NONE } from './dictionary.ts';

/** Fraction of the atoms that are removed at a time. Chosen by hand. */
const PART = 0.1;

/**
 * Removes the tenth of the atoms with the smallest removal cost: the rise of the error if its points use the best of the other candidates. Of atoms that share a point or
 * are used by neighbours, only one is removed, since each may be the replacement of the other. Returns the number of removed atoms.
 */
export function reallocateAtoms(dictionary: Dictionary, { rowStart, neighbours }: Adjacency): number {
  const { first, second, errors } = dictionary;
  const costs = new Float64Array(dictionary.count);
  const offer = (i: number): void => {
    dictionary.clearCandidates();
    dictionary.addCandidatesOf(i);
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) dictionary.addCandidatesOf(neighbours[e]);
  };
  for (let i = 0; i < first.length; i++) {
    for (const k of [first[i], second[i]]) {
      if (k === NONE) continue;
      offer(i);
      dictionary.search(i, k);
      // without another candidate the atom is kept
      costs[k] += dictionary.best.error - errors[i];
    }
  }
  const order = Array.from(costs.keys()).sort((a, b) => costs[a] - costs[b] || a - b);
  const { start, points } = dictionary.listUsers();
  const isGone = new Uint8Array(dictionary.count);
  const isHeld = new Uint8Array(dictionary.count);
  const wanted = Math.floor(PART * dictionary.count);
  let gone = 0;
  for (const k of order) {
    if (gone >= wanted || !Number.isFinite(costs[k])) break;
    if (isHeld[k]) continue;
    isGone[k] = 1;
    gone++;
    for (let u = start[k]; u < start[k + 1]; u++) {
      const i = points[u];
      isHeld[first[i]] = 1;
      if (second[i] !== NONE) isHeld[second[i]] = 1;
      for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
        isHeld[first[neighbours[e]]] = 1;
        if (second[neighbours[e]] !== NONE) isHeld[second[neighbours[e]]] = 1;
      }
    }
  }
  for (let k = 0; k < dictionary.count; k++) {
    if (!isGone[k]) continue;
    for (let u = start[k]; u < start[k + 1]; u++) {
      offer(points[u]);
      dictionary.search(points[u], k);
      dictionary.adopt(points[u]);
    }
  }
  dictionary.remove(isGone);
  return gone;
}
