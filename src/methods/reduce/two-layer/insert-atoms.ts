// SPDX-License-Identifier: MIT
// New atoms at the points of largest gain (Course, Algorithm 7, lines 5 to 7). Errors only fall while atoms are added, so a heap of old gains finds the largest: the top
// is used if its gain is still valid, otherwise it is inserted again with its present gain. A point is used once per batch: the error of an atom of its own weights may
// not be zero (if it has fewer bones), and Eq. 53 would choose it forever.
import type { Adjacency } from '../../../core/mesh/topology/adjacency.ts';
import type { WeightRows } from '../weight-problem.ts';
import type { Dictionary } from './dictionary.ts';
import { fillRow } from './start-dictionary.ts';
import { spreadAtom } from './update-coefficients.ts';

/** Adds up to count atoms, each with the weights of the point of largest gain, and spreads them. Returns the number of added atoms. */
export function insertAtoms(
  dictionary: Dictionary,
  adjacency: Adjacency,
  rows: WeightRows,
  floors: Float64Array,
  wanted: number,
): number {
  const n = dictionary.first.length;
  const atom = new Float64Array(dictionary.quadratics.boneCount);
  const heap = new GainHeap(n);
  for (let i = 0; i < n; i++) {
    const gain = dictionary.errors[i] - floors[i];
    if (gain > 0) heap.push(i, gain);
  }
  let added = 0;
  while (added < wanted && heap.size > 0) {
    const [i, gain] = heap.pop();
    const now = dictionary.errors[i] - floors[i];
    if (now < gain) {
      if (now > 0) heap.push(i, now);
      continue;
    }
    fillRow(rows, i, dictionary.cardinality, atom);
    const k = dictionary.add(atom);
    const before = dictionary.errors[i];
    spreadAtom(dictionary, adjacency, k, i);
    if (dictionary.errors[i] < before) added++;
    else dictionary.count--;
  }
  return added;
}

/** The largest gain first; of equal gains, the lower point. */
class GainHeap {
  size = 0;
  readonly #points: Int32Array;
  readonly #gains: Float64Array;

  constructor(capacity: number) {
    this.#points = new Int32Array(capacity + 1);
    this.#gains = new Float64Array(capacity + 1);
  }

  #isBefore(a: number, b: number): boolean {
    const [ga, gb] = [this.#gains[a], this.#gains[b]];
    return ga > gb || (ga === gb && this.#points[a] < this.#points[b]);
  }

  #swap(a: number, b: number): void {
    const point = this.#points[a];
    const gain = this.#gains[a];
    this.#points[a] = this.#points[b];
    this.#gains[a] = this.#gains[b];
    this.#points[b] = point;
    this.#gains[b] = gain;
  }

  push(point: number, gain: number): void {
    let at = this.size++;
    this.#points[at] = point;
    this.#gains[at] = gain;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#isBefore(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  pop(): [number, number] {
    const top: [number, number] = [this.#points[0], this.#gains[0]];
    this.size--;
    this.#points[0] = this.#points[this.size];
    this.#gains[0] = this.#gains[this.size];
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.size) return top;
      if (child + 1 < this.size && this.#isBefore(child + 1, child)) child++;
      if (!this.#isBefore(child, at)) return top;
      this.#swap(at, child);
      at = child;
    }
  }
}
