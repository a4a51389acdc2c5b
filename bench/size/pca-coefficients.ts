// SPDX-License-Identifier: MIT
// Codes the coefficients of vertices, component by component, in the order of a walk: predicted from decoded ones, residuals quantized with one step. Decoded components are then
// smoothed over the mesh by the factor that brings them closest to the given ones, which removes part of the rounding of components that vary less than a step between neighbours.

import type { Adjacency } from '../../src/core/mesh/topology/adjacency.ts';
import { type BitCoder, IntegerModel, type MeshWalk } from '../../src/formats/compact-skin/index.ts';
import { LocalPredictor } from './local-predictor.ts';
import { ACTIVITIES, activityOf } from './residual-activity.ts';

/** Rounding towards zero: a residual of less than 0.5 plus this costs more bits than it saves error (horse-gallop: 0 and 0.25 give files that are 5 % larger). */
const DEAD_ZONE = 0.1;
/** Predictions are fitted again once there are these numbers of components. */
const FITS = [2, 3, 4, 5, 6, 8, 10, 13, 17, 22, 28, 36, 46, 60, 80, 110, 150, 200];
/** Part of the residuals of neighbours in the context; the rest is that of earlier components at the vertex. */
const AROUND = 0.7;
/** Smoothing is stored in eighths. */
const SMOOTHING_BITS = 3;

/** A mesh that coefficients belong to. */
export interface PcaSurface {
  walk: MeshWalk;
  /** All neighbours of a vertex. */
  around: Adjacency;
}

export interface CoefficientData {
  step: number;
  count: number;
  /** count x vertexCount: filled with decoded and smoothed coefficients */
  decoded: Float64Array;
  /** count x vertexCount: coefficients to encode */
  given?: Float64Array;
}

export function codePcaCoefficients(
  coder: BitCoder,
  { walk, around }: PcaSurface,
  { step, count, decoded, given }: CoefficientData,
  onComponent?: (n: number) => void,
): void {
  const { order, beforeStart, before } = walk;
  const vertexCount = order.length;
  const predictor = new LocalPredictor(walk);
  /** Components as the predictor uses them, without smoothing. */
  const rough = new Float64Array(decoded.length);
  const residuals = new Int32Array(vertexCount);
  /** Magnitudes of earlier components by vertex; each counts half of the one after it. */
  const earlier = new Float64Array(vertexCount);
  for (let n = 0; n < count; n++) {
    const own = rough.subarray(n * vertexCount, (n + 1) * vertexCount);
    const wanted = given?.subarray(n * vertexCount, (n + 1) * vertexCount);
    if (FITS.includes(n)) predictor.fit(rough, n, step);
    const model = new IntegerModel(ACTIVITIES);
    residuals.fill(0);
    for (let place = 0; place < vertexCount; place++) {
      const v = order[place];
      const predicted = predictor.predict(place, own);
      const [first, end] = [beforeStart[place], beforeStart[place + 1]];
      let activity = 0;
      for (let e = first; e < end; e++) activity += Math.abs(residuals[before[e]]);
      const nearby = activity / Math.max(1, end - first);
      const context = activityOf(n === 0 ? nearby : AROUND * nearby + (1 - AROUND) * earlier[v]);
      residuals[v] = model.code(coder, wanted ? quantize((wanted[v] - predicted) / step) : 0, context);
      own[v] = predicted + residuals[v] * step;
    }
    for (let v = 0; v < vertexCount; v++) earlier[v] = (earlier[v] + Math.abs(residuals[v])) / 2;
    smoothInto(coder, around, own, wanted, decoded.subarray(n * vertexCount, (n + 1) * vertexCount));
    onComponent?.(n);
  }
}

function quantize(x: number): number {
  const magnitude = Math.max(0, Math.floor(Math.abs(x) + 0.5 - DEAD_ZONE));
  return x < 0 ? -magnitude : magnitude;
}

/** Moves each value towards the mean of its neighbours by a factor that is coded. */
function smoothInto(
  coder: BitCoder,
  { rowStart, neighbours }: Adjacency,
  values: Float64Array,
  wanted: Float64Array | undefined,
  smoothed: Float64Array,
): void {
  let [product, square] = [0, 0];
  for (let v = 0; v < values.length; v++) {
    const count = rowStart[v + 1] - rowStart[v];
    let mean = 0;
    for (let e = rowStart[v]; e < rowStart[v + 1]; e++) mean += values[neighbours[e]] / count;
    smoothed[v] = count > 0 ? mean - values[v] : 0;
    square += smoothed[v] ** 2;
    if (wanted) product += smoothed[v] * (wanted[v] - values[v]);
  }
  const steps = 2 ** SMOOTHING_BITS;
  const best = square > 0 ? Math.round((steps * product) / square) : 0;
  const factor = coder.codeRaw(Math.max(0, Math.min(steps - 1, best)), SMOOTHING_BITS) / steps;
  for (let v = 0; v < values.length; v++) smoothed[v] = values[v] + factor * smoothed[v];
}
