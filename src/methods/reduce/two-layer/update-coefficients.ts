// SPDX-License-Identifier: MIT
// Coefficients of a dictionary: each point uses the best two atoms among its own and those of its neighbours; a new atom spreads over the mesh while
// points adopt it (Course, Algorithm 8, breadth first with a queue instead of recursion).
import type { Adjacency } from '../../../core/mesh/topology/adjacency.ts';
import type { Dictionary } from './dictionary.ts';

/** One pass over all points, in order; rings: how many rings of neighbours are searched. Errors never rise. Returns their sum. */
export function updateCoefficients(dictionary: Dictionary, { rowStart, neighbours }: Adjacency, rings: 1 | 2): number {
  let sum = 0;
  for (let i = 0; i < dictionary.first.length; i++) {
    dictionary.clearCandidates();
    dictionary.addCandidatesOf(i);
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) dictionary.addCandidatesOf(neighbours[e]);
    if (rings === 2) {
      for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
        const r = neighbours[e];
        for (let f = rowStart[r]; f < rowStart[r + 1]; f++) dictionary.addCandidatesOf(neighbours[f]);
      }
    }
    dictionary.search(i);
    dictionary.adopt(i);
    sum += dictionary.errors[i];
  }
  return sum;
}

/** Tries an atom at a point, then at the neighbours of each point that adopts it. */
export function spreadAtom(
  dictionary: Dictionary,
  { rowStart, neighbours }: Adjacency,
  atom: number,
  from: number,
): void {
  const queue = [from];
  const isSeen = new Set(queue);
  for (let head = 0; head < queue.length; head++) {
    const i = queue[head];
    dictionary.clearCandidates();
    dictionary.addCandidatesOf(i);
    dictionary.addCandidate(atom);
    dictionary.search(i);
    const { best } = dictionary;
    if (best.first !== atom && best.second !== atom) continue;
    if (!(best.error < dictionary.errors[i])) continue;
    dictionary.adopt(i);
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
      if (isSeen.has(neighbours[e])) continue;
      isSeen.add(neighbours[e]);
      queue.push(neighbours[e]);
    }
  }
}
