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

  /** Patches of all vertices: vertexCount x width vertices, and the number of those of each patch. */
  listAll(width: number): { patches: Uint32Array; sizes: Uint32Array } {
    const vertexCount = this.#reached.length;
    const patches = new Uint32Array(vertexCount * width);
    const sizes = new Uint32Array(vertexCount);
    for (let i = 0; i < vertexCount; i++) sizes[i] = this.#fill(i, patches, i * width, width);
    return { patches, sizes };
  }

  /** The same as list(), into an array. */
  #fill(vertex: number, patches: Uint32Array, begin: number, width: number): number {
    const { rowStart, neighbours } = this.#adjacency;
    const reached = this.#reached;
    const call = ++this.#calls;
    patches[begin] = vertex;
    reached[vertex] = call;
    let end = begin + 1;
    for (let n = begin; n < end && end < begin + width; n++) {
      const stop = rowStart[patches[n] + 1];
      for (let e = rowStart[patches[n]]; e < stop && end < begin + width; e++) {
        const next = neighbours[e];
        if (reached[next] === call) continue;
        reached[next] = call;
        patches[end++] = next;
      }
    }
    return end - begin;
  }
}
