// SPDX-License-Identifier: MIT
// Locality-sensitive hashing for the L1 distance: candidates for points within a radius of a place, without visiting all points.
// P. Indyk and R. Motwani, "Approximate nearest neighbors", STOC 1998; B. Georgescu, I. Shimshoni and P. Meer, "Mean shift based clustering in high
// dimensions: a texture classification example", ICCV 2003, who use it for mean shift.
//
// A cut is a coordinate c and a value t. With c drawn in proportion to the range of the data along it and t uniformly within that range, the probability that
// a cut separates x and y is |x − y|₁ / W, W the sum of all ranges. A table is a conjunction of K cuts: two places are in the same cell with probability
// (1 − |x − y|₁/W)ᴷ. K is chosen such that this is 1/2 at the radius, so that at least one of L tables contains a point at exactly the radius with
// probability 1 − 2⁻ᴸ, and one at half of it with 1 − 0.29ᴸ: with L = 8, 99.6 % and 99.995 %. Georgescu et al. choose K and L by trials, and draw t from the data.
import type { Random } from '../../../core/math/random.ts';

export interface L1HashOptions {
  /** Number of tables; more tables find more of the points near the radius. */
  tables?: number;
  /** Position of each coordinate in the rows, if reordered: the cuts do not depend on the order. */
  columns?: Uint32Array;
}

export const L1_HASH_DEFAULTS: Required<Omit<L1HashOptions, 'columns'>> = { tables: 8 };

/** Bits of a key. */
const MAX_CUTS = 30;

/** A hash of rows of numbers: add rows, then query candidates near a place. */
export class L1Hash {
  readonly radius: number;
  /** Cuts per table. */
  readonly cuts: number;
  readonly tables: number;
  /** tables x cuts */
  readonly #coordinates: Uint32Array;
  readonly #values: Float32Array;
  readonly #cells: Map<number, number[]>[];
  /** One per row: the last query that returned it. */
  readonly #met: Uint32Array;
  #query = 0;
  readonly #found: number[] = [];

  /**
   * Draws the cuts for rows of numbers; the rows are not added yet.
   * @param rows count x width; not kept
   * @param among rows that define the ranges
   */
  constructor(
    rows: Float32Array,
    width: number,
    among: Iterable<number>,
    radius: number,
    random: Random,
    options: L1HashOptions = {},
  ) {
    const { tables, columns } = { ...L1_HASH_DEFAULTS, ...options };
    const count = width === 0 ? 0 : rows.length / width;
    this.radius = radius;
    this.tables = tables;
    const { lows, ends } = measureRanges(rows, among, width, columns);
    const total = ends.length === 0 ? 0 : ends[ends.length - 1];
    this.cuts = countCuts(total > 0 ? radius / total : 1);
    this.#coordinates = new Uint32Array(tables * this.cuts);
    this.#values = new Float32Array(tables * this.cuts);
    for (let e = 0; e < this.#coordinates.length; e++) {
      const place = random.next() * total;
      const c = findRange(ends, place);
      this.#coordinates[e] = columns ? columns[c] : c;
      this.#values[e] = lows[this.#coordinates[e]] + (place - (c === 0 ? 0 : ends[c - 1]));
    }
    this.#cells = Array.from({ length: tables }, () => new Map());
    this.#met = new Uint32Array(count);
  }

  /**
   * Adds row n with its present values.
   * @param row width numbers at offset
   */
  add(n: number, row: Float32Array, offset: number): void {
    for (let table = 0; table < this.tables; table++) {
      const key = this.#keyOf(table, row, offset);
      const cell = this.#cells[table].get(key);
      if (cell) cell.push(n);
      else this.#cells[table].set(key, [n]);
    }
  }

  /**
   * Candidates for rows within the radius of a place, each once; the caller measures distances. The list is valid until the next call.
   * @param place width numbers at offset
   */
  listNear(place: Float32Array, offset = 0): readonly number[] {
    this.#query++;
    this.#found.length = 0;
    for (let table = 0; table < this.tables; table++) {
      const cell = this.#cells[table].get(this.#keyOf(table, place, offset));
      if (!cell) continue;
      for (let e = 0; e < cell.length; e++) {
        const n = cell[e];
        if (this.#met[n] === this.#query) continue;
        this.#met[n] = this.#query;
        this.#found.push(n);
      }
      if (this.cuts === 0) break;
    }
    return this.#found;
  }

  #keyOf(table: number, place: Float32Array, offset: number): number {
    let key = 0;
    for (let e = table * this.cuts; e < (table + 1) * this.cuts; e++)
      key = (key << 1) | (place[offset + this.#coordinates[e]] > this.#values[e] ? 1 : 0);
    return key;
  }
}

/** The maximum number of cuts with which two places at the radius are in the same cell with probability 1/2. */
function countCuts(parted: number): number {
  if (!(parted < 1)) return 0;
  let cuts = 0;
  for (let together = 1 - parted; together >= 0.5 && cuts < MAX_CUTS; together *= 1 - parted) cuts++;
  return Math.max(1, cuts);
}

/** The minimum of each column, and the cumulative sums of the ranges. */
function measureRanges(
  rows: Float32Array,
  among: Iterable<number>,
  width: number,
  columns: Uint32Array | undefined,
): { lows: Float64Array; ends: Float64Array } {
  const lows = new Float64Array(width).fill(Number.POSITIVE_INFINITY);
  const highs = new Float64Array(width).fill(Number.NEGATIVE_INFINITY);
  for (const n of among) {
    for (let c = 0; c < width; c++) {
      const value = rows[n * width + c];
      if (value < lows[c]) lows[c] = value;
      if (value > highs[c]) highs[c] = value;
    }
  }
  const ends = new Float64Array(columns?.length ?? width);
  for (let c = 0; c < ends.length; c++) {
    const at = columns ? columns[c] : c;
    ends[c] = (c === 0 ? 0 : ends[c - 1]) + Math.max(0, highs[at] - lows[at]);
  }
  return { lows, ends };
}

/** The first range that ends after a position. */
function findRange(ends: Float64Array, place: number): number {
  let low = 0;
  let high = ends.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle] > place) high = middle;
    else low = middle + 1;
  }
  return low;
}
