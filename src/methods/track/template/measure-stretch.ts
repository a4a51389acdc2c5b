// SPDX-License-Identifier: MIT
// How much a surface is stretched between two shapes, at the scale of patches: noise and single triangles do not count.
//
// The surface is divided into patches around evenly spread points, and c is the center of area of a patch. For patches i and j that share an edge, with centers c in the rest shape and c' in the other,
//
//   s = log2(|c'i − c'j| / |ci − cj|)
//
// The stretch is the median of |s|. A body that grows is not another body: the smallest of three medians counts, of |s|, of |s| after the median of s is taken off (growth alike in all directions), and of |s| with A (ci − cj)
// instead of ci − cj, where A is the affine map that fits the centers best: Σ |c' − A c|² is least, so A = (Σ c' cᵀ)(Σ c cᵀ)⁻¹.
import { solveSymmetric3 } from '../../../core/math/solve-symmetric3.ts';
import { makeSurfacePaths } from '../limbs/surface-paths.ts';
import type { ScanSurface } from '../register/make-scan-surface.ts';
import { spreadPoints } from '../solve/make-deformation-graph.ts';

/** Number of patches. */
const PATCHES = 400;
/** Minimum points of a patch on average: fewer would not average noise. */
const POINTS_PER_PATCH = 6;
/** Distances between centers below this part of the median do not count: their ratios are large by accident. */
const MIN_DISTANCE = 0.3;
/** Added to the diagonal of Σ c cᵀ, relative to its trace, so that flat bodies have an affine map. */
const RIDGE = 1e-6;

/** The stretch of a surface. */
export interface SurfaceStretch {
  /** Median of |s|: 0.1 is 7 % longer or shorter. */
  median: number;
  /** 0 to 1: part of the distances that changed by more than a factor of two */
  torn: number;
}

/** The patches of a rest shape. */
export class StretchMeter {
  readonly #areas: Float64Array;
  /** pointCount: patch of each point */
  readonly #patches: Int32Array;
  readonly #pairs: Uint32Array;
  readonly #rest: Float64Array;
  /** pairCount: distances in the rest shape */
  readonly #lengths: Float64Array;

