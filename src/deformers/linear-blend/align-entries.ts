// SPDX-License-Identifier: MIT
import { type LaneOrder, NO_VERTEX, SLICE } from '../layout/index.ts';

/** Marks a column of a lane without an entry. */
export const NO_ENTRY = -1;

/** The entry of its vertex that each lane reads in each step. */
export interface AlignedEntries {
  /** rowCount x perRow x 32: place within the vertex's own row of entries, or NO_ENTRY */
  entryAt: Int32Array;
  /** rowCount x perRow x 32: the bone read there, with or without an entry */
  boneAt: Uint32Array;
}

/**
 * Sorts the entries of a slice's vertices into columns by bone. Lanes of a slice step together, and reading one bone for all of them costs at most a quarter
 * of reading one bone each. Bones are processed by descending number of vertices that use them. Each gets the column that is free for most of these vertices;
 * the other vertices put it into any free column. Columns without an entry read the bone that most other lanes read there.
 * @param rowStart vertexCount + 1
 * @param perRow entries per row of a slice
 * @param keepsFirst the first entry of a vertex stays in the first column: kernels that blend rotations expect the largest weight there
 */
export function alignEntries(
  order: LaneOrder,
  rowStart: Uint32Array,
  boneIndices: Uint32Array,
  perRow: number,
  keepsFirst: boolean,
): AlignedEntries {
  const entryAt = new Int32Array(order.rowCount * perRow * SLICE).fill(NO_ENTRY);
  const boneAt = new Uint32Array(entryAt.length);
  const lanes: number[] = [];
  for (let s = 0; 2 * s < order.slices.length; s++) {
    const columns = order.slices[2 * s + 1] * perRow;
    if (columns === 0) continue;
    const base = order.slices[2 * s] * perRow * SLICE;
    lanes.length = 0;
    for (let lane = 0; lane < SLICE; lane++) if (order.vertexOfLane[s * SLICE + lane] !== NO_VERTEX) lanes.push(lane);
    /** bone -> lanes that have it, with the entry's place */
    const users = new Map<number, [lane: number, entry: number][]>();
    for (const lane of lanes) {
      const i = order.vertexOfLane[s * SLICE + lane];
      for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
        const place = e - rowStart[i];
        if (keepsFirst && place === 0) {
          entryAt[base + lane] = 0;
          boneAt[base + lane] = boneIndices[e];
          continue;
        }
        const list = users.get(boneIndices[e]);
        if (list) list.push([lane, place]);
        else users.set(boneIndices[e], [[lane, place]]);
      }
    }
    const byUse = [...users].sort(([a, own], [b, other]) => other.length - own.length || a - b);
    const first = keepsFirst ? 1 : 0;
    for (const [bone, list] of byUse) {
      const isFree = (lane: number, column: number): boolean => entryAt[base + column * SLICE + lane] === NO_ENTRY;
      let best = first;
      let most = -1;
      for (let column = first; column < columns; column++) {
        const free = list.reduce((sum, [lane]) => sum + Number(isFree(lane, column)), 0);
        if (free > most) [best, most] = [column, free];
      }
      for (const [lane, place] of list) {
        let column = best;
        if (!isFree(lane, column)) for (column = first; !isFree(lane, column); ) column++;
        entryAt[base + column * SLICE + lane] = place;
        boneAt[base + column * SLICE + lane] = bone;
      }
    }
    fillColumns(entryAt, boneAt, base, columns);
  }
  return { entryAt, boneAt };
}

/** Gives lanes without an entry the bone of the nearest earlier lane with an entry, or of the first one. */
function fillColumns(entryAt: Int32Array, boneAt: Uint32Array, base: number, columns: number): void {
  for (let column = 0; column < columns; column++) {
    const start = base + column * SLICE;
    let lane = 0;
    while (lane < SLICE && entryAt[start + lane] === NO_ENTRY) lane++;
    let last = lane < SLICE ? boneAt[start + lane] : column > 0 ? boneAt[base] : 0;
    for (lane = 0; lane < SLICE; lane++) {
      if (entryAt[start + lane] !== NO_ENTRY) last = boneAt[start + lane];
      else boneAt[start + lane] = last;
    }
  }
}
