// SPDX-License-Identifier: MIT
// For each list of rows, the row nearest to the list's own by the L1 distance, within a limit.

import { l1Distance } from '../errors/l1-distance.ts';
import { kernel, type Resident } from '../kernel.ts';
import type { NearLists } from '../patches/near-lists.ts';

/** Lists per chunk. */
const CHUNK = 8;
/** No row lies within the limit. */
export const NO_ROW = 0xffffffff;

/**
 * Finds, for each list, its row nearest to the list's own (at equal distances the one with the lower index) and the distance.
 * @param rows rows x stride
 * @param limit rows at this distance or farther are ignored
 */
export async function nearestRows(
  lists: NearLists,
  rows: Resident<Float32Array>,
  stride: number,
  limit: number,
): Promise<void> {
  const { compute, ids, starts, near, best, distances, count } = lists;
  const args = { rows, ids, starts, near, best, distances, count, stride, limit, chunkSize: CHUNK };
  await compute.run(nearestRowsKernel, args, Math.ceil(count / CHUNK));
}

export const nearestRowsKernel = kernel(
  'nearestRows',
  {
    rows: 'f32',
    ids: 'u32',
    starts: 'u32',
    near: 'u32',
    best: 'u32',
    distances: 'f64',
    count: 'int',
    stride: 'int',
    limit: 'float',
    chunkSize: 'int',
  },
  ({ rows, ids, starts, near, best, distances, count, stride, limit, chunkSize }, chunk) => {
    const end = Math.min(count, (chunk + 1) * chunkSize);
    for (let n = chunk * chunkSize; n < end; n++) {
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
      distances[n] = closest;
    }
  },
);
