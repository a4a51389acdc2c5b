// SPDX-License-Identifier: MIT

/** Vertices per window. They are consecutive in the mesh, so that their results are contiguous in memory. */
export const WINDOW = 64;
/** Vertices that are processed in lockstep: they share a row count, and their numbers are interleaved. */
export const SLICE = 32;
/** Vertex index of padding lanes in the last window. */
export const NO_VERTEX = 0xffffffff;

/** The vertex of each lane. Lanes of a window process the vertices of that window, so that its results are contiguous in memory. */
export interface LaneOrder {
  /** windowCount x 64 vertex indices, NO_VERTEX for padding */
  vertexOfLane: Uint32Array;
  /** sliceCount x 2: first row of the slice among all slices' rows, number of rows */
  slices: Uint32Array;
  /** Total number of rows of all slices. */
  rowCount: number;
  /** The number of rows per slice if it is the same for all, otherwise 0. */
  uniformWidth: number;
}

/**
 * Orders the vertices of compressed rows for lanes.
 * @param rowStart vertexCount + 1
 * @param perRow entries per row of a slice
 * @param isSorted sort vertices by descending number of entries: the slices of a window then differ in width and waste little, but neighbouring lanes no
 *   longer write to neighbouring memory. It is faster for multi-weights, whose rows are long, and slower for plain weights (H200: ninja's own weights 0.0106 ns
 *   per vertex in order, 0.0113 sorted; two layers 0.0210 and 0.0216).
 */
export function orderLanes(rowStart: Uint32Array, perRow: number, isSorted: boolean): LaneOrder {
  const vertexCount = rowStart.length - 1;
  const windowCount = Math.ceil(vertexCount / WINDOW);
  const vertexOfLane = new Uint32Array(windowCount * WINDOW).fill(NO_VERTEX);
  const slices = new Uint32Array(((windowCount * WINDOW) / SLICE) * 2);
  const countOf = (i: number): number => rowStart[i + 1] - rowStart[i];
  let rowCount = 0;
  for (let start = 0; start < vertexCount; start += WINDOW) {
    const size = Math.min(WINDOW, vertexCount - start);
    const window = Uint32Array.from({ length: size }, (_, n) => start + n);
    if (isSorted) window.sort((a, b) => countOf(b) - countOf(a) || a - b);
    vertexOfLane.set(window, start);
    for (let n = 0; n < WINDOW; n += SLICE) {
      const s = (start + n) / SLICE;
      let most = 0;
      for (const i of window.subarray(n, n + SLICE)) most = Math.max(most, countOf(i));
      const rows = Math.ceil(most / perRow);
      slices[2 * s] = rowCount;
      slices[2 * s + 1] = rows;
      rowCount += rows;
    }
  }
  return { vertexOfLane, slices, rowCount, uniformWidth: findUniformWidth(slices) };
}

/** Slices without vertices (of the last window) have no rows and match every width. */
function findUniformWidth(slices: Uint32Array): number {
  let width = 0;
  for (let s = 1; s < slices.length; s += 2) {
    if (slices[s] === 0) continue;
    if (width !== 0 && slices[s] !== width) return 0;
    width = slices[s];
  }
  return width;
}