  constructor(surface: ScanSurface) {
    this.#areas = surface.areas;
    const count = Math.max(1, Math.min(PATCHES, Math.floor(surface.areas.length / POINTS_PER_PATCH)));
    this.#patches = growPatches(surface, spreadPoints(makeSurfacePaths(surface), count).points);
    this.#rest = this.#centersOf(surface.positions);
    const pairs = listPairs(surface, this.#patches);
    const lengths = measurePairs(pairs, this.#rest);
    const least = MIN_DISTANCE * medianOf(lengths);
    const kept = Array.from(lengths.keys()).filter((n) => lengths[n] >= least && lengths[n] > 0);
    this.#pairs = Uint32Array.from(kept.flatMap((n) => [pairs[2 * n], pairs[2 * n + 1]]));
    this.#lengths = Float64Array.from(kept, (n) => lengths[n]);
  }

  /**
   * Measures another shape of the surface.
   * @param positions pointCount x 3
   */
  measure(positions: Float64Array): SurfaceStretch {
    const centers = this.#centersOf(positions);
    const lengths = measurePairs(this.#pairs, centers);
    const logs = lengths.map((length, n) => Math.log2((length + Number.EPSILON) / this.#lengths[n]));
    const shift = medianOf(logs);
    const mapped = measurePairs(this.#pairs, mapAffinely(this.#rest, centers));
    const median = Math.min(
      medianOf(logs.map(Math.abs)),
      medianOf(logs.map((s) => Math.abs(s - shift))),
      medianOf(
        lengths.map((length, n) => Math.abs(Math.log2((length + Number.EPSILON) / (mapped[n] + Number.EPSILON)))),
      ),
    );
    return { median, torn: logs.filter((s) => Math.abs(s - shift) > 1).length / Math.max(1, logs.length) };
  }

  /** pairCount: log2 of the distances between patches in a shape of the surface */
  measureLogs(positions: Float64Array): Float64Array {
    return measurePairs(this.#pairs, this.#centersOf(positions)).map((length) => Math.log2(length + Number.EPSILON));
  }

  #centersOf(positions: Float64Array): Float64Array {
    const count = this.#patches.reduce((most, patch) => Math.max(most, patch + 1), 0);
    const centers = new Float64Array(3 * count);
    const sums = new Float64Array(count);
    for (const [i, patch] of this.#patches.entries()) {
      if (patch < 0) continue;
      sums[patch] += this.#areas[i];
      for (let a = 0; a < 3; a++) centers[3 * patch + a] += this.#areas[i] * positions[3 * i + a];
    }
    return centers.map((x, c) => x / (sums[Math.floor(c / 3)] || 1));
  }
}

/** The patch of each point: that of the start that is the fewest edges away; -1 in parts without a start. */
function growPatches({ areas, adjacency }: ScanSurface, starts: Uint32Array): Int32Array {
  const { rowStart, neighbours } = adjacency;
  const patches = new Int32Array(areas.length).fill(-1);
  const queue = Array.from(starts);
  for (const [n, i] of queue.entries()) patches[i] = n;
  for (let head = 0; head < queue.length; head++)
    for (let e = rowStart[queue[head]]; e < rowStart[queue[head] + 1]; e++) {
      if (patches[neighbours[e]] >= 0) continue;
      patches[neighbours[e]] = patches[queue[head]];
      queue.push(neighbours[e]);
    }
  return patches;
}

/** Patches that share an edge: pairCount x 2, each pair once. */
function listPairs({ adjacency, areas }: ScanSurface, patches: Int32Array): Uint32Array {
  const { rowStart, neighbours } = adjacency;
  const keys = new Set<number>();
  for (let i = 0; i < areas.length; i++)
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
      const [own, other] = [patches[i], patches[neighbours[e]]];
      if (own >= 0 && own < other) keys.add(own * areas.length + other);
    }
  return Uint32Array.from([...keys].flatMap((key) => [Math.floor(key / areas.length), key % areas.length]));
}

function measurePairs(pairs: Uint32Array, centers: Float64Array): Float64Array {
  return Float64Array.from({ length: pairs.length / 2 }, (_, n) => {
    const [i, j] = [3 * pairs[2 * n], 3 * pairs[2 * n + 1]];
    return Math.hypot(centers[i] - centers[j], centers[i + 1] - centers[j + 1], centers[i + 2] - centers[j + 2]);
  });
}

/** The centers of the rest shape, mapped by A. Without translation: only differences count. */
function mapAffinely(rest: Float64Array, centers: Float64Array): Float64Array {
  const means = [rest, centers].map((shape) => [0, 1, 2].map((a) => meanOf(shape.filter((_, c) => c % 3 === a))));
  const squares = [0, 0, 0, 0, 0, 0];
  const products = [0, 0, 0, 0, 0, 0, 0, 0, 0];
  for (let c = 0; c < rest.length; c += 3) {
    const [x, y, z] = [0, 1, 2].map((a) => rest[c + a] - means[0][a]);
    for (const [n, product] of [x * x, x * y, x * z, y * y, y * z, z * z].entries()) squares[n] += product;
    for (let r = 0; r < 3; r++)
      for (const [a, own] of [x, y, z].entries()) products[3 * r + a] += own * (centers[c + r] - means[1][r]);
  }
  const ridge = RIDGE * (squares[0] + squares[3] + squares[5]);
  for (const n of [0, 3, 5]) squares[n] += ridge;
  const map = new Float64Array(9);
  for (let r = 0; r < 3; r++) if (!solveSymmetric3(squares, products.slice(3 * r, 3 * r + 3), map, 3 * r)) return rest;
  return rest.map((_, c) => {
    const [row, at] = [3 * (c % 3), c - (c % 3)];
    return map[row] * rest[at] + map[row + 1] * rest[at + 1] + map[row + 2] * rest[at + 2];
  });
}

function meanOf(values: Float64Array): number {
  return values.reduce((sum, x) => sum + x, 0) / Math.max(1, values.length);
}

function medianOf(values: Float64Array): number {
  return values.toSorted()[values.length >> 1] ?? 0;
}
