// SPDX-License-Identifier: MIT
// The errors of measure-error.ts for a clip that is not in memory: every frame is read once and compared with the file that was written. Percentiles are within 0.05 %.

import { smallestEnclosingBall } from '../../core/mesh/geometry/enclosing-ball.ts';
import type { Asset, UpAxis } from '../../core/model/asset.ts';
import { poseOf } from '../../core/model/clip/motion.ts';
import type { PointSource } from '../../core/model/clip/point-source.ts';
import { InputError } from '../../core/model/errors.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import { makeAssetDeformer, sampleAnimation } from '../../deformers/playback/index.ts';
import { measureSize } from './error-summary.ts';
import type { ErrorReport } from './measure-error.ts';
import { NormalMeter } from './normal-meter.ts';
import { QuantileHistogram } from './quantile-histogram.ts';

export interface MeasureSourceOptions {
  /** Axis of the height. Default: 'y'. */
  up?: UpAxis;
  /** Called after every frame with the part that is done. */
  onFrame?: (part: number) => void;
}

/**
 * Measures the first animation of a skinned file against its source.
 * @param mesh the mesh of the source at rest
 * @param pointOfVertex vertexCount: the point of each vertex
 */
export async function measureSource(
  source: PointSource,
  mesh: Mesh,
  pointOfVertex: Uint32Array,
  asset: Asset,
  options: MeasureSourceOptions = {},
): Promise<ErrorReport> {
  const { pointCount, times } = source;
  const frameCount = times.length;
  const vertexCount = pointOfVertex.length;
  if (asset.mesh.positions.length !== 3 * vertexCount)
    throw new InputError(
      'the written file',
      `has ${asset.mesh.positions.length / 3} vertices instead of ${vertexCount}`,
    );
  const deformer = makeAssetDeformer(asset);
  const { motion } = sampleAnimation(asset, asset.animations[0], times);
  const shape = new Float32Array(3 * vertexCount);
  const truth = new Float32Array(3 * vertexCount);
  const distances = new DistanceMeter(pointOfVertex, pointCount, frameCount);
  const normals = new NormalMeter(mesh.triangles, {
    pointCount,
    pointOfVertex,
    vertexOfPoint: listFirst(pointOfVertex, pointCount),
  });
  const spread = new SpreadMeter(pointCount);
  await source.readBlock(0, pointCount, (frame, k) => {
    deformer.deformInto({ bones: poseOf(motion, k) }, shape);
    for (let i = 0; i < vertexCount; i++)
      for (let c = 0; c < 3; c++) truth[3 * i + c] = frame[3 * pointOfVertex[i] + c];
    distances.add(k, truth, shape);
    spread.add(frame);
    normals.add(truth, shape);
    options.onFrame?.((k + 1) / frameCount);
  });
  const { squared, perFrame } = distances;
  const rmse = Math.sqrt(squared / (pointCount * frameCount));
  const max = perFrame.max.reduce((most, d) => Math.max(most, d), 0);
  const ballRadius = smallestEnclosingBall(mesh.positions).radius;
  const { diagonal, height } = measureSize(mesh.positions, options.up ?? 'y');
  const divide = (error: number, size: number) => (error === 0 ? 0 : error / size);
  return {
    ...{ frameCount, vertexCount, pointCount, ballRadius, diagonal, height, rmse, max, perFrame },
    eRms: divide((1000 * rmse) / Math.sqrt(3), ballRadius),
    distortion: divide(100 * Math.sqrt(squared), Math.sqrt(spread.squaredDeviation())),
    rmsePercent: divide(100 * rmse, diagonal),
    p99: distances.quantile(0.99),
    normalDegrees: normals.degrees(),
    rmseOfHeight: divide(100 * rmse, height),
    maxOfHeight: divide(100 * max, height),
    perVertex: distances.perVertex(),
  };
}

