// SPDX-License-Identifier: MIT
import type { Adjacency } from './adjacency.ts';

/** Lists patches of a surface, one at a time; scratch memory is reused by every call. */
export class RingPatch {
  readonly #adjacency: Adjacency;
  /** vertexCount: the last call that reached the vertex */
  readonly #reached: Uint32Array;
  #calls = 0;

  constructor(adjacency: Adjacency) {
    this.#adjacency = adjacency;
    this.#reached = new Uint32Array(adjacency.rowStart.length - 1);
  }

  /** A vertex and its neighbours ring by ring, at most count in all; fewer if its part of the mesh is smaller. */
  list(vertex: number, count: number): number[] {
    const { rowStart, neighbours } = this.#adjacency;
    const call = ++this.#calls;
    const patch = [vertex];
    this.#reached[vertex] = call;
    for (let n = 0; n < patch.length && patch.length < count; n++) {
      for (let e = rowStart[patch[n]]; e < rowStart[patch[n] + 1] && patch.length < count; e++) {
        if (this.#reached[neighbours[e]] === call) continue;
        this.#reached[neighbours[e]] = call;
        patch.push(neighbours[e]);
      }
    }
    return patch;
  }
}
