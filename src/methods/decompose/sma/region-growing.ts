// SPDX-License-Identifier: MIT
// L. Kavan, P.-P. Sloan, C. O'Sullivan, "Fast and efficient skinning of animated meshes", Computer Graphics Forum 29(2), 2010; Course 2014, §1.4: multiple source
// region growing. Seed triangles, spread evenly over the rest pose, start clusters. Of all vertices next to a cluster, the one with the lowest error
// under the cluster's affine motion joins it, until none is left: clusters are contiguous.
//
// A seed triangle with edges e₁, e₂ and n = e₁×e₂/√|e₁×e₂| moves by F = [e₁′ e₂′ n′][e₁ e₂ n]⁻¹, its deformation gradient. Differences: whenever a cluster has
// doubled, its motion is fitted again to all its points, (Σũũᵀ + µI) Mᵀ = Σũvᵀ + µ M_beforeᵀ, so that the noise of one triangle does not spread over a limb; and
// errors are computed on some frames only, evenly spaced. Points without edges join the cluster of the lowest error.

import { factorCholesky, solveCholesky } from '../../../core/algebra/dense-cholesky.ts';
import type { Trajectories } from '../../../core/kernels/matrices/trajectories.ts';
import { farthestPoints } from '../../../core/mesh/geometry/farthest-points.ts';
import { makeAdjacency } from '../../../core/mesh/topology/adjacency.ts';
import { BinaryHeap } from '../../../fit/clusters/index.ts';

/** Maximum number of frames for errors. */
const FRAMES = 16;
/** Cluster size at which the motion is first fitted again. */
const FIRST_FIT = 8;
/** Regularization towards the previous motion, relative to the spread of the points: determines directions without extent. */
const RIDGE = 1e-3;
const SMALLEST = 1e-300;

export interface Regions {
  /** vertexCount: the cluster of each point, below count */
  labels: Uint32Array;
  /** The squared error of all points under the motion of their own cluster, over all frames, estimated from those used. */
  error: number;
}

/**
 * Grows count clusters over a surface.
 * @param triangles triangleCount x 3 indices of points
 * @param start the first seed; others follow, each the farthest from those before
 */
export function regionGrowing(trajectories: Trajectories, triangles: Uint32Array, count: number, start = 0): Regions {
  const { vertexCount, frameCount } = trajectories;
  const rest = trajectories.rest.view();
  const posed = takeFrames(trajectories);
  const rows = posed.length / vertexCount;
  const seeds = farthestPoints(rest, Math.min(count, vertexCount), { start });
  const seedTriangles = listSeedTriangles(rest, triangles, seeds);
  const clusters = seedTriangles.map((f, j) => new Cluster(rest, posed, rows, seeds[j], triangles, f));
  const { rowStart, neighbours } = makeAdjacency(vertexCount, triangles);
  const labels = new Int32Array(vertexCount).fill(-1);
  const queue = new BinaryHeap<Candidate>(isBefore);
  let error = 0;
  const join = (i: number, j: number): void => {
    labels[i] = j;
    clusters[j].add(i);
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
      const l = neighbours[e];
      if (labels[l] < 0) queue.push({ error: clusters[j].measure(l), vertex: l, cluster: j });
    }
  };
  seeds.forEach((i, j) => {
    if (labels[i] < 0) join(i, j);
  });
  seedTriangles.forEach((f, j) => {
    for (let c = 3 * f; f >= 0 && c < 3 * f + 3; c++) if (labels[triangles[c]] < 0) join(triangles[c], j);
  });
  for (let next = queue.pop(); next; next = queue.pop()) if (labels[next.vertex] < 0) join(next.vertex, next.cluster);
  for (let i = 0; i < vertexCount; i++) {
    if (labels[i] < 0) labels[i] = findBest(clusters, i);
    error += clusters[labels[i]].measure(i);
  }
  return { labels: Uint32Array.from(labels), error: (error * frameCount * 3) / rows };
}

