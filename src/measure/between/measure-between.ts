// SPDX-License-Identifier: MIT

import { smallestEnclosingBall } from '../../core/mesh/geometry/enclosing-ball.ts';
import { weldClip } from '../../core/mesh/topology/weld.ts';
import { type Clip, frameCountOf, frameOf } from '../../core/model/clip/clip.ts';
import { InputError } from '../../core/model/errors.ts';
import { sampleClipInto } from '../../deformers/playback/index.ts';
import { DistanceMeter } from '../error/distance-meter.ts';
import type { MeasureOptions } from '../error/measure-error.ts';

/** Errors between frames, defined as in ErrorReport; distances in file units. */
export interface BetweenReport {
  /** Number of times that were measured. */
  frameCount: number;
  /** E_RMS at these times. */
  eRms: number;
  /** Root mean square distance at these times. */
  rmse: number;
  /** Maximum distance at these times. */
  max: number;
  /** frameCount numbers each: seconds, ascending, and errors over points */
  perFrame: { times: Float64Array; rms: Float64Array; max: Float64Array };
}

/** Options of measureBetween. */
export interface BetweenOptions extends MeasureOptions {
  /** The source of the clip at given times, as it plays. Default: every vertex moves straight from frame to frame, as caches play. */
  source?: (times: Float64Array) => Clip;
}

/** Midpoints per batch: bounds memory for long clips. */
const BATCH = 32;

/**
 * Measures a result halfway between consecutive frames of a clip, where it plays as its keys are interpolated, against what the clip was taken from. A clip of one frame
 * has no midpoints and no error.
 * @param evaluate the result at given times (seconds, rising) as a clip with the reference's vertices
 * @example
 * ```ts
 * import { measureBetween } from 'ossify';
 * import { bakeAt } from 'ossify/deform';
 *
 * const { max } = measureBetween(clip, (times) => bakeAt(asset, asset.animations[0], times));
 * ```
 */
export function measureBetween(
  reference: Clip,
  evaluate: (times: Float64Array) => Clip,
  options: BetweenOptions = {},
): BetweenReport {
  const times = listMidpoints(reference);
  const weld = options.weld ?? weldClip(reference);
  const samples: BetweenSample[] = [];
  const straight = new Float32Array(reference.mesh.positions.length);
  const distances = new DistanceMeter(weld);
  for (let first = 0; first < times.length; first += BATCH) {
    const some = times.slice(first, first + BATCH);
    const result = evaluate(some);
    const source = options.source?.(some);
    for (const clip of source ? [result, source] : [result])
      if (frameCountOf(clip) !== some.length)
        throw new InputError(
          'measure between',
          `evaluate returned ${frameCountOf(clip)} frames for ${some.length} times`,
        );
    some.forEach((time, k) => {
      if (!source) sampleClipInto(reference, time, straight);
      const truth = source ? frameOf(source, k) : straight;
      const square = distances.measure(truth, frameOf(result, k), first + k);
      samples.push({ time, square, max: distances.ofPoint.reduce((most, d) => Math.max(most, d), 0) });
      options.onFrame?.((first + k + 1) / times.length);
    });
  }
  return reportBetween(reference, weld.pointCount, samples, samples);
}

/** The times halfway between consecutive frames. */
export function listMidpoints({ times }: Clip): Float64Array {
  return Float64Array.from({ length: Math.max(0, times.length - 1) }, (_, k) => (times[k] + times[k + 1]) / 2);
}

/** A time between frames that was measured: the sum of squared distances over points, and the largest distance. */
export interface BetweenSample {
  time: number;
  square: number;
  max: number;
}

/**
 * Makes the report.
 * @param samples all of them, ascending
 * @param even those of which means are taken: the others are where errors are large
 */
export function reportBetween(
  reference: Clip,
  pointCount: number,
  samples: readonly BetweenSample[],
  even: readonly BetweenSample[],
): BetweenReport {
  const rest = reference.mesh.positions;
  const sampleCount = pointCount * even.length;
  const rmse = sampleCount > 0 ? Math.sqrt(even.reduce((sum, { square }) => sum + square, 0) / sampleCount) : 0;
  const radius = rest.length > 0 ? smallestEnclosingBall(rest).radius : 0;
  return {
    frameCount: samples.length,
    eRms: rmse === 0 ? 0 : (1000 * rmse) / (Math.sqrt(3) * radius),
    rmse,
    max: samples.reduce((most, { max }) => Math.max(most, max), 0),
    perFrame: {
      times: Float64Array.from(samples, ({ time }) => time),
      rms: Float64Array.from(samples, ({ square }) => (pointCount > 0 ? Math.sqrt(square / pointCount) : 0)),
      max: Float64Array.from(samples, ({ max }) => max),
    },
  };
}
