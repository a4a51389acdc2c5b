// SPDX-License-Identifier: MIT

/** Bits of a single-precision number that choose its bucket: the sign, the exponent, and 11 bits of the mantissa. */
const SHIFT = 12;

/**
 * Quantiles of a stream of values in one pass, within 0.05 %: the bits of non-negative single-precision numbers are ordered as the numbers, so their upper 20 bits are
 * buckets of a histogram. quantile.ts has exact ones, which need the values twice.
 */
export class QuantileHistogram {
  readonly #counts = new Uint32Array(1 << (31 - SHIFT));
  readonly #value = new Float32Array(1);
  readonly #bits = new Uint32Array(this.#value.buffer);
  #total = 0;

  /** Counts values, not negative and not NaN. */
  count(values: Float32Array): void {
    const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
    for (const b of bits) this.#counts[b >>> SHIFT]++;
    this.#total += values.length;
  }

  /** The value at quantile q, in [0, 1]: the middle of its bucket; 0 if there are none. */
  find(q: number): number {
    if (this.#total === 0) return 0;
    const rank = q * (this.#total - 1);
    let seen = 0;
    let bucket = 0;
    while (bucket + 1 < this.#counts.length && seen + this.#counts[bucket] <= rank) seen += this.#counts[bucket++];
    this.#bits[0] = bucket === 0 ? 0 : (bucket << SHIFT) + (1 << (SHIFT - 1));
    return this.#value[0];
  }

  clear(): void {
    this.#counts.fill(0);
    this.#total = 0;
  }
}