function findBest(clusters: readonly Cluster[], i: number): number {
  let best = 0;
  let lowest = Number.POSITIVE_INFINITY;
  clusters.forEach((cluster, j) => {
    const error = cluster.measure(i);
    if (error < lowest) {
      lowest = error;
      best = j;
    }
  });
  return best;
}

/** vertexCount x 3 frames: the frames used */
function takeFrames({ vertexCount, frameCount, posed }: Trajectories): Float64Array {
  const count = Math.min(FRAMES, frameCount);
  const from = posed.view();
  const out = new Float64Array(vertexCount * 3 * count);
  for (let i = 0; i < vertexCount; i++) {
    for (let n = 0; n < count; n++) {
      const o = 3 * (i * frameCount + Math.floor((n * frameCount) / count));
      for (let r = 0; r < 3; r++) out[3 * (i * count + n) + r] = from[o + r];
    }
  }
  return out;
}

/** By seed: its triangle of largest area, −1 if none has a positive area. */
function listSeedTriangles(rest: Float64Array, triangles: Uint32Array, seeds: Uint32Array): number[] {
  const seedOf = new Map<number, number>();
  seeds.forEach((i, j) => {
    seedOf.set(i, j);
  });
  const found = new Array<number>(seeds.length).fill(-1);
  const largest = new Float64Array(seeds.length);
  const frame = new Float64Array(9);
  for (let c = 0; c < triangles.length; c++) {
    const j = seedOf.get(triangles[c]);
    if (j === undefined) continue;
    const f = Math.floor(c / 3);
    const area = frameInto(rest, 3 * triangles[3 * f], 3 * triangles[3 * f + 1], 3 * triangles[3 * f + 2], frame);
    if (area > largest[j]) {
      largest[j] = area;
      found[j] = f;
    }
  }
  return found;
}

/** Edges and scaled normal of a triangle as columns; returns twice its area. */
function frameInto(p: Float64Array, a: number, b: number, c: number, out: Float64Array): number {
  for (let r = 0; r < 3; r++) {
    out[r] = p[b + r] - p[a + r];
    out[3 + r] = p[c + r] - p[a + r];
  }
  const x = out[1] * out[5] - out[2] * out[4];
  const y = out[2] * out[3] - out[0] * out[5];
  const z = out[0] * out[4] - out[1] * out[3];
  const length = Math.sqrt(x * x + y * y + z * z);
  const scale = length > 0 ? 1 / Math.sqrt(length) : 0;
  out[6] = scale * x;
  out[7] = scale * y;
  out[8] = scale * z;
  return length;
}

/** A cluster, its affine motion, and the sums of its points from which that is fitted. */
class Cluster {
  readonly #rest: Float64Array;
  readonly #posed: Float64Array;
  readonly #rows: number;
  /** rows x 4 */
  readonly #motion: Float64Array;
  /** 4 x 4 and rows x 4: Σ ũũᵀ, Σ vũᵀ */
  readonly #square = new Float64Array(16);
  readonly #target: Float64Array;
  readonly #ends = new Float64Array(4);
  #size = 0;
  #nextFit = FIRST_FIT;

  constructor(
    rest: Float64Array,
    posed: Float64Array,
    rows: number,
    seed: number,
    triangles: Uint32Array,
    face: number,
  ) {
    this.#rest = rest;
    this.#posed = posed;
    this.#rows = rows;
    this.#motion = new Float64Array(4 * rows);
    this.#target = new Float64Array(4 * rows);
    const base = new Float64Array(9);
    const moved = new Float64Array(9);
    const [a, b, c] = face < 0 ? [seed, seed, seed] : triangles.subarray(3 * face, 3 * face + 3);
    const inverse = invertThree(frameInto(rest, 3 * a, 3 * b, 3 * c, base) > 0 ? base : undefined);
    for (let row = 0; row < rows; row += 3) {
      if (face < 0) moved.set([1, 0, 0, 0, 1, 0, 0, 0, 1]);
      else frameInto(posed, a * rows + row, b * rows + row, c * rows + row, moved);
      for (let r = 0; r < 3; r++) {
        let t = posed[a * rows + row + r];
        for (let col = 0; col < 3; col++) {
          let value = 0;
          for (let e = 0; e < 3; e++) value += moved[3 * e + r] * inverse[3 * col + e];
          this.#motion[4 * (row + r) + col] = value;
          t -= value * rest[3 * a + col];
        }
        this.#motion[4 * (row + r) + 3] = t;
      }
    }
  }

