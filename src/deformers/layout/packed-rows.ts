// SPDX-License-Identifier: MIT
import type { LaneOrder } from './order-lanes.ts';

/** How the entries of a packed model are laid out. */
export type EntryLayout = 'weights' | 'columns' | 'moments' | 'short-moments';

/** Words of 4 bytes per row of a lane, and number of words per load. */
export const ENTRY_WORDS: Record<EntryLayout, { words: number; load: 2 | 4 }> = {
  // two bones per word (4), four weights
  weights: { words: 6, load: 2 },
  // last column of a multi-weight, bone, one spare
  columns: { words: 6, load: 2 },
  // ten numbers, bone, one spare
  moments: { words: 12, load: 4 },
  // ten numbers of 16 bits, bone
  'short-moments': { words: 6, load: 2 },
};

/** Arrays of a model in the layout of the kernels: one lane per vertex, neighbouring lanes in neighbouring memory. */
export interface PackedRows {
  layout: EntryLayout;
  vertexCount: number;
  boneCount: number;
  order: LaneOrder;
  /** Words of 16 bytes per lane in rest. */
  restRows: number;
  /** sliceCount x restRows x 32 x 4 words: floats, and the vertex index at a place that depends on the kernel */
  rest: Uint32Array;
  /** rows x (words / load) x 32 x load words */
  entries: Uint32Array;
}

/** Writes the words of row `row`, lane `lane` of a slice. */
export function putRow(entries: Uint32Array, layout: EntryLayout, row: number, lane: number, words: Uint32Array): void {
  const { words: count, load } = ENTRY_WORDS[layout];
  for (let w = 0; w < count; w += load) {
    const o = ((row * count) / load + w / load) * 32 * load + lane * load;
    for (let c = 0; c < load; c++) entries[o + c] = words[w + c];
  }
}
