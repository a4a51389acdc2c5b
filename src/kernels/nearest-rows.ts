// SPDX-License-Identifier: MIT
// The nearest of some rows to each of some others, by the L1 distance, within a limit.
import type { Resident, ResidentArray } from './compute.ts';
import { l1Distance } from './l1-distance.ts';
import type { NearLists } from './near-lists.ts';

/** Rows asked about per chunk. */
const CHUNK = 8;
/** No row lies within the limit. */
export const NO_ROW = 0xffffffff;

/**
 * For each list: the row of it that is nearest to the list's own (of equal ones the first by index), and how far it is.
 * @param rows rows x stride
 * @param limit a row this far or farther is none
 */
export async function nearestRows(
  lists: NearLists,
  rows: Resident<Float32Array>,
  stride: number,
  limit: number,
): Promise<void> {
  const { compute, ids, starts, near, best, least, count } = lists;
  const args = [rows, ids, starts, near, best, least, count, stride, limit, CHUNK];
  await compute.run('nearestRows', args, Math.ceil(count / CHUNK));
}

/** args: rows, ids, list starts, lists, best, least, lists, stride, limit, lists per chunk */
export function nearestRowsTwin(args: readonly (ResidentArray | number)[], chunk: number): void {
  const rows = args[0] as Float32Array;
  const [ids, starts, near, best] = args.slice(1) as Uint32Array[];
  const least = args[5] as Float64Array;
  const [count, stride, limit, per] = args.slice(6) as number[];
  const end = Math.min(count, (chunk + 1) * per);
  for (let n = chunk * per; n < end; n++) {
    let found = NO_ROW;
    let closest = limit;
    for (let e = starts[n]; e < starts[n + 1]; e++) {
      const distance = l1Distance(rows, ids[n] * stride, rows, near[e] * stride, stride, closest);
      if (distance < closest || (distance === closest && found !== NO_ROW && near[e] < found)) {
        closest = distance;
        found = near[e];
      }
    }
    best[n] = found;
    least[n] = closest;
  }
}
