// SPDX-License-Identifier: MIT
// The mean trajectory and the vectors of a PCA basis as integers, predicted from earlier frames.
// A step δ of vector n moves all points by δ times their coefficients, so its squared error is δ² times the energy λₙ of the coefficients. Numbers whose steps add the same error each have the
// best ratio of bits to error, so the step of a vector is that of the coefficients divided by √λₙ.
import { type BitCoder, BitCounter, IntegerModel } from '../../src/formats/compact-skin/index.ts';
import type { PcaBasis } from './pca-basis.ts';
import { ACTIVITIES, activityOf } from './residual-activity.ts';

/** Steps of vectors are powers of this. */
const STEP_BASE = 2 ** 0.25;
const MAX_ORDER = 2;
/** Numbers of the first two frames have models of their own. */
const FIRST_NUMBERS = 6;
const KEPT = 0.7;

/** Quantized vectors; the first one is the mean. */
export interface PcaVectors {
  /** Numbers of a vector. */
  size: number;
  /** By vector: its step is the power of STEP_BASE with this exponent. */
  exponents: Int32Array;
  /** By vector: the order of its prediction in time. */
  orders: Uint8Array;
  /** (count + 1) x size */
  integers: Int32Array;
  /** (count + 1) x size: integers times steps */
  values: Float64Array;
}

/** Vectors to be decoded. */
export function makePcaVectors(size: number, count: number): PcaVectors {
  return {
    size,
    exponents: new Int32Array(count + 1),
    orders: new Uint8Array(count + 1),
    integers: new Int32Array((count + 1) * size),
    values: new Float64Array((count + 1) * size),
  };
}

/** Quantizes the first vectors of a basis; returns the bits of each without the mean, too. */
export function quantizePcaVectors(
  { size, pointCount, mean, energies, vectors }: PcaBasis,
  count: number,
  step: number,
): { quantized: PcaVectors; bits: Float64Array } {
  const quantized = makePcaVectors(size, count);
  for (let n = 0; n <= count; n++) {
    const energy = n === 0 ? pointCount : energies[n - 1];
    quantized.exponents[n] = Math.floor(Math.log(step / Math.sqrt(energy)) / Math.log(STEP_BASE));
    const own = STEP_BASE ** quantized.exponents[n];
    for (let c = 0; c < size; c++) {
      const value = n === 0 ? mean[c] : vectors[(n - 1) * size + c];
      quantized.integers[n * size + c] = Math.round(value / own);
    }
    quantized.orders[n] = chooseOrder(quantized.integers.subarray(n * size, (n + 1) * size));
  }
  const counter = new BitCounter();
  const bits = new Float64Array(count);
  let before = 0;
  codePcaVectors(counter, quantized, count, (n) => {
    if (n > 0) bits[n - 1] = counter.bits - before;
    before = counter.bits;
  });
  return { quantized, bits };
}

/** Codes the mean and a number of vectors. */
export function codePcaVectors(
  coder: BitCoder,
  { size, exponents, orders, integers, values }: PcaVectors,
  count: number,
  onVector?: (n: number) => void,
): void {
  const exponentModel = new IntegerModel(2);
  const model = new IntegerModel(2 * ACTIVITIES);
  for (let n = 0; n <= count; n++) {
    const from = n === 0 ? 0 : exponents[n - 1];
    exponents[n] = from + exponentModel.code(coder, exponents[n] - from, Math.min(n, 1));
    orders[n] = coder.codeRaw(orders[n], 2);
    const own = STEP_BASE ** exponents[n];
    let activity = 0;
    for (let c = 0, o = n * size; c < size; c++, o++) {
      const predicted = predictInTime(integers, n * size, c, orders[n]);
      const context = activityOf(activity) + (c < FIRST_NUMBERS ? ACTIVITIES : 0);
      const residual = model.code(coder, integers[o] - predicted, context);
      integers[o] = predicted + residual;
      values[o] = integers[o] * own;
      activity = KEPT * activity + (1 - KEPT) * Math.abs(residual);
    }
    onVector?.(n);
  }
}

/** The order with the smallest residuals. */
function chooseOrder(integers: Int32Array): number {
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let order = 0; order <= MAX_ORDER; order++) {
    let cost = 0;
    for (let c = 0; c < integers.length; c++)
      cost += Math.log2(1 + Math.abs(integers[c] - predictInTime(integers, 0, c, order)));
    if (cost < least) [best, least] = [order, cost];
  }
  return best;
}

/** From the same coordinate in earlier frames; c is the place in the vector that starts at `at`. */
function predictInTime(integers: Int32Array, at: number, c: number, order: number): number {
  if (order === 0 || c < 3) return 0;
  if (order === 1 || c < 6) return integers[at + c - 3];
  return 2 * integers[at + c - 3] - integers[at + c - 6];
}
