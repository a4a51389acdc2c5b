// SPDX-License-Identifier: MIT
// A. Y. Ng, M. I. Jordan, Y. Weiss, "On spectral clustering: analysis and an algorithm", NIPS 2001: the leading eigenvectors of
// D^-1/2 A D^-1/2 (A similarities, D their row sums) side by side; each row, scaled to unit length, is a point, and k-means of those points gives the clusters.

import { eigenSymmetric } from '../../core/algebra/eigen-symmetric.ts';
import type { Random } from '../../core/math/random.ts';

const STARTS = 8;
const MAX_ITERATIONS = 50;

/**
 * Clusters items by their similarity; cubic in their number, so for a few hundred.
 * @param similarity size x size, symmetric, non-negative
 * @returns by item: its cluster, below count; no cluster is empty if there are enough items
 */
export function spectralClusters(similarity: Float64Array, size: number, count: number, random: Random): Uint32Array {
  if (count >= size) return Uint32Array.from({ length: size }, (_, i) => i);
  const scale = new Float64Array(size);
  for (let i = 0; i < size; i++) {
    let sum = 0;
    for (let j = 0; j < size; j++) if (j !== i) sum += similarity[i * size + j];
    scale[i] = sum > 0 ? 1 / Math.sqrt(sum) : 0;
  }
  const graph = new Float64Array(size * size);
  for (let i = 0; i < size; i++)
    for (let j = 0; j < size; j++) if (i !== j) graph[i * size + j] = similarity[i * size + j] * scale[i] * scale[j];
  const { vectors } = eigenSymmetric(graph, size);
  const rows = new Float64Array(size * count);
  for (let i = 0; i < size; i++) {
    let square = 0;
    for (let c = 0; c < count; c++) {
      rows[i * count + c] = vectors[c * size + i];
      square += vectors[c * size + i] ** 2;
    }
    for (let c = 0; c < count && square > 0; c++) rows[i * count + c] /= Math.sqrt(square);
  }
  return kMeans(rows, count, count, random);
}

/** The best of several runs of k-means (seeds by k-means++, Arthur and Vassilvitskii 2007), rows of the given width. */
export function kMeans(rows: Float64Array, width: number, count: number, random: Random): Uint32Array {
  const size = rows.length / width;
  let best = new Uint32Array(size);
  let lowest = Number.POSITIVE_INFINITY;
  const square = (i: number, centers: Float64Array, c: number): number => {
    let sum = 0;
    for (let x = 0; x < width; x++) sum += (rows[i * width + x] - centers[c * width + x]) ** 2;
    return sum;
  };
  for (let start = 0; start < STARTS; start++) {
    const centers = new Float64Array(count * width);
    const nearest = new Float64Array(size).fill(Number.POSITIVE_INFINITY);
    for (let c = 0; c < count; c++) {
      const total = nearest.reduce((sum, d) => sum + (Number.isFinite(d) ? d : 0), 0);
      let left = random.next() * total;
      let chosen = c === 0 || total === 0 ? random.below(size) : size - 1;
      if (c > 0 && total > 0) {
        for (let i = 0; i < size; i++) {
          left -= nearest[i];
          if (left < 0) {
            chosen = i;
            break;
          }
        }
      }
      centers.set(rows.subarray(chosen * width, (chosen + 1) * width), c * width);
      for (let i = 0; i < size; i++) nearest[i] = Math.min(nearest[i], square(i, centers, c));
    }
    const labels = new Uint32Array(size);
    let error = 0;
    for (let iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
      let moved = 0;
      error = 0;
      for (let i = 0; i < size; i++) {
        let own = 0;
        let closest = Number.POSITIVE_INFINITY;
        for (let c = 0; c < count; c++) {
          const d = square(i, centers, c);
          if (d < closest) {
            closest = d;
            own = c;
          }
        }
        if (labels[i] !== own) moved++;
        labels[i] = own;
        nearest[i] = closest;
        error += closest;
      }
      moved += fillEmpty(labels, nearest, count);
      if (iteration > 0 && moved === 0) break;
      moveCenters(rows, width, labels, centers);
    }
    if (error < lowest) {
      lowest = error;
      best = labels;
    }
  }
  return best;
}

/** Gives every empty cluster the item that is farthest from its own center. Returns the number of such clusters. */
function fillEmpty(labels: Uint32Array, nearest: Float64Array, count: number): number {
  const sizes = new Uint32Array(count);
  for (const label of labels) sizes[label]++;
  let filled = 0;
  for (let c = 0; c < count; c++) {
    if (sizes[c] > 0) continue;
    let far = -1;
    for (let i = 0; i < labels.length; i++) if (sizes[labels[i]] > 1 && (far < 0 || nearest[i] > nearest[far])) far = i;
    if (far < 0) break;
    sizes[labels[far]]--;
    labels[far] = c;
    sizes[c] = 1;
    nearest[far] = 0;
    filled++;
  }
  return filled;
}

function moveCenters(rows: Float64Array, width: number, labels: Uint32Array, centers: Float64Array): void {
  const sizes = new Uint32Array(centers.length / width);
  centers.fill(0);
  for (let i = 0; i < labels.length; i++) {
    sizes[labels[i]]++;
    for (let x = 0; x < width; x++) centers[labels[i] * width + x] += rows[i * width + x];
  }
  for (let c = 0; c < sizes.length; c++)
    for (let x = 0; x < width; x++) centers[c * width + x] /= Math.max(1, sizes[c]);
}