  /** The squared error of a point under the motion. */
  measure(i: number): number {
    const [x, y, z] = [this.#rest[3 * i], this.#rest[3 * i + 1], this.#rest[3 * i + 2]];
    const m = this.#motion;
    const rows = this.#rows;
    let error = 0;
    for (let row = 0, o = 0; row < rows; row++, o += 4) {
      const d = m[o] * x + m[o + 1] * y + m[o + 2] * z + m[o + 3] - this.#posed[i * rows + row];
      error += d * d;
    }
    return error;
  }

  add(i: number): void {
    const rows = this.#rows;
    const ends = this.#ends;
    for (let c = 0; c < 3; c++) ends[c] = this.#rest[3 * i + c];
    ends[3] = 1;
    for (let a = 0; a < 4; a++) for (let b = 0; b < 4; b++) this.#square[4 * a + b] += ends[a] * ends[b];
    for (let row = 0; row < rows; row++) {
      const v = this.#posed[i * rows + row];
      for (let c = 0; c < 4; c++) this.#target[4 * row + c] += v * ends[c];
    }
    if (++this.#size < this.#nextFit) return;
    this.#nextFit *= 2;
    this.#fit();
  }

  #fit(): void {
    const s = this.#square;
    const l = s.slice();
    // the spread of the points about their center: a ridge of that scale does not depend on the origin
    let spread = s[0] + s[5] + s[10] - (s[3] * s[3] + s[7] * s[7] + s[11] * s[11]) / s[15];
    spread = RIDGE * Math.max(0, spread) + SMALLEST;
    for (let c = 0; c < 3; c++) l[5 * c] += spread;
    factorCholesky(l, 4, SMALLEST);
    const m = this.#motion;
    const right = this.#ends;
    for (let row = 0; row < this.#rows; row++) {
      for (let c = 0; c < 4; c++) right[c] = this.#target[4 * row + c] + (c < 3 ? spread * m[4 * row + c] : 0);
      solveCholesky(l, 4, right);
      m.set(right, 4 * row);
    }
  }
}

/** The inverse of a 3x3, column-major; without one, the identity. */
function invertThree(m: Float64Array | undefined): Float64Array {
  const out = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1);
  if (!m) return out;
  const cofactor = (r: number, c: number): number => {
    const [r1, r2, c1, c2] = [(r + 1) % 3, (r + 2) % 3, (c + 1) % 3, (c + 2) % 3];
    return m[3 * c1 + r1] * m[3 * c2 + r2] - m[3 * c2 + r1] * m[3 * c1 + r2];
  };
  const det = m[0] * cofactor(0, 0) + m[1] * cofactor(1, 0) + m[2] * cofactor(2, 0);
  if (!(Math.abs(det) > SMALLEST)) return out;
  for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) out[3 * r + c] = cofactor(r, c) / det;
  return out;
}

/** A point next to a cluster, and its error under the cluster's motion. */
interface Candidate {
  error: number;
  vertex: number;
  cluster: number;
}

/** The best predicted point first; ties by vertex, then by cluster. */
function isBefore(a: Candidate, b: Candidate): boolean {
  if (a.error !== b.error) return a.error < b.error;
  return a.vertex < b.vertex || (a.vertex === b.vertex && a.cluster < b.cluster);
}
