// SPDX-License-Identifier: MIT
// The only definition of shape errors; docs/metrics.md describes them.

import { measureBounds } from '../mesh/bounds.ts';
import { smallestEnclosingBall } from '../mesh/enclosing-ball.ts';
import { type Weld, weldClip } from '../mesh/weld.ts';
import type { UpAxis } from '../model/asset.ts';
import { type Clip, frameCountOf, frameOf } from '../model/clip.ts';
import { InputError } from '../model/errors.ts';
import { DistanceMeter } from './distance-meter.ts';
import { NormalMeter } from './normal-meter.ts';
import { placeOfQuantile, quantilesInto, RankFinder } from './quantile.ts';

/** Quartiles and maximum of a frame. */
const QUARTILES = [0.25, 0.5, 0.75, 1];
/** Maximum number of distances that are kept for the percentile: 8 MB. */
const MAX_KEPT = 2e6;

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

  const perFrame = {
    rms: new Float64Array(frameCount),
    median: new Float64Array(frameCount),
    q1: new Float64Array(frameCount),
    q3: new Float64Array(frameCount),
    max: new Float64Array(frameCount),
  };
  const squaredOfVertex = new Float64Array(vertexCount);
  const maxOfVertex = new Float32Array(vertexCount);
  const distances = new DistanceMeter(weld);
  const { ofVertex, ofPoint } = distances;
  const motion = makeMotionMeter(vertexOfPoint);
  const ranks = new RankFinder();
  const normals = new NormalMeter(reference.mesh.triangles, weld);

  const sampleCount = pointCount * frameCount;
  const kept = sampleCount <= MAX_KEPT ? new Float32Array(sampleCount) : undefined;
  let squared = 0;
  for (let k = 0; k < frameCount; k++) {
    const truth = frameOf(reference, k);
    const shape = readFrame(k);
    const squaredOfFrame = distances.measure(truth, shape, k);
    for (let i = 0; i < vertexCount; i++) {
      const d = ofVertex[i];
      squaredOfVertex[i] += d * d;
      if (d > maxOfVertex[i]) maxOfVertex[i] = d;
    }
    ranks.countAll(ofPoint);
    kept?.set(ofPoint, k * pointCount);
    squared += squaredOfFrame;
    perFrame.rms[k] = pointCount > 0 ? Math.sqrt(squaredOfFrame / pointCount) : 0;
    [perFrame.q1[k], perFrame.median[k], perFrame.q3[k], perFrame.max[k]] = quantilesInto(ofPoint, QUARTILES);
    motion.add(truth);
    normals.add(truth, shape);
    options.onFrame?.((k + 1) / frameCount);
  }

  // The second pass is only needed for the percentile of a long clip.
  let p99 = 0;
  if (sampleCount > 0) {
    const { rank, ratio } = placeOfQuantile(0.99, sampleCount);
    const next = Math.min(rank + 1, sampleCount - 1);
    ranks.expect(rank);
    ranks.expect(next);
    if (kept) ranks.recountAll(kept);
    for (let k = 0; k < frameCount && !kept; k++) {
      distances.measure(frameOf(reference, k), readFrame(k), k);
      ranks.recountAll(ofPoint);
    }
    const low = ranks.find(rank);
    p99 = low + ratio * (ranks.find(next) - low);
  }

  const perVertexRms = new Float32Array(vertexCount);
  for (let i = 0; i < vertexCount; i++)
    perVertexRms[i] = frameCount > 0 ? Math.sqrt(squaredOfVertex[i] / frameCount) : 0;
  const rmse = sampleCount > 0 ? Math.sqrt(squared / sampleCount) : 0;
  let max = 0;
  for (let k = 0; k < frameCount; k++) max = Math.max(max, perFrame.max[k]);
  const ballRadius = vertexCount > 0 ? smallestEnclosingBall(rest).radius : 0;
  const { diagonal, height } = measureSize(rest, options.up ?? 'y');
  return {
    frameCount,
    vertexCount,
    pointCount,
    eRms: divide(1000 * (sampleCount > 0 ? Math.sqrt(squared / (3 * sampleCount)) : 0), ballRadius),
    distortion: divide(100 * Math.sqrt(squared), Math.sqrt(motion.squaredDeviation())),
    rmse,
    rmsePercent: divide(100 * rmse, diagonal),
    max,
    p99,
    normalDegrees: normals.degrees(),
    rmseOfHeight: divide(100 * rmse, height),
    maxOfHeight: divide(100 * max, height),
    ballRadius,
    diagonal,
    height,
    perFrame,
    perVertex: { rms: perVertexRms, max: maxOfVertex },
  };
}

/** Lengths of the rest pose that percentages refer to. */
export function measureSize(rest: Float32Array, up: UpAxis): { diagonal: number; height: number } {
  if (rest.length === 0) return { diagonal: 0, height: 0 };
  const { min, max, diagonal } = measureBounds(rest);
  const axis = 'xyz'.indexOf(up);
  return { diagonal, height: max[axis] - min[axis] };
}

/** The ratio of an error to a size. A flat or static mesh has no height or motion: relative to zero, no error is 0 and any other error is infinite. */
function divide(error: number, size: number): number {
  return error === 0 ? 0 : error / size;
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
