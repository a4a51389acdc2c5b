// SPDX-License-Identifier: MIT
// Displacements of points along their normals, frame by frame. Most are zero or one step, so a prediction is not rounded away: its fraction selects the context. Predictions are sums of
// what a decoder knows, with factors by frame that an encoder fits: the mean of the neighbours in this frame and in the last one, and the point itself in the last two frames.
import { IntegerModel } from '../entropy/integer-model.ts';
import { type BitCoder, RangeDecoder } from '../entropy/range-coder.ts';
import type { MeshWalk } from './mesh-walk.ts';

/** Sources of a prediction. */
const SOURCES = 4;
/** Factors are stored in sixteenths from -1 to 15/16. */
const FACTOR_BITS = 5;
const FACTOR_ONE = 16;
/** Contexts: the fraction of the prediction, and the mean magnitude of residuals around the point. */
const FRACTIONS = 5;
const ACTIVITIES = 12;
/** Part of the point itself in the last frame in the expected magnitude; the rest is of its neighbours. */
const OWN_PART = 0.35;
/** Gauss-Seidel sweeps of the fit of factors. */
const SWEEPS = 30;

/** Codes displacements. A decoder fills them. @param values frameCount x pointCount */
export function codeDisplacements(coder: BitCoder, walk: MeshWalk, values: Int32Array, frameCount: number): void {
  const { order, beforeStart, before } = walk;
  const pointCount = order.length;
  const model = new IntegerModel(FRACTIONS * ACTIVITIES);
  const none = new Int32Array(pointCount);
  const sizes = [new Float64Array(pointCount), new Float64Array(pointCount)];
  const sources = new Float64Array(SOURCES);
  for (let k = 0; k < frameCount; k++) {
    const frameAt = (frame: number) =>
      frame < 0 ? none : values.subarray(frame * pointCount, (frame + 1) * pointCount);
    const frames = [frameAt(k), frameAt(k - 1), frameAt(k - 2)] as const;
    const factors = codeFactors(coder, coder instanceof RangeDecoder ? undefined : fitFactors(walk, frames));
    const [now, last] = k % 2 === 0 ? sizes : [sizes[1], sizes[0]];
    for (let place = 0; place < pointCount; place++) {
      const p = order[place];
      sourcesInto(walk, place, frames, sources);
      let predicted = 0;
      for (let s = 0; s < SOURCES; s++) predicted += factors[s] * sources[s];
      const rounded = Math.round(predicted);
      const [first, end] = [beforeStart[place], beforeStart[place + 1]];
      let around = 0;
      for (let e = first; e < end; e++) around += now[before[e]];
      const nearby = end > first ? around / (end - first) : last[p];
      const activity = k === 0 ? nearby : (1 - OWN_PART) * nearby + OWN_PART * last[p];
      const fraction = Math.min(FRACTIONS - 1, Math.floor((predicted - rounded + 0.5) * FRACTIONS));
      const residual = model.code(coder, frames[0][p] - rounded, fraction * ACTIVITIES + activityOf(activity));
      frames[0][p] = rounded + residual;
      now[p] = Math.abs(rounded + residual - predicted);
    }
  }
}

/** The numbers that a displacement is predicted from. */
function sourcesInto(
  { order, beforeStart, before }: MeshWalk,
  place: number,
  [own, last, earlier]: readonly [Int32Array, Int32Array, Int32Array],
  sources: Float64Array,
): void {
  const p = order[place];
  const [first, end] = [beforeStart[place], beforeStart[place + 1]];
  let [mean, meanLast] = [0, 0];
  for (let e = first; e < end; e++) {
    mean += own[before[e]];
    meanLast += last[before[e]];
  }
  const count = Math.max(1, end - first);
  sources[0] = mean / count;
  sources[1] = last[p];
  sources[2] = meanLast / count;
  sources[3] = earlier[p];
}

/** Factors with the least squared residuals. */
function fitFactors(walk: MeshWalk, frames: readonly [Int32Array, Int32Array, Int32Array]): Float64Array {
  const matrix = new Float64Array(SOURCES * SOURCES);
  const right = new Float64Array(SOURCES);
  const sources = new Float64Array(SOURCES);
  for (let place = 0; place < walk.order.length; place++) {
    sourcesInto(walk, place, frames, sources);
    const value = frames[0][walk.order[place]];
    for (let a = 0; a < SOURCES; a++) {
      right[a] += sources[a] * value;
      for (let b = 0; b < SOURCES; b++) matrix[a * SOURCES + b] += sources[a] * sources[b];
    }
  }
  const factors = new Float64Array(SOURCES);
  for (let sweep = 0; sweep < SWEEPS; sweep++)
    for (let a = 0; a < SOURCES; a++) {
      if (!(matrix[a * SOURCES + a] > 0)) continue;
      let rest = right[a];
      for (let b = 0; b < SOURCES; b++) if (b !== a) rest -= matrix[a * SOURCES + b] * factors[b];
      factors[a] = rest / matrix[a * SOURCES + a];
    }
  return factors;
}

/** Codes factors in sixteenths. */
function codeFactors(coder: BitCoder, given?: Float64Array): number[] {
  const factors: number[] = [];
  for (let s = 0; s < SOURCES; s++) {
    const wanted = Math.round(FACTOR_ONE * (given?.[s] ?? 0));
    const stored = FACTOR_ONE + Math.max(-FACTOR_ONE, Math.min(FACTOR_ONE - 1, wanted));
    factors.push((coder.codeRaw(stored, FACTOR_BITS) - FACTOR_ONE) / FACTOR_ONE);
  }
  return factors;
}

/** Half logarithms of a magnitude from 1/16 on: no function whose last bit depends on the engine. */
function activityOf(magnitude: number): number {
  const units = Math.min(2 ** 20, Math.floor(magnitude * 32));
  if (units < 2) return 0;
  const exponent = 31 - Math.clz32(units);
  const half = (units >>> (exponent - 1)) & 1;
  return Math.min(ACTIVITIES - 1, 2 * (exponent - 1) + half + 1);
}
