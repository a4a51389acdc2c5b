// SPDX-License-Identifier: MIT
import type { Compute, Resident } from '../compute.ts';

/** Maximum number of lists per run. */
const MAX_LISTS = 1024;
/** Approximate total length of the lists of a run. */
const MAX_NEAR = 1 << 20;

/** Lists of rows that may be near others, for kernels: filled list by list, and run when full. */
export class NearLists {
  readonly compute: Compute;
  /** One per list: its row or place. */
  readonly ids: Resident<Uint32Array>;
  readonly starts: Resident<Uint32Array>;
  readonly near: Resident<Uint32Array>;
  /** One per list: results of the kernels. */
  readonly best: Resident<Uint32Array>;
  readonly distances: Resident<Float64Array>;
  count = 0;

  /** @param longest length of the longest list */
  constructor(compute: Compute, longest: number, maxLists = MAX_LISTS) {
    this.compute = compute;
    this.ids = compute.uint32(maxLists);
    this.starts = compute.uint32(maxLists + 1);
    this.near = compute.uint32(Math.max(longest, MAX_NEAR));
    this.best = compute.uint32(maxLists);
    this.distances = compute.float64(maxLists);
  }

  /** Adds a list; returns false, without adding it, if it does not fit before clear(). */
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
