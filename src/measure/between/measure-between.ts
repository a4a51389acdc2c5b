// SPDX-License-Identifier: MIT

import { smallestEnclosingBall } from '../../core/mesh/geometry/enclosing-ball.ts';
import { weldClip } from '../../core/mesh/topology/weld.ts';
import { type Clip, frameCountOf, frameOf } from '../../core/model/clip/clip.ts';
import { InputError } from '../../core/model/errors.ts';
import type { Skin } from '../../core/model/skin/skin.ts';
import { DistanceMeter } from '../error/distance-meter.ts';
import type { MeasureOptions } from '../error/measure-error.ts';
import { HalfwayReference } from './halfway-reference.ts';

/** Errors halfway between frames, defined as in ErrorReport; distances in file units. */
export interface BetweenReport {
  /** Number of midpoints: frames of the reference minus one. */
  frameCount: number;
  /** E_RMS at the midpoints. */
  eRms: number;
  /** Root mean square distance at the midpoints. */
  rmse: number;
  /** Maximum distance at the midpoints. */
  max: number;
  /** frameCount numbers each: seconds, and errors over points */
  perFrame: { times: Float64Array; rms: Float64Array; max: Float64Array };
}

/** Options of measureBetween. */
export interface BetweenOptions extends MeasureOptions {
  /** The parts of each vertex, as weights. Default: no parts, so that the reference is the mean of two frames. */
  parts?: Skin;
}

/** Midpoints per batch: bounds memory for long clips. */
const BATCH = 32;

/**
 * Measures a result halfway between consecutive frames of a clip. The reference is the rigid interpolation of a part where the part moves rigidly, and the mean of
 * the two frames elsewhere (halfway-reference.ts). The result is evaluated there as it plays. A clip of one frame has no midpoints and no error.
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
  const midCount = times.length;
  const weld = options.weld ?? weldClip(reference);
  const squares = new Float64Array(midCount);
  const largest = new Float64Array(midCount);
  const stride = reference.mesh.positions.length;
  const halfway = new HalfwayReference(reference, options.parts);
  const positions = new Float32Array(Math.min(BATCH, midCount) * stride);
  const distances = new DistanceMeter(weld);
  for (let first = 0; first < midCount; first += BATCH) {
    const count = Math.min(BATCH, midCount - first);
    for (let k = 0; k < count; k++) halfway.fillInto(first + k, positions, k * stride);
    const result = evaluate(times.slice(first, first + count));
    if (frameCountOf(result) !== count) {
      throw new InputError('measure between', `evaluate returned ${frameCountOf(result)} frames for ${count} times`);
    }
    for (let k = 0; k < count; k++) {
      const shape = frameOf(result, k);
      squares[first + k] = distances.measure(positions.subarray(k * stride, (k + 1) * stride), shape, first + k);
      largest[first + k] = distances.ofPoint.reduce((most, d) => Math.max(most, d), 0);
      options.onFrame?.((first + k + 1) / midCount);
    }
  }
  return reportBetween(reference, weld.pointCount, squares, largest);
}

/** The times halfway between consecutive frames. */
export function listMidpoints({ times }: Clip): Float64Array {
  return Float64Array.from({ length: Math.max(0, times.length - 1) }, (_, k) => (times[k] + times[k + 1]) / 2);
}

/**
 * Makes the report.
 * @param squares by midpoint: sum of squared distances over points
 * @param max by midpoint: maximum distance
 */
export function reportBetween(
  reference: Clip,
  pointCount: number,
  squares: Float64Array,
  max: Float64Array,
): BetweenReport {
  const midCount = squares.length;
  const rest = reference.mesh.positions;
  const sampleCount = pointCount * midCount;
  const rmse = sampleCount > 0 ? Math.sqrt(squares.reduce((sum, one) => sum + one, 0) / sampleCount) : 0;
  const radius = rest.length > 0 ? smallestEnclosingBall(rest).radius : 0;
  return {
    frameCount: midCount,
    eRms: rmse === 0 ? 0 : (1000 * rmse) / (Math.sqrt(3) * radius),
    rmse,
    max: max.reduce((most, one) => Math.max(most, one), 0),
    perFrame: {
      times: listMidpoints(reference),
      rms: squares.map((square) => (pointCount > 0 ? Math.sqrt(square / pointCount) : 0)),
      max,
    },
  };
}