/** Distances of vertices, and of points: the largest of their vertices. */
class DistanceMeter {
  /** Sum of squared distances of points over all frames. */
  squared = 0;
  readonly perFrame: ErrorReport['perFrame'];
  readonly #pointOfVertex: Uint32Array;
  readonly #frameCount: number;
  readonly #ofPoint: Float32Array;
  readonly #ofVertex: { rms: Float32Array; max: Float32Array };
  readonly #inFrame = new QuantileHistogram();
  readonly #inAll = new QuantileHistogram();

  constructor(pointOfVertex: Uint32Array, pointCount: number, frameCount: number) {
    this.#pointOfVertex = pointOfVertex;
    this.#frameCount = frameCount;
    this.#ofPoint = new Float32Array(pointCount);
    const vertexCount = pointOfVertex.length;
    this.#ofVertex = { rms: new Float32Array(vertexCount), max: new Float32Array(vertexCount) };
    this.perFrame = {
      rms: new Float64Array(frameCount),
      median: new Float64Array(frameCount),
      q1: new Float64Array(frameCount),
      q3: new Float64Array(frameCount),
      max: new Float64Array(frameCount),
    };
  }

  /** Adds frame k. */
  add(k: number, truth: Float32Array, shape: Float32Array): void {
    const ofPoint = this.#ofPoint;
    const { rms, max: farthest } = this.#ofVertex;
    ofPoint.fill(0);
    for (let i = 0; i < rms.length; i++) {
      const p = this.#pointOfVertex[i];
      let square = 0;
      for (let c = 0; c < 3; c++) square += (shape[3 * i + c] - truth[3 * i + c]) ** 2;
      const d = Math.sqrt(square);
      rms[i] += square;
      if (d > farthest[i]) farthest[i] = d;
      if (d > ofPoint[p]) ofPoint[p] = d;
    }
    let squaredOfFrame = 0;
    let max = 0;
    for (const d of ofPoint) {
      squaredOfFrame += d * d;
      if (d > max) max = d;
    }
    if (!Number.isFinite(squaredOfFrame))
      throw new InputError('the written file', `frame ${k} has positions that are not finite`);
    this.squared += squaredOfFrame;
    this.#inFrame.clear();
    this.#inFrame.count(ofPoint);
    this.#inAll.count(ofPoint);
    this.perFrame.rms[k] = Math.sqrt(squaredOfFrame / ofPoint.length);
    this.perFrame.q1[k] = this.#inFrame.find(0.25);
    this.perFrame.median[k] = this.#inFrame.find(0.5);
    this.perFrame.q3[k] = this.#inFrame.find(0.75);
    this.perFrame.max[k] = max;
  }

  quantile(part: number): number {
    return this.#inAll.find(part);
  }

  /** The errors of vertices over all frames. */
  perVertex(): { rms: Float32Array; max: Float32Array } {
    const { rms, max } = this.#ofVertex;
    return { rms: rms.map((sum) => Math.sqrt(sum / this.#frameCount)), max };
  }
}

function listFirst(pointOfVertex: Uint32Array, pointCount: number): Uint32Array {
  const first = new Uint32Array(pointCount);
  for (let i = pointOfVertex.length - 1; i >= 0; i--) first[pointOfVertex[i]] = i;
  return first;
}

/** Σ ‖P − P_avg‖² in one pass: Σ‖δ‖² − ‖Σδ‖²/S, with δ relative to the first frame. */
class SpreadMeter {
  readonly #sums: Float64Array;
  #first: Float32Array | undefined;
  #squares = 0;
  #frameCount = 0;

  constructor(pointCount: number) {
    this.#sums = new Float64Array(3 * pointCount);
  }

  add(frame: Float32Array): void {
    this.#first ??= frame.slice();
    this.#frameCount++;
    for (let c = 0; c < frame.length; c++) {
      const delta = frame[c] - this.#first[c];
      this.#sums[c] += delta;
      this.#squares += delta * delta;
    }
  }

  squaredDeviation(): number {
    let total = this.#squares;
    for (const sum of this.#sums) total -= (sum * sum) / this.#frameCount;
    return Math.max(0, total);
  }
}
