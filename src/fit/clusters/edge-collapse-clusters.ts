// SPDX-License-Identifier: MIT
// S. Schaefer and C. Yuksel, "Example-based skeleton extraction", Symposium on Geometry Processing 2007; Course 2014, §2.2: every triangle is a cluster; the two
// neighbouring clusters with the lowest merge cost are merged until the given number remains. The cost is the error of the best rigid motion of the union,
// from moments: with n points, ū, v̄ means, X = Σ(v − v̄)(u − ū)ᵀ per frame,
//   error = Σₖ ( Σ|u − ū|² + Σ|v − v̄|² − 2 tr(RᵀX) ),   R the nearest rotation to X,
// so that a merge adds two rows of numbers and never visits points. Clusters are connected; parts without common edges are merged only across given links.
//
// Differences: at most MAX_FRAMES frames, evenly spaced, are used (fewer if the moments would not fit in MAX_BYTES), so time and memory are linear in the
// triangles; the cost of a merge is the increase of the error over that of its two clusters.
import type { Trajectories } from '../../core/kernels/matrices/trajectories.ts';
import { nearestRotationInto } from '../../core/math/rotation.ts';
import { BinaryHeap } from './binary-heap.ts';

const MAX_FRAMES = 24;
const MIN_FRAMES = 6;
const MAX_BYTES = 256e6;
/** Numbers per frame: Σ v uᵀ (column-major) and Σ v; and per cluster: n, Σu, Σ|u|², Σ|v|² over the frames. */
const PER_FRAME = 12;
const PER_CLUSTER = 6;

/**
 * Clusters the points of a surface into at most count connected pieces (more if the mesh has more parts that are not linked).
 * @param triangles triangleCount x 3 point indices
 * @param links pairs of points whose triangles are neighbours although they share no edge
 * @returns by point: its cluster, numbered from zero in the order of their first point; points without triangles get the cluster of the nearest point that has one
 */
export function edgeCollapseClusters(
  trajectories: Trajectories,
  triangles: Uint32Array,
  count: number,
  links: readonly { a: number; b: number }[] = [],
): Uint32Array {
  const triangleCount = triangles.length / 3;
  if (triangleCount === 0) return new Uint32Array(trajectories.vertexCount);
  const moments = new ClusterMoments(trajectories, triangles);
  const neighbours = listNeighbours(triangles);
  linkTriangles(neighbours, triangles, links);
  const merged = new Int32Array(triangleCount).fill(-1);
  const version = new Uint32Array(triangleCount);
  const heap = new BinaryHeap<Merge>(isBefore);
  const offer = (a: number, b: number): void => {
    const cost = moments.cost(a, b);
    heap.push({ cost, a: Math.min(a, b), b: Math.max(a, b), stamp: version[a] + version[b] });
  };
  neighbours.forEach((set, a) => {
    for (const b of set) if (a < b) offer(a, b);
  });
  let left = triangleCount;
  while (left > count) {
    const best = heap.pop();
    if (!best) break;
    const { a, b, stamp } = best;
    if (merged[a] >= 0 || merged[b] >= 0 || stamp !== version[a] + version[b]) continue;
    moments.merge(a, b);
    merged[b] = a;
    version[a] = Math.max(version[a], version[b]) + 1;
    left--;
    for (const c of neighbours[b]) {
      neighbours[c].delete(b);
      if (c === a) continue;
      neighbours[c].add(a);
      neighbours[a].add(c);
    }
    neighbours[b].clear();
    for (const c of neighbours[a]) offer(a, c);
  }
  return labelPoints(trajectories, triangles, merged);
}

/** Moments of clusters, enough for the error of one rigid motion. */
class ClusterMoments {
  readonly #frameCount: number;
  readonly #rows: Float64Array;
  readonly #stride: number;
  readonly #errors: Float64Array;
  readonly #sum: Float64Array;
  readonly #x = new Float64Array(9);
  readonly #r = new Float64Array(9);

