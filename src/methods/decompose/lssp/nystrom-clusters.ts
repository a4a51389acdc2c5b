// SPDX-License-Identifier: MIT
// L. Zelnik-Manor, P. Perona, "Self-tuning spectral clustering", NIPS 2004, on the points of a clip, as in the first step of N. Hasler, T. Thormählen, B. Rosenhahn,
// H.-P. Seidel, "Learning skeletons for shape and pose", I3D 2010; with the extension of E. J. Nyström to all points (C. Fowlkes et al., "Spectral grouping using the Nyström
// method", PAMI 26(2), 2004; Y. Bengio et al., NIPS 2003), so that memory is not quadratic in the points.
//
// Two points on one rigid part keep their distance. With σ its standard deviation over frames, d its mean and x = σ + c d, points are similar by
// aᵢₗ = exp(−xᵢₗ²/(sᵢsₗ)), where s is x for the seventh neighbour: no scale to tune. Eigenvectors u of D^-½ A D^-½ are found for L landmarks, spread evenly, and
// are extended to every other point by one product with its similarities to the landmarks: yᵢ = (1/λ) Σₗ aᵢₗ uₗ/√(dᵢdₗ), which for a landmark is uₗ itself. Rows of y are scaled
// to unit length and clustered: k-means of the landmarks; every other point belongs to the nearest mean.

import { eigenSymmetric } from '../../../core/algebra/eigen-symmetric.ts';
import type { Trajectories } from '../../../core/kernels/matrices/trajectories.ts';
import type { Random } from '../../../core/math/random.ts';
import { farthestPoints } from '../../../core/mesh/geometry/farthest-points.ts';
import { kMeans } from '../../../fit/clusters/index.ts';

/** Number of landmarks: a base, more for many clusters, up to the size of an eigenproblem of one or two seconds. Not tuned. */
const LANDMARKS = 256;
const LANDMARKS_PER_CLUSTER = 8;
const MAX_LANDMARKS = 512;
/** Maximum number of frames for distances, evenly spaced. */
const FRAMES = 24;
/** Weight c of the mean distance: separates distant parts that move alike. Not tuned. */
const DISTANCE_PART = 0.05;
const NEIGHBOUR = 7;
/** Smaller eigenvalues are noise. */
const MIN_VALUE = 1e-9;

export interface NystromOptions {
  /** Number of landmarks; with all points the result is exact, and as slow as without landmarks. */
  landmarks?: number;
}

/** Clusters points into count near-rigid parts; by point: its cluster. */
export function nystromClusters(
  trajectories: Trajectories,
  count: number,
  random: Random,
  options: NystromOptions = {},
): Uint32Array {
  const { vertexCount } = trajectories;
  const wanted = options.landmarks ?? Math.min(MAX_LANDMARKS, Math.max(LANDMARKS, LANDMARKS_PER_CLUSTER * count));
  const size = Math.min(vertexCount, Math.max(wanted, Math.min(count, vertexCount)));
  const landmarks = farthestPoints(trajectories.rest.view(), size, { start: 0 });
  const meter = new DistanceMeter(trajectories, landmarks);
  const row = new Float64Array(size);
  if (count >= size) {
    return Uint32Array.from({ length: vertexCount }, (_, i) => {
      meter.measureInto(i, row);
      return indexOfMin(row);
    });
  }
  const scales = new Float64Array(size);
  const apart = new Float64Array(size * size);
  for (let a = 0; a < size; a++) {
    meter.measureInto(landmarks[a], row);
    apart.set(row, a * size);
    scales[a] = scaleOf(row);
  }
  const { coordinates, stretch } = embed(apart, scales, size, count);
  const labels = kMeans(coordinates, count, count, random);
  const means = meansOf(coordinates, labels, count);

  const isLandmark = new Int32Array(vertexCount).fill(-1);
  landmarks.forEach((i, a) => {
    isLandmark[i] = a;
  });
  const place = new Float64Array(count);
  return Uint32Array.from({ length: vertexCount }, (_, i) => {
    if (isLandmark[i] >= 0) return labels[isLandmark[i]];
    meter.measureInto(i, row);
    const own = scaleOf(row);
    place.fill(0);
    for (let a = 0; a < size; a++) {
      const similarity = similarityOf(row[a], own, scales[a]);
      for (let c = 0; c < count; c++) place[c] += similarity * stretch[a * count + c];
    }
    // a point that is not similar to any landmark belongs to the most similar one
    return toUnit(place, 0, count) ? nearestMean(place, 0, means, count) : labels[indexOfMin(row)];
  });
}

function similarityOf(apart: number, a: number, b: number): number {
  return a * b > 0 ? Math.exp(-(apart * apart) / (a * b)) : 1;
}

/** The value for the seventh neighbour. */
function scaleOf(row: Float64Array): number {
  return row.toSorted()[Math.min(NEIGHBOUR, row.length - 1)];
}

