// SPDX-License-Identifier: MIT
import { makeAdjacency } from '../../core/mesh/topology/adjacency.ts';
import { makeSkin, type Skin } from '../../core/model/skin/skin.ts';

/**
 * Smooths weights over the surface: each pass averages the weights of a vertex with the mean of its neighbours. Then each vertex keeps its
 * largest weights.
 */
export function softenWeights(
  skin: Skin,
  triangles: Uint32Array,
  boneCount: number,
  passes: number,
  influences: number,
): Skin {
  const vertexCount = skin.rowStart.length - 1;
  const { rowStart, neighbours } = makeAdjacency(vertexCount, triangles);
  let from = new Float32Array(vertexCount * boneCount);
  let to = new Float32Array(vertexCount * boneCount);
  for (let i = 0; i < vertexCount; i++)
    for (let e = skin.rowStart[i]; e < skin.rowStart[i + 1]; e++)
      from[i * boneCount + skin.boneIndices[e]] = skin.weights[e];
  for (let pass = 0; pass < passes; pass++) {
    for (let i = 0; i < vertexCount; i++) {
      const count = rowStart[i + 1] - rowStart[i];
      for (let j = 0; j < boneCount; j++) {
        let sum = 0;
        for (let e = rowStart[i]; e < rowStart[i + 1]; e++) sum += from[neighbours[e] * boneCount + j];
        to[i * boneCount + j] = count > 0 ? 0.5 * (from[i * boneCount + j] + sum / count) : from[i * boneCount + j];
      }
    }
    [from, to] = [to, from];
  }
  const ids = new Uint32Array(vertexCount * influences);
  const weights = new Float32Array(vertexCount * influences);
  const order = Array.from({ length: boneCount }, (_, j) => j);
  for (let i = 0; i < vertexCount; i++) {
    const o = i * boneCount;
    order.sort((a, b) => from[o + b] - from[o + a] || a - b);
    for (let n = 0; n < Math.min(influences, boneCount); n++) {
      ids[i * influences + n] = order[n];
      weights[i * influences + n] = from[o + order[n]];
    }
  }
  return makeSkin(ids, weights, influences);
}
