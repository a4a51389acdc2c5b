// SPDX-License-Identifier: MIT
import type { Compute, Resident } from './compute.ts';

/** Rows asked about in one run. */
const MOST_LISTS = 1024;
/** Numbers of all lists of a run, about. */
const MOST_NEAR = 1 << 20;

/** Lists of rows that may be near others, for kernels: filled one list at a time, run when full. */
export class NearLists {
  readonly compute: Compute;
  /** One per list: the row or place it belongs to. */
  readonly ids: Resident<Uint32Array>;
  readonly starts: Resident<Uint32Array>;
  readonly near: Resident<Uint32Array>;
  /** One per list: what kernels answer. */
  readonly best: Resident<Uint32Array>;
  readonly least: Resident<Float64Array>;
  count = 0;

  /** @param longest numbers of the longest list */
  constructor(compute: Compute, longest: number, mostLists = MOST_LISTS) {
    this.compute = compute;
    this.ids = compute.uint32(mostLists);
    this.starts = compute.uint32(mostLists + 1);
    this.near = compute.uint32(Math.max(longest, MOST_NEAR));
    this.best = compute.uint32(mostLists);
    this.least = compute.float64(mostLists);
  }

  /** Adds a list; false, and nothing is added, where there is no room for it before clear(). */
  add(id: number, near: readonly number[]): boolean {
    const starts = this.starts.view();
    const begin = starts[this.count];
    if (this.count === this.ids.length || begin + near.length > this.near.length) return false;
    this.near.view().set(near, begin);
    this.ids.view()[this.count] = id;
    this.count++;
    starts[this.count] = begin + near.length;
    return true;
  }

  clear(): void {
    this.count = 0;
  }
}