/** Unit rows of the leading eigenvectors of the landmarks, and the contribution of a landmark's similarity to the row of another point. */
function embed(
  apart: Float64Array,
  scales: Float64Array,
  size: number,
  count: number,
): { coordinates: Float64Array; stretch: Float64Array } {
  const graph = new Float64Array(size * size);
  const roots = new Float64Array(size);
  for (let a = 0; a < size; a++) {
    let degree = 0;
    for (let b = 0; b < size; b++) {
      if (a === b) continue;
      graph[a * size + b] = similarityOf(apart[a * size + b], scales[a], scales[b]);
      degree += graph[a * size + b];
    }
    roots[a] = degree > 0 ? 1 / Math.sqrt(degree) : 0;
  }
  for (let a = 0; a < size; a++) for (let b = 0; b < size; b++) graph[a * size + b] *= roots[a] * roots[b];
  const { values, vectors } = eigenSymmetric(graph, size);
  const coordinates = new Float64Array(size * count);
  const stretch = new Float64Array(size * count);
  for (let a = 0; a < size; a++) {
    for (let c = 0; c < count; c++) {
      coordinates[a * count + c] = vectors[c * size + a];
      if (values[c] > MIN_VALUE) stretch[a * count + c] = (vectors[c * size + a] * roots[a]) / values[c];
    }
    toUnit(coordinates, a * count, count);
  }
  return { coordinates, stretch };
}

/** Scales a row to unit length; false if it is zero. */
function toUnit(rows: Float64Array, offset: number, count: number): boolean {
  let square = 0;
  for (let c = offset; c < offset + count; c++) square += rows[c] * rows[c];
  if (!(square > 0)) return false;
  const scale = 1 / Math.sqrt(square);
  for (let c = offset; c < offset + count; c++) rows[c] *= scale;
  return true;
}

function meansOf(rows: Float64Array, labels: Uint32Array, count: number): Float64Array {
  const means = new Float64Array(count * count);
  const sizes = new Uint32Array(count);
  labels.forEach((label, a) => {
    sizes[label]++;
    for (let c = 0; c < count; c++) means[label * count + c] += rows[a * count + c];
  });
  for (let j = 0; j < count; j++) for (let c = 0; c < count; c++) means[j * count + c] /= Math.max(1, sizes[j]);
  return means;
}

function nearestMean(rows: Float64Array, offset: number, means: Float64Array, count: number): number {
  let best = 0;
  let closest = Number.POSITIVE_INFINITY;
  for (let j = 0; j < count; j++) {
    let square = 0;
    for (let c = 0; c < count; c++) square += (rows[offset + c] - means[j * count + c]) ** 2;
    if (square < closest) {
      closest = square;
      best = j;
    }
  }
  return best;
}

function indexOfMin(row: Float64Array): number {
  let best = 0;
  for (let a = 1; a < row.length; a++) if (row[a] < row[best]) best = a;
  return best;
}

/** Measures distances of points to landmarks over the frames. */
class DistanceMeter {
  readonly #posed: Float64Array;
  readonly #rows: number;
  readonly #frames: number[];
  readonly #landmarks: Uint32Array;
  /** frames x 3 x landmarks */
  readonly #places: Float64Array;
  readonly #sums: Float64Array;
  readonly #squares: Float64Array;

  constructor({ posed, frameCount }: Trajectories, landmarks: Uint32Array) {
    this.#posed = posed.view();
    this.#rows = 3 * frameCount;
    const count = Math.min(FRAMES, frameCount);
    this.#frames = Array.from({ length: count }, (_, n) => 3 * Math.floor((n * frameCount) / count));
    this.#landmarks = landmarks;
    const size = landmarks.length;
    this.#places = new Float64Array(count * 3 * size);
    this.#frames.forEach((row, n) => {
      for (let r = 0; r < 3; r++)
        for (let a = 0; a < size; a++)
          this.#places[(3 * n + r) * size + a] = this.#posed[landmarks[a] * this.#rows + row + r];
    });
    this.#sums = new Float64Array(size);
    this.#squares = new Float64Array(size);
  }

  /** x = σ + c d of the distance to every landmark. */
  measureInto(i: number, out: Float64Array): void {
    const size = this.#landmarks.length;
    const [sums, squares, places] = [this.#sums, this.#squares, this.#places];
    sums.fill(0);
    squares.fill(0);
    for (let n = 0; n < this.#frames.length; n++) {
      const o = i * this.#rows + this.#frames[n];
      const [x, y, z] = [this.#posed[o], this.#posed[o + 1], this.#posed[o + 2]];
      const p = 3 * n * size;
      for (let a = 0; a < size; a++) {
        const dx = places[p + a] - x;
        const dy = places[p + size + a] - y;
        const dz = places[p + 2 * size + a] - z;
        const square = dx * dx + dy * dy + dz * dz;
        squares[a] += square;
        sums[a] += Math.sqrt(square);
      }
    }
    const share = 1 / this.#frames.length;
    for (let a = 0; a < size; a++) {
      const mean = share * sums[a];
      out[a] = Math.sqrt(Math.max(0, share * squares[a] - mean * mean)) + DISTANCE_PART * mean;
    }
  }
}
