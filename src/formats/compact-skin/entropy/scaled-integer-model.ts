// SPDX-License-Identifier: MIT
// Integers of very different sizes, such as tracks with their own steps. The expected magnitude gives a number of low bits, which are nearly uniform and stored without a model; the rest has about the same
// distribution for all sizes, so that few numbers suffice to learn it.
import { IntegerModel } from './integer-model.ts';
import type { BitCoder } from './range-coder.ts';

/** Expected magnitudes are in eighths; contexts of those without low bits are by half logarithms. */
const FRACTION = 8;
const SMALL = 16;
const LARGE = 2;
/** The expected magnitude is 2 to the power of this times the unit that is left, at least. */
const DETAIL = 2;
const MAX_LOW_BITS = 24;

export class ScaledIntegerModel {
  readonly #model: IntegerModel;

  /** @param contextCount number of contexts besides the expected magnitude */
  constructor(contextCount = 1) {
    this.#model = new IntegerModel(contextCount * (SMALL + LARGE));
  }

  /** @param expected magnitude, from numbers that a decoder knows */
  code(coder: BitCoder, value: number, expected: number, context = 0): number {
    // half logarithms of the expected magnitude in eighths: no function whose last bit depends on the engine
    const eighths = Math.max(1, Math.min(2 ** 30, Math.floor(expected * FRACTION)));
    const exponent = 31 - Math.clz32(eighths);
    const half = exponent > 0 && ((eighths >>> (exponent - 1)) & 1) === 1 ? 1 : 0;
    const lowBits = Math.min(MAX_LOW_BITS, exponent - 3 - DETAIL);
    const first = context * (SMALL + LARGE);
    if (lowBits <= 0) return this.#model.code(coder, value, first + 2 * exponent + half);
    const unit = 2 ** lowBits;
    const shifted = value + unit / 2;
    const high = Math.floor(shifted / unit);
    const coded = this.#model.code(coder, high, first + SMALL + half);
    return coded * unit + coder.codeRaw(shifted - high * unit, lowBits) - unit / 2;
  }
}
