// SPDX-License-Identifier: MIT
// Rows in groups around leaders: in the given order, a row joins the nearest leader within a radius, or becomes a leader. Candidate leaders come from
// hashing. Rows are processed in blocks, for threads: a block is compared with all earlier leaders, then its rows in turn with the few new leaders of the
// block. The block size is fixed, so groups do not depend on the number of threads.
import type { Compute, Resident } from '../../../core/kernels/compute.ts';
import { l1Distance } from '../../../core/kernels/errors/l1-distance.ts';
import { NearLists } from '../../../core/kernels/patches/near-lists.ts';
import { NO_ROW, nearestRows } from '../../../core/kernels/search/nearest-rows.ts';
import { makeRandom } from '../../../core/math/random.ts';
import { L1Hash } from '../lssp/l1-hash.ts';

/** Rows per block: many, to use all threads; few, to keep the number of new leaders small. */
const BLOCK = 128;

export interface GroupOptions {
  /** Rows at this distance from a leader or farther do not join it. */
  radius: number;
  /** Number of hash tables. */
  tables: number;
  /** Position of each coordinate in the rows (l1-hash.ts). */
  columns: Uint32Array;
  seed: number;
  /** Called for every row that joins a leader. */
  onJoin: (row: number, leader: number) => void;
  /** Called before each block with the progress, 0 to 1; return true to stop. */
  onBlock?: (part: number) => boolean | Promise<boolean>;
}

/**
 * The leaders in order; undefined if stopped.
 * @param rows rows x stride, padded (core/kernels/errors/l1-distance.ts)
 */
export async function groupNear(
  compute: Compute,
  rows: Resident<Float32Array>,
  stride: number,
  order: readonly number[] | Uint32Array,
  { radius, tables, columns, seed, onJoin, onBlock }: GroupOptions,
): Promise<number[] | undefined> {
  const hash = new L1Hash(rows.view(), stride, order, radius, makeRandom(seed), { tables, columns });
  const leaders: number[] = [];
  return compute.scope(async (memory) => {
    const lists = new NearLists(memory, order.length, BLOCK);
    for (let done = 0; done < order.length; done += lists.count) {
      if (onBlock && (await onBlock(done / order.length))) return undefined;
      lists.clear();
      for (let e = done; e < order.length; e++)
        if (!lists.add(order[e], hash.listNear(rows.view(), order[e] * stride))) break;
      await nearestRows(lists, rows, stride, radius);
      const [view, best, distances] = [rows.view(), lists.best.view(), lists.distances.view()];
      const before = leaders.length;
      for (let e = 0; e < lists.count; e++) {
        const row = order[done + e];
        let leader = best[e];
        let closest = distances[e];
        for (let n = before; n < leaders.length; n++) {
          const distance = l1Distance(view, row * stride, view, leaders[n] * stride, stride, closest);
          if (distance >= closest) continue;
          closest = distance;
          leader = leaders[n];
        }
        if (leader !== NO_ROW) onJoin(row, leader);
        else {
          leaders.push(row);
          hash.add(row, view, row * stride);
        }
      }
    }
    return leaders;
  });
}
