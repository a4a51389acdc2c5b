// SPDX-License-Identifier: MIT
// E. de Aguiar, C. Theobalt, S. Thrun, H.-P. Seidel, "Automatic conversion of mesh animations into skeleton-based animations", Eurographics 2008; Course 2014, §2.2.
// Seeds, spread evenly over the surface (about 1 % of the points), represent patches that grow around them along the surface, more slowly where it is bent (after
// H. Yamauchi et al., "Feature sensitive mesh segmentation with mean shift", 2005). Two seeds on one rigid part keep their distance: with σ the standard
// deviation of their distance over the frames, and d its mean, their similarity is exp(−(σ + c d)²/2s²), s the local scale √(sᵢsⱼ) with sᵢ the value for the
// seventh neighbour. Spectral clustering of the seeds gives near-rigid components, and patches follow their seeds.
//
// Differences: s is local (L. Zelnik-Manor and P. Perona, "Self-tuning spectral clustering", NIPS 2004) where the paper has one number per model; the term with d
// keeps clusters local, which the deviation alone does not (the two front hooves of a galloping animal move alike).
import type { Trajectories } from '../../../core/kernels/matrices/trajectories.ts';
import type { Random } from '../../../core/math/random.ts';
import { farthestPoints } from '../../../core/mesh/geometry/farthest-points.ts';
import { vertexNormalsInto } from '../../../core/mesh/geometry/vertex-normals.ts';
import { makeAdjacency } from '../../../core/mesh/topology/adjacency.ts';
import { BinaryHeap, spectralClusters } from '../../../fit/clusters/index.ts';

/** Number of seeds: a ratio of the points (1 % as in the paper), a minimum per cluster, and overall bounds. The bounds are not tuned. */
const SEED_PART = 0.01;
const SEEDS_PER_CLUSTER = 6;
const MIN_SEEDS = 24;
const MAX_SEEDS = 320;
/** Edge lengths grow by this factor, added to one, if the normals differ by 90°. Not tuned. */
const BEND = 4;
/** Weight c of the mean distance. Not tuned. */
const DISTANCE_PART = 0.05;
const NEIGHBOUR = 7;

/** Clusters points into count near-rigid components; by point: its cluster. */
export function mutualDistanceClusters(
  trajectories: Trajectories,
  triangles: Uint32Array,
  count: number,
  random: Random,
): Uint32Array {
  const { vertexCount } = trajectories;
  const wanted = Math.max(MIN_SEEDS, SEEDS_PER_CLUSTER * count, Math.round(SEED_PART * vertexCount));
  const seeds = farthestPoints(trajectories.rest.view(), Math.min(wanted, MAX_SEEDS, vertexCount), { start: 0 });
  const patches = growPatches(trajectories, triangles, seeds);
  const labels = spectralClusters(measureSimilarity(trajectories, seeds), seeds.length, count, random);
  return patches.map((seed) => labels[seed]);
}

/** seedCount x seedCount */
function measureSimilarity(trajectories: Trajectories, seeds: Uint32Array): Float64Array {
  const posed = trajectories.posed.view();
  const rows = 3 * trajectories.frameCount;
  const size = seeds.length;
  const apart = new Float64Array(size * size);
  for (let a = 0; a < size; a++) {
    for (let b = 0; b < a; b++) {
      let sum = 0;
      let squares = 0;
      for (let row = 0; row < rows; row += 3) {
        const [p, q] = [seeds[a] * rows + row, seeds[b] * rows + row];
        const square =
          (posed[p] - posed[q]) ** 2 + (posed[p + 1] - posed[q + 1]) ** 2 + (posed[p + 2] - posed[q + 2]) ** 2;
        sum += Math.sqrt(square);
        squares += square;
      }
      const mean = sum / trajectories.frameCount;
      const deviation = Math.sqrt(Math.max(0, squares / trajectories.frameCount - mean * mean));
      apart[a * size + b] = apart[b * size + a] = deviation + DISTANCE_PART * mean;
    }
  }
  const scale = new Float64Array(size);
  for (let a = 0; a < size; a++) scale[a] = apart.slice(a * size, (a + 1) * size).sort()[Math.min(NEIGHBOUR, size - 1)];
  const similarity = new Float64Array(size * size);
  for (let a = 0; a < size; a++) {
    for (let b = 0; b < size; b++) {
      const s = 2 * scale[a] * scale[b];
      similarity[a * size + b] = s > 0 ? Math.exp(-(apart[a * size + b] ** 2) / s) : 1;
    }
  }
  return similarity;
}

/** By point: the seed whose patch it is in, by the shortest path over edges (Dijkstra); points without a path belong to the nearest seed. */
function growPatches(trajectories: Trajectories, triangles: Uint32Array, seeds: Uint32Array): Uint32Array {
  const { vertexCount } = trajectories;
  const rest = trajectories.rest.view();
  const { rowStart, neighbours } = makeAdjacency(vertexCount, triangles);
  const normals = new Float32Array(rest.length);
  vertexNormalsInto(rest, triangles, normals);
  const away = new Float64Array(vertexCount).fill(Number.POSITIVE_INFINITY);
  const owner = new Int32Array(vertexCount).fill(-1);
  const heap = new BinaryHeap<{ d: number; i: number }>((a, b) => a.d < b.d);
  seeds.forEach((i, s) => {
    away[i] = 0;
    owner[i] = s;
    heap.push({ d: 0, i });
  });
  for (let top = heap.pop(); top; top = heap.pop()) {
    const { d, i } = top;
    if (d > away[i]) continue;
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
      const l = neighbours[e];
      const [x, y, z] = [0, 1, 2].map((r) => rest[3 * i + r] - rest[3 * l + r]);
      const cos = [0, 1, 2].reduce((sum, r) => sum + normals[3 * i + r] * normals[3 * l + r], 0);
      const next = d + Math.sqrt(x * x + y * y + z * z) * (1 + BEND * (1 - Math.min(1, cos)));
      if (next < away[l]) {
        away[l] = next;
        owner[l] = owner[i];
        heap.push({ d: next, i: l });
      }
    }
  }
  return Uint32Array.from(owner, (own, i) => {
    if (own >= 0) return own;
    let best = 0;
    let lowest = Number.POSITIVE_INFINITY;
    seeds.forEach((seed, s) => {
      const square = [0, 1, 2].reduce((sum, r) => sum + (rest[3 * i + r] - rest[3 * seed + r]) ** 2, 0);
      if (square < lowest) {
        lowest = square;
        best = s;
      }
    });
    return best;
  });
}
