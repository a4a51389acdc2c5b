// SPDX-License-Identifier: MIT
// For each list, the row nearest to the list's own; nearest-rows.ts has the arguments.
import { l1Distance } from '../errors/l1-distance.as';
import { f64s } from '../matrices/vectors.as';
import { NearestRows } from '../slots.as';

const NONE: u32 = 0xffffffff;

export function nearestRows(args: usize, chunk: i32, thread: i32): void {
  const rows = <usize>load<f64>(args, NearestRows.rows), ids = <usize>load<f64>(args, NearestRows.ids);
  const start = <usize>load<f64>(args, NearestRows.starts), near = <usize>load<f64>(args, NearestRows.near);
  const best = <usize>load<f64>(args, NearestRows.best), distances = <usize>load<f64>(args, NearestRows.distances);
  const count = <i32>load<f64>(args, NearestRows.count);
  const bytes = <usize>load<f64>(args, NearestRows.stride) << 2, limit = load<f64>(args, NearestRows.limit);
  const per = <i32>load<f64>(args, NearestRows.chunkSize);
  const end = min(count, (chunk + 1) * per);
  for (let n = chunk * per; n < end; n++) {
    const q = <usize>n << 2, x = rows + <usize>load<u32>(ids + q) * bytes;
    const last = near + (<usize>load<u32>(start + q, 4) << 2);
    let found = NONE, closest = limit;
    for (let e = near + (<usize>load<u32>(start + q) << 2); e < last; e += 4) {
      const other = load<u32>(e), distance = l1Distance(x, rows + <usize>other * bytes, bytes, closest);
      if (distance < closest || (distance == closest && found != NONE && other < found)) {
        closest = distance;
        found = other;
      }
    }
    store<u32>(best + q, found);
    store<f64>(distances + f64s(n), closest);
  }
}
