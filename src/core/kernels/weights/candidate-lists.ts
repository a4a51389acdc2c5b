// SPDX-License-Identifier: MIT
// Candidate bones of chunks of vertices, for the weight solve with many bones (convex-weights.ts). Its cost per vertex is proportional to the number of bones, and nearly all of them are far from the vertex. Vertices of a
// chunk are neighbours, so they share their candidates: a solve over all bones lists, for every chunk, the bones of its vertices and the bones with the largest gains; the next warm solves use only these. The products of the
// members are gathered into small tables, which fit the cache.
//
// horse-gallop on 8 threads of an Intel Xeon, seconds of solving with lists and over all bones: 80 bones 7.7 and 9.7, 160 bones 16.4 and 22.6.
import type { Compute, Resident } from '../compute.ts';

/** Maximum number of bones of a list; the bones that vertices have are members also beyond it. */
export const MAX_CANDIDATES = 32;
/** Bones that every vertex adds to the list of its chunk, by falling gain. */
export const TOP_CANDIDATES = 6;
const NONE = 0xffffffff;

/** Lists of candidate bones: chunkCount x (1 + MAX_CANDIDATES), the number of bones first. */
export type CandidateLists = Resident<Uint32Array>;

export function reserveCandidateLists(compute: Compute, chunkCount: number): CandidateLists {
  return compute.uint32(chunkCount * (1 + MAX_CANDIDATES));
}

/** Doubles of scratch memory per thread, for a chunk of vertices. */
export function candidateScratchOf(chunk: number, influences: number, boneCount: number, rows: number): number {
  const count = Math.min(boneCount, MAX_CANDIDATES + chunk * influences);
  const width = count + (count & 1);
  const lists = Math.ceil((count + boneCount + chunk * TOP_CANDIDATES) / 2) + 2;
  return lists + 4 * rows * count + 10 * width * (count + 1);
}

/** Members of a chunk: the bones of its vertices with a weight, then those of its list. */
export function listMembers(
  list: Uint32Array,
  ids: Uint32Array,
  weights: Float64Array,
  begin: number,
  end: number,
): number[] {
  const members = new Set<number>();
  for (let e = begin; e < end; e++) if (weights[e] > 0) members.add(ids[e]);
  for (let c = 1; c <= list[0]; c++) members.add(list[c]);
  return [...members];
}

/**
 * Fills the list of a chunk: the bones of its vertices, then the best candidates of all vertices, the second best, and so on.
 * @param tops candidates of each vertex, by falling gain
 */
export function putList(
  list: Uint32Array,
  tops: readonly (readonly number[])[],
  ids: Uint32Array,
  weights: Float64Array,
  begin: number,
  end: number,
): void {
  const found = new Set<number>();
  for (let e = begin; e < end; e++) if (weights[e] > 0) found.add(ids[e]);
  for (let r = 0; r < TOP_CANDIDATES; r++) for (const top of tops) found.add(top[r] ?? NONE);
  found.delete(NONE);
  const kept = [...found].slice(0, MAX_CANDIDATES);
  list[0] = kept.length;
  list.set(kept, 1);
}

/** The numbers of some columns of a table, in groups. */
export function gatherColumns(
  table: Float64Array,
  rows: number,
  stride: number,
  members: readonly number[],
  group: number,
  outStride: number,
): Float64Array {
  const out = new Float64Array(rows * outStride);
  for (let row = 0; row < rows; row++)
    for (const [c, j] of members.entries())
      for (let g = 0; g < group; g++) out[row * outStride + c * group + g] = table[row * stride + j * group + g];
  return out;
}
