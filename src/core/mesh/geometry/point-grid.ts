// SPDX-License-Identifier: MIT

/** Points per cell, on average over a surface. */
const FILLING = 4;

/** Finds the nearest one of fixed points by a grid of cells. */
export class PointGrid {
  readonly #points: Float32Array;
  readonly #origin: number[] = [];
  readonly #counts: number[] = [];
  readonly #size: number;
  /** By cell, the first place in #order. */
  readonly #start: Uint32Array;
  readonly #order: Uint32Array;

  /** @param points pointCount x 3, at least one */
  constructor(points: Float32Array) {
    this.#points = points;
    const count = points.length / 3;
    const extents: number[] = [];
    for (let r = 0; r < 3; r++) {
      let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
      for (let n = r; n < points.length; n += 3) {
        low = Math.min(low, points[n]);
        high = Math.max(high, points[n]);
      }
      this.#origin.push(low);
      extents.push(high - low);
    }
    // the area of the box is about that of a surface in it
    const [a, b, c] = extents;
    this.#size = Math.sqrt((2 * (a * b + b * c + c * a) * FILLING) / count) || Math.max(...extents) || 1;
    for (const extent of extents) this.#counts.push(Math.floor(extent / this.#size) + 1);
    const cells = new Uint32Array(count);
    this.#start = new Uint32Array(this.#counts[0] * this.#counts[1] * this.#counts[2] + 1);
    for (let n = 0; n < count; n++) {
      cells[n] = this.#cellOf(
        ...([0, 1, 2].map((r) => this.#placeOf(points[3 * n + r], r)) as [number, number, number]),
      );
      this.#start[cells[n] + 1]++;
    }
    for (let n = 1; n < this.#start.length; n++) this.#start[n] += this.#start[n - 1];
    const filled = this.#start.slice();
    this.#order = new Uint32Array(count);
    for (let n = 0; n < count; n++) this.#order[filled[cells[n]]++] = n;
  }

  /** The index of the nearest point, the smallest one of several. */
  findNearest(x: number, y: number, z: number): number {
    const at = [this.#placeOf(x, 0), this.#placeOf(y, 1), this.#placeOf(z, 2)];
    let [best, least] = [-1, Number.POSITIVE_INFINITY];
    const counts = this.#counts;
    const farthest = Math.max(...at.map((n, r) => Math.max(n, counts[r] - 1 - n)));
    for (let ring = 0; ring <= farthest; ring++) {
      // all points of this ring and those outside are at least this far from a point inside the box, and farther from one outside
      if (best >= 0 && least <= ((ring - 1) * this.#size) ** 2) break;
      for (let i = Math.max(0, at[0] - ring); i <= Math.min(counts[0] - 1, at[0] + ring); i++)
        for (let j = Math.max(0, at[1] - ring); j <= Math.min(counts[1] - 1, at[1] + ring); j++) {
          const isFace = Math.abs(i - at[0]) === ring || Math.abs(j - at[1]) === ring;
          const step = isFace || ring === 0 ? 1 : 2 * ring;
          for (let k = at[2] - ring; k <= at[2] + ring; k += step) {
            if (k < 0 || k >= counts[2]) continue;
            const cell = this.#cellOf(i, j, k);
            for (let e = this.#start[cell]; e < this.#start[cell + 1]; e++) {
              const n = this.#order[e];
              const p = this.#points;
              const square = (p[3 * n] - x) ** 2 + (p[3 * n + 1] - y) ** 2 + (p[3 * n + 2] - z) ** 2;
              if (square < least || (square === least && n < best)) [best, least] = [n, square];
            }
          }
        }
    }
    return best;
  }

  #placeOf(x: number, r: number): number {
    const place = Math.floor((x - this.#origin[r]) / this.#size);
    return Math.max(0, Math.min(this.#counts[r] - 1, place));
  }

  #cellOf(i: number, j: number, k: number): number {
    return (i * this.#counts[1] + j) * this.#counts[2] + k;
  }
}
