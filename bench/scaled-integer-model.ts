// SPDX-License-Identifier: MIT
// Integers of very different sizes, such as tracks with their own steps. The expected magnitude gives a number of low bits, which are nearly uniform and stored without a model; the rest has about the same
// distribution for all sizes, so that few numbers suffice to learn it.
import { IntegerModel } from './integer-model.ts';
import type { BitCoder } from './range-coder.ts';

/** Contexts of numbers without low bits, and of numbers with them, by the fraction of their logarithm. */
const SMALL = 8;
const FRACTIONS = 2;
/** The expected magnitude is this many times the unit that is left, at least. */
const DETAIL = 2;

export class ScaledIntegerModel {
  readonly #model = new IntegerModel(SMALL + FRACTIONS);

  /** @param expected magnitude, from numbers that a decoder knows */
  code(coder: BitCoder, value: number, expected: number): number {
    const scale = Math.log2(Math.max(expected, 1 / 8));
    const lowBits = Math.max(0, Math.floor(scale) - DETAIL);
    const context =
      lowBits === 0
        ? Math.min(SMALL - 1, Math.max(0, Math.floor(scale + 3)))
        : SMALL + Math.floor(FRACTIONS * (scale - Math.floor(scale)));
    const unit = 2 ** lowBits;
    const shifted = value + unit / 2;
    const high = lowBits === 0 ? value : Math.floor(shifted / unit);
    const coded = this.#model.code(coder, high, context);
    if (lowBits === 0) return coded;
    return coded * unit + coder.codeRaw(shifted - high * unit, lowBits) - unit / 2;
  }
}
