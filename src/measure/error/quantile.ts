// SPDX-License-Identifier: MIT
import { InputError } from '../../core/model/errors.ts';

/** The fractional rank of quantile q among count values, for linear interpolation (Hyndman and Fan's type 7, NumPy's default). */
export function placeOfQuantile(q: number, count: number): { rank: number; ratio: number } {
  const place = q * (count - 1);
  const rank = Math.min(count - 1, Math.floor(place));
  return { rank, ratio: place - rank };
}

/**
 * Quantiles of values, in ascending order of q; zeros if there are none. The values are reordered.
 * Selection in place of sorting: a frame of 8,431 points takes 0.1 ms instead of 0.5.
 */
export function quantilesInto(values: Float32Array, quantiles: readonly number[]): number[] {
  let from = 0;
  return quantiles.map((q) => {
    if (values.length === 0) return 0;
    const { rank, ratio } = placeOfQuantile(q, values.length);
    selectRank(values, from, rank);
    from = rank;
    const low = values[rank];
    if (!(ratio > 0)) return low;
    let next = values[rank + 1];
    for (let n = rank + 2; n < values.length; n++) if (values[n] < next) next = values[n];
    return low + ratio * (next - low);
  });
}

/** Reorders values from an index on so that the value of a rank is in its place, smaller ones before it and larger ones after it (Hoare 1961). */
function selectRank(values: Float32Array, from: number, rank: number): void {
  let low = from;
  let high = values.length - 1;
  while (low < high) {
    const pivot = values[(low + high) >>> 1];
    let i = low;
    let j = high;
    while (i <= j) {
      while (values[i] < pivot) i++;
      while (values[j] > pivot) j--;
      if (i > j) break;
      const value = values[i];
      values[i++] = values[j];
      values[j--] = value;
    }
    if (rank <= j) high = j;
    else if (rank >= i) low = i;
    else return;
  }
}

/** Quantile q, in [0, 1], of values in ascending order; 0 if there are none. */
export function quantileOfSorted(sorted: Float32Array, q: number): number {
  if (sorted.length === 0) return 0;
  const { rank, ratio } = placeOfQuantile(q, sorted.length);
  const low = sorted[rank];
  return ratio > 0 ? low + ratio * (sorted[rank + 1] - low) : low;
}

/**
 * Order statistics of a stream of values, in two passes: exact to single precision, without storing the values.
 *
 * The bits of non-negative single-precision numbers are ordered as the numbers, so a histogram of their upper halves finds the bucket of
 * a rank, and a histogram of the lower halves within that bucket finds the value.
 */
export class RankFinder {
  private readonly upper = new Float64Array(65536);
  private readonly lower = new Map<number, Float64Array>();

  /** First pass: counts values, not negative and not NaN. */
  countAll(values: Float32Array): void {
    const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
    const { upper } = this;
    for (let n = 0; n < bits.length; n++) upper[bits[n] >>> 16]++;
  }

  /** Between the passes: registers a rank (from 0) for find(). */
  expect(rank: number): void {
    const bucket = this.findBucket(rank).bucket;
    if (!this.lower.has(bucket)) this.lower.set(bucket, new Float64Array(65536));
  }

  /** Second pass: the same values again. */
  recountAll(values: Float32Array): void {
    const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
    for (const [bucket, lower] of this.lower) {
      for (let n = 0; n < bits.length; n++) if (bits[n] >>> 16 === bucket) lower[bits[n] & 0xffff]++;
    }
  }

  /** The value of a registered rank. */
  find(rank: number): number {
    const { bucket, before } = this.findBucket(rank);
    const lower = this.lower.get(bucket);
    if (!lower)
      throw new InputError('rank finder', `rank ${rank} is not registered; call expect(rank) before the second pass`);
    let seen = before;
    let low = 0;
    while (low < 65535 && seen + lower[low] <= rank) seen += lower[low++];
    return new Float32Array(Uint32Array.of(((bucket << 16) | low) >>> 0).buffer)[0];
  }

  private findBucket(rank: number): { bucket: number; before: number } {
    let before = 0;
    let bucket = 0;
    while (bucket < 65535 && before + this.upper[bucket] <= rank) before += this.upper[bucket++];
    return { bucket, before };
  }
}
