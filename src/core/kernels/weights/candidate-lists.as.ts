// SPDX-License-Identifier: MIT
// Candidate bones of chunks of vertices; candidate-lists.ts has the description and the reference implementation.
import { f64s } from '../matrices/vectors.as';

const NONE: u32 = 0xffffffff;

// @ts-ignore: decorator
@inline function at(list: usize, n: i32): usize { return list + (<usize>n << 2); }

/** Adds a bone to the members unless it is one; places has the index of every member. */
// @ts-ignore: decorator
@inline function add(bone: u32, members: usize, places: usize, n: i32): i32 {
  const place = at(places, bone);
  if (load<u32>(place) != NONE) return n;
  store<u32>(place, n);
  store<u32>(at(members, n), bone);
  return n + 1;
}

/** Members of a chunk: the bones of its vertices with a weight, then those of its list. Returns their number. */
export function listMembers(list: usize, ids: usize, weights: usize, begin: i32, end: i32, k: i32, boneCount: i32, members: usize, places: usize): i32 {
  memory.fill(places, 0xff, <usize>boneCount << 2);
  let n = 0;
  for (let e = begin * k; e < end * k; e++) if (load<f64>(weights + f64s(e)) > 0) n = add(load<u32>(at(ids, e)), members, places, n);
  const count = <i32>load<u32>(list);
  for (let c = 1; c <= count; c++) n = add(load<u32>(at(list, c)), members, places, n);
  return n;
}

/** Fills the list of a chunk: the bones of its vertices, then the best candidates of all vertices, the second best, and so on, up to a number. */
export function putList(list: usize, limit: i32, tops: usize, topCount: i32, ids: usize, weights: usize, begin: i32, end: i32, k: i32, boneCount: i32, places: usize): void {
  memory.fill(places, 0xff, <usize>boneCount << 2);
  let n = 0;
  for (let e = begin * k; e < end * k && n < limit; e++) if (load<f64>(weights + f64s(e)) > 0) n = add(load<u32>(at(ids, e)), list + 4, places, n);
  for (let r = 0; r < topCount; r++) {
    for (let i = 0; i < end - begin && n < limit; i++) {
      const bone = load<u32>(at(tops, i * topCount + r));
      if (bone != NONE) n = add(bone, list + 4, places, n);
    }
  }
  store<u32>(list, n);
}

/** Four columns of every row per member. */
export function gatherColumns(t: usize, rows: i32, boneCount: i32, members: usize, count: i32, out: usize): void {
  const stride = f64s(4 * boneCount);
  for (let row = 0; row < rows; row++) {
    for (let c = 0; c < count; c++) {
      const from = t + f64s(4 * load<u32>(at(members, c)));
      v128.store(out, v128.load(from)); v128.store(out, v128.load(from, 16), 16);
      out += 32;
    }
    t += stride;
  }
}

/** One column of a table of ten rows per member. */
export function gatherTable(table: usize, width: i32, members: usize, count: i32, out: usize, outWidth: i32): void {
  for (let k = 0; k < 10; k++) {
    for (let c = 0; c < count; c++) store<f64>(out + f64s(c), load<f64>(table + f64s(load<u32>(at(members, c)))));
    if (count < outWidth) store<f64>(out + f64s(count), 0);
    table += f64s(width);
    out += f64s(outWidth);
  }
}

/** Lists at most most indices of values larger than a minimum, by falling value, ties by index, as u32 at found; returns their number. */
export function listLargest(values: usize, count: i32, minimum: f64, most: i32, found: usize): i32 {
  let size = 0;
  let least = minimum;
  for (let j = 0; j < count; j++) {
    const g = load<f64>(values + f64s(j));
    if (!(g > least)) continue;
    let place = size < most ? size++ : most - 1;
    for (; place > 0; place--) {
      const other = load<u32>(found + (<usize>(place - 1) << 2));
      if (load<f64>(values + f64s(other)) >= g) break;
      store<u32>(found + (<usize>place << 2), other);
    }
    store<u32>(found + (<usize>place << 2), j);
    if (size == most) least = load<f64>(values + f64s(load<u32>(found + (<usize>(most - 1) << 2))));
  }
  return size;
}
