// SPDX-License-Identifier: MIT
// The only definition of shape errors; docs/reference/metrics.md describes them.

import { type Weld, weldClip } from '../../core/mesh/topology/weld.ts';
import type { UpAxis } from '../../core/model/asset.ts';
import { type Clip, frameCountOf, frameOf } from '../../core/model/clip/clip.ts';
import { InputError } from '../../core/model/errors.ts';
import { DistanceMeter } from './distance-meter.ts';
import { ErrorSummary } from './error-summary.ts';
import { NormalMeter } from './normal-meter.ts';
import { quantilesInto } from './quantile.ts';

/** Quartiles and maximum of a frame. */
const QUARTILES = [0.25, 0.5, 0.75, 1];

/** Options of measureError and measureBetween. */
export interface MeasureOptions {
  /** Groups of vertices that are one point. Default: vertices of the reference that coincide at rest and in every frame. */
  weld?: Weld;
  /** Axis of the height. Default: 'y'. */
  up?: UpAxis;
  /** Called with the fraction done. */
  onFrame?(fraction: number): void;
}

/** Errors of a result compared with a reference; distances in file units, unless the name says percent or degrees. */
export interface ErrorReport {
  /** Number of frames. */
  frameCount: number;
  /** Number of vertices. */
  vertexCount: number;
  /** Welded points: the n of every mean below. */
  pointCount: number;
  /** 1000 √(Σ d² / 3nS), the rest pose scaled so that its smallest enclosing ball has radius 1 */
  eRms: number;
  /** Karni–Gotsman, percent: 100 ‖P − P̂‖ / ‖P − P_avg‖, P_avg the time average of each point */
  distortion: number;
  /** √(Σ d² / nS) */
  rmse: number;
  /** rmse in percent of the rest pose's box diagonal */
  rmsePercent: number;
  /** Maximum distance. */
  max: number;
  /** 99th percentile of all distances */
  p99: number;
  /** Root mean square angle between vertex normals (area-weighted, on the welded surface), degrees */
  normalDegrees: number;
  /** rmse in percent of the height */
  rmseOfHeight: number;
  /** max in percent of the height */
  maxOfHeight: number;
  /** Radius of the smallest enclosing ball of the reference's rest pose. */
  ballRadius: number;
  /** Box diagonal of the reference's rest pose. */
  diagonal: number;
  /** Height of the reference's rest pose. */
  height: number;
  /** frameCount numbers each, over points */
  perFrame: { rms: Float64Array; median: Float64Array; q1: Float64Array; q3: Float64Array; max: Float64Array };
  /** vertexCount numbers each, over frames */
  perVertex: { rms: Float32Array; max: Float32Array };
}

/**
 * Measures the distance of a clip from a reference with the same vertices and the same number of frames.
 * @example
 * ```ts
 * import { measureError, readAsset } from 'ossify';
 * import { bakeAt } from 'ossify/deform';
 *
 * const written = await readAsset([{ name: 'out.glb', bytes }]);
 * const { max, eRms } = measureError(clip, bakeAt(written, written.animations[0], clip.times));
 * ```
 */
export function measureError(reference: Clip, result: Clip, options: MeasureOptions = {}): ErrorReport {
  const frameCount = frameCountOf(reference);
  if (frameCountOf(result) !== frameCount) {
    throw new InputError(
      'measure error',
      `the reference has ${frameCount} frames and the result ${frameCountOf(result)}; sample both alike`,
    );
  }
  if (result.mesh.positions.length !== reference.mesh.positions.length) {
    throw new InputError(
      'measure error',
      `the reference has ${reference.mesh.positions.length / 3} vertices and the result ${result.mesh.positions.length / 3}; both must have the same mesh`,
    );
  }
  return measureFrames(reference, (k) => frameOf(result, k), options);
}

/**
 * The same, for frames that are computed on demand (a deformer): memory does not grow with their number.
 * @param readFrame positions of frame k, vertexCount x 3; called once or twice per frame, and must return the same positions both times
 */
export function measureFrames(
  reference: Clip,
  readFrame: (k: number) => Float32Array,
  options: MeasureOptions = {},
): ErrorReport {
  const frameCount = frameCountOf(reference);
  const rest = reference.mesh.positions;
  const vertexCount = rest.length / 3;
  const weld = options.weld ?? weldClip(reference);
  const { pointCount, pointOfVertex, vertexOfPoint } = weld;
  if (pointOfVertex.length !== vertexCount) {
    throw new InputError(
      'measure error',
      `the weld is of ${pointOfVertex.length} vertices, the clip has ${vertexCount}`,
    );
  }

  const sums = { squaredOfVertex: new Float64Array(vertexCount), largestOfVertex: new Float64Array(vertexCount) };
  const { squaredOfVertex, largestOfVertex } = sums;
  const distances = new DistanceMeter(weld);
  const { squares, ofPoint } = distances;
  const motion = makeMotionMeter(vertexOfPoint);
  const normals = new NormalMeter(reference.mesh.triangles, weld);
  const summary = new ErrorSummary(reference, pointCount);
  for (let k = 0; k < frameCount; k++) {
    const truth = frameOf(reference, k);
    const shape = readFrame(k);
    const squaredOfFrame = distances.measure(truth, shape, k);
    for (let i = 0; i < vertexCount; i++) {
      const square = squares[i];
      squaredOfVertex[i] += square;
      if (square > largestOfVertex[i]) largestOfVertex[i] = square;
    }
    summary.add(k, squaredOfFrame, ofPoint, quantilesInto(ofPoint, QUARTILES));
    motion.add(truth);
    normals.add(truth, shape);
    options.onFrame?.((k + 1) / frameCount);
  }
  summary.endFrames();
  // The second pass is only needed for the percentile of a long clip.
  for (let k = 0; k < frameCount && !summary.isKept; k++) {
    distances.measure(frameOf(reference, k), readFrame(k), k);
    summary.recount(ofPoint);
  }
  const ends = { squaredDeviation: motion.squaredDeviation(), normalDegrees: normals.degrees() };
  return summary.report({ ...sums, ...ends }, options.up ?? 'y');
}

/**
 * Σ ‖P − P_avg‖² in one pass: Σ‖δ‖² − ‖Σδ‖²/S with δ relative to the first frame, so that a static clip gives exactly zero and
 * a clip far from the origin loses no precision.
 */
function makeMotionMeter(vertexOfPoint: Uint32Array): { add(frame: Float32Array): void; squaredDeviation(): number } {
  const pointCount = vertexOfPoint.length;
  const sums = new Float64Array(pointCount * 3);
  const squares = new Float64Array(pointCount * 3);
  let first: Float32Array | undefined;
  let frameCount = 0;
  return {
    add(frame) {
      first ??= frame;
      frameCount++;
      for (let p = 0, o = 0; p < pointCount; p++, o += 3) {
        const v = 3 * vertexOfPoint[p];
        const x = frame[v] - first[v];
        const y = frame[v + 1] - first[v + 1];
        const z = frame[v + 2] - first[v + 2];
        sums[o] += x;
        sums[o + 1] += y;
        sums[o + 2] += z;
        squares[o] += x * x;
        squares[o + 1] += y * y;
        squares[o + 2] += z * z;
      }
    },
    squaredDeviation() {
      let total = 0;
      for (let c = 0; c < sums.length; c++) total += Math.max(0, squares[c] - (sums[c] * sums[c]) / frameCount);
      return total;
    },
  };
}