  constructor(trajectories: Trajectories, triangles: Uint32Array) {
    const count = triangles.length / 3;
    const fits = Math.floor(MAX_BYTES / (8 * PER_FRAME * count));
    const wanted = Math.max(MIN_FRAMES, Math.min(MAX_FRAMES, fits));
    this.#frameCount = Math.min(trajectories.frameCount, wanted);
    this.#stride = PER_CLUSTER + PER_FRAME * this.#frameCount;
    this.#rows = new Float64Array(count * this.#stride);
    this.#errors = new Float64Array(count);
    this.#sum = new Float64Array(this.#stride);
    const rest = trajectories.rest.view();
    const posed = trajectories.posed.view();
    const rows = 3 * trajectories.frameCount;
    const frames = Uint32Array.from({ length: this.#frameCount }, (_, n) =>
      Math.floor((n * trajectories.frameCount) / this.#frameCount),
    );
    for (let c = 0; c < triangles.length; c++)
      this.#addPoint(Math.floor(c / 3) * this.#stride, rest, 3 * triangles[c], posed, rows * triangles[c], frames);
    for (let f = 0; f < count; f++) this.#errors[f] = this.#measure(this.#rows, f * this.#stride);
  }

  /** Adds a point to the row of a cluster. */
  #addPoint(at: number, rest: Float64Array, u: number, posed: Float64Array, begin: number, frames: Uint32Array): void {
    const row = this.#rows;
    row[at]++;
    for (let r = 0; r < 3; r++) {
      row[at + 1 + r] += rest[u + r];
      row[at + 4] += rest[u + r] ** 2;
    }
    for (let n = 0; n < frames.length; n++) {
      const o = at + PER_CLUSTER + PER_FRAME * n;
      for (let r = 0; r < 3; r++) {
        const v = posed[begin + 3 * frames[n] + r];
        row[at + 5] += v * v;
        for (let d = 0; d < 3; d++) row[o + 3 * d + r] += v * rest[u + d];
        row[o + 9 + r] += v;
      }
    }
  }

  /** The increase of the error by merging two clusters. */
  cost(a: number, b: number): number {
    const rows = this.#rows;
    const sum = this.#sum;
    const stride = this.#stride;
    for (let e = 0, p = a * stride, q = b * stride; e < stride; e++) sum[e] = rows[p + e] + rows[q + e];
    return this.#measure(sum, 0) - this.#errors[a] - this.#errors[b];
  }

  /** Adds cluster b to cluster a. */
  merge(a: number, b: number): void {
    const rows = this.#rows;
    const stride = this.#stride;
    for (let e = 0, p = a * stride, q = b * stride; e < stride; e++) rows[p + e] += rows[q + e];
    this.#errors[a] = this.#measure(rows, a * stride);
  }

  #measure(row: Float64Array, at: number): number {
    const n = row[at];
    const spread = row[at + 4] - (row[at + 1] ** 2 + row[at + 2] ** 2 + row[at + 3] ** 2) / n;
    let error = row[at + 5] + this.#frameCount * spread;
    const x = this.#x;
    const r = this.#r;
    for (let k = 0; k < this.#frameCount; k++) {
      const o = at + PER_CLUSTER + PER_FRAME * k;
      for (let d = 0; d < 3; d++)
        for (let e = 0; e < 3; e++) x[3 * d + e] = row[o + 3 * d + e] - (row[o + 9 + e] * row[at + 1 + d]) / n;
      nearestRotationInto(x, r);
      for (let e = 0; e < 9; e++) error -= 2 * x[e] * r[e];
      error -= (row[o + 9] ** 2 + row[o + 10] ** 2 + row[o + 11] ** 2) / n;
    }
    return Math.max(0, error);
  }
}

/** By triangle: those that share an edge with it. */
function listNeighbours(triangles: Uint32Array): Set<number>[] {
  const sets = Array.from({ length: triangles.length / 3 }, () => new Set<number>());
  const byEdge = new Map<number, number>();
  for (let c = 0; c < triangles.length; c++) {
    const f = Math.floor(c / 3);
    const [p, q] = [triangles[c], triangles[3 * f + ((c + 1) % 3)]];
    const key = Math.min(p, q) * 2 ** 26 + Math.max(p, q);
    const other = byEdge.get(key);
    if (other === undefined) byEdge.set(key, f);
    else if (other !== f) {
      sets[other].add(f);
      sets[f].add(other);
    }
  }
  return sets;
}

/** Makes a triangle of each of two linked points neighbours. */
function linkTriangles(
  neighbours: readonly Set<number>[],
  triangles: Uint32Array,
  links: readonly { a: number; b: number }[],
): void {
  const triangleOf = new Map<number, number>();
  for (let c = triangles.length - 1; c >= 0 && links.length > 0; c--) triangleOf.set(triangles[c], Math.floor(c / 3));
  for (const { a, b } of links) {
    const [f, g] = [triangleOf.get(a), triangleOf.get(b)];
    if (f === undefined || g === undefined) continue;
    neighbours[f].add(g);
    neighbours[g].add(f);
  }
}

/** Labels of points: the cluster of most of their triangles; ties go to the lower index. */
function labelPoints(trajectories: Trajectories, triangles: Uint32Array, merged: Int32Array): Uint32Array {
  const { vertexCount } = trajectories;
  const rest = trajectories.rest.view();
  const find = (f: number): number => {
    let at = f;
    while (merged[at] >= 0) at = merged[at];
    return at;
  };
  const votes: Map<number, number>[] = Array.from({ length: vertexCount }, () => new Map());
  for (let c = 0; c < triangles.length; c++) {
    const cluster = find(Math.floor(c / 3));
    votes[triangles[c]].set(cluster, (votes[triangles[c]].get(cluster) ?? 0) + 1);
  }
  const chosen = votes.map((map) => {
    const sorted = [...map].sort((p, q) => q[1] - p[1] || p[0] - q[0]);
    return sorted.length > 0 ? sorted[0][0] : -1;
  });
  const named = Array.from(chosen.keys()).filter((i) => chosen[i] >= 0);
  const numbers = new Map<number, number>();
  return Uint32Array.from(chosen, (cluster, i) => {
    let own = cluster;
    if (own < 0) {
      const square = (l: number): number =>
        (rest[3 * i] - rest[3 * l]) ** 2 +
        (rest[3 * i + 1] - rest[3 * l + 1]) ** 2 +
        (rest[3 * i + 2] - rest[3 * l + 2]) ** 2;
      own = chosen[named.reduce((best, l) => (square(l) < square(best) ? l : best), named[0])];
    }
    if (!numbers.has(own)) numbers.set(own, numbers.size);
    return numbers.get(own) ?? 0;
  });
}

interface Merge {
  cost: number;
  a: number;
  b: number;
  stamp: number;
}

/** The cheapest merge first; ties by index. */
function isBefore(p: Merge, q: Merge): boolean {
  return p.cost < q.cost || (p.cost === q.cost && (p.a < q.a || (p.a === q.a && p.b < q.b)));
}
