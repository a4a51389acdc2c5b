// SPDX-License-Identifier: MIT
// Integers as adaptive bits: whether it is zero, its sign, its magnitude in unary up to a limit, and above that as an exponent in unary and a mantissa (Exp-Golomb).
import { type BitCoder, BitModels } from './range-coder.ts';

const UNARY = 14;
const EXPONENTS = 29;
const SIGN = 1;
const FIRST_UNARY = 2;
const FIRST_EXPONENT = FIRST_UNARY + UNARY;
const MODELS = FIRST_EXPONENT + EXPONENTS;

/** Adaptive models of integers, one set per context. */
export class IntegerModel {
  readonly #models: BitModels;

  constructor(contextCount = 1) {
    this.#models = new BitModels(contextCount * MODELS);
  }

  /** Codes an integer below 2²⁹ in magnitude. */
  code(coder: BitCoder, value: number, context = 0): number {
    const first = context * MODELS;
    if (coder.code(value === 0 ? 0 : 1, this.#models, first) === 0) return 0;
    const isNegative = coder.code(value < 0 ? 1 : 0, this.#models, first + SIGN);
    const magnitude = 1 + this.#codeAbove(coder, Math.abs(value) - 1, first);
    return isNegative === 1 ? -magnitude : magnitude;
  }

  /** Codes an integer that is not negative. A context is used for either integers or counts. */
  codeCount(coder: BitCoder, value: number, context = 0): number {
    return this.#codeAbove(coder, value, context * MODELS);
  }

  #codeAbove(coder: BitCoder, value: number, first: number): number {
    const models = this.#models;
    let known = 0;
    while (known < UNARY) {
      if (coder.code(value > known ? 1 : 0, models, first + FIRST_UNARY + known) === 0) return known;
      known++;
    }
    const rest = value - UNARY + 1;
    const wanted = rest > 0 ? 31 - Math.clz32(rest) : 0;
    let exponent = 0;
    while (exponent < EXPONENTS && coder.code(wanted > exponent ? 1 : 0, models, first + FIRST_EXPONENT + exponent))
      exponent++;
    const unit = 2 ** exponent;
    return UNARY - 1 + unit + coder.codeRaw(rest - unit, exponent);
  }
}
