// SPDX-License-Identifier: MIT
import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import { smallestEnclosingBall } from '../../core/mesh/geometry/enclosing-ball.ts';
import type { UpAxis } from '../../core/model/asset.ts';
import { type Clip, frameCountOf } from '../../core/model/clip/clip.ts';
import type { ErrorReport } from './measure-error.ts';
import { placeOfQuantile, RankFinder } from './quantile.ts';

/** Maximum number of distances that are kept for the percentile: 8 MB. */
const MAX_KEPT = 2e6;

/** Sums over all frames of a clip. */
export interface ErrorSums {
  /** vertexCount: Σ d² */
  squaredOfVertex: Float64Array;
  /** vertexCount: max d² */
  largestOfVertex: Float64Array;
  /** Σ ‖P − P_avg‖² over points. */
  squaredDeviation: number;
  /** Root mean square angle between normals. */
  normalDegrees: number;
}

/** Collects the distances of all points, frame by frame, and makes the report of a clip. */
export class ErrorSummary {
  /** Whether all distances are kept. If not, every frame must be passed to recount() after the last one was added. */
  readonly isKept: boolean;
  readonly #reference: Clip;
  readonly #pointCount: number;
  readonly #kept: Float32Array;
  readonly #ranks = new RankFinder();
  readonly #perFrame: ErrorReport['perFrame'];
  #squared = 0;

  constructor(reference: Clip, pointCount: number) {
    const frameCount = frameCountOf(reference);
    const sampleCount = pointCount * frameCount;
    this.#reference = reference;
    this.#pointCount = pointCount;
    this.isKept = sampleCount <= MAX_KEPT;
    this.#kept = new Float32Array(this.isKept ? sampleCount : 0);
    this.#perFrame = {
      rms: new Float64Array(frameCount),
      median: new Float64Array(frameCount),
      q1: new Float64Array(frameCount),
      q3: new Float64Array(frameCount),
      max: new Float64Array(frameCount),
    };
  }

  /**
   * @param squared Σ d² over points
   * @param ofPoint pointCount distances
   * @param quartiles and the maximum of the distances
   */
  add(k: number, squared: number, ofPoint: Float32Array, quartiles: ArrayLike<number>): void {
    const perFrame = this.#perFrame;
    this.#ranks.countAll(ofPoint);
    if (this.isKept) this.#kept.set(ofPoint, k * this.#pointCount);
    this.#squared += squared;
    perFrame.rms[k] = this.#pointCount > 0 ? Math.sqrt(squared / this.#pointCount) : 0;
    perFrame.q1[k] = quartiles[0];
    perFrame.median[k] = quartiles[1];
    perFrame.q3[k] = quartiles[2];
    perFrame.max[k] = quartiles[3];
  }

  /** Ends the first pass. */
  endFrames(): void {
    const [rank, next] = this.#percentileRanks();
    if (next < 0) return;
    this.#ranks.expect(rank);
    this.#ranks.expect(next);
    if (this.isKept) this.#ranks.recountAll(this.#kept);
  }

  /** The second pass, for long clips. */
  recount(ofPoint: Float32Array): void {
    this.#ranks.recountAll(ofPoint);
  }

  report(sums: ErrorSums, up: UpAxis): ErrorReport {
    const frameCount = this.#perFrame.rms.length;
    const pointCount = this.#pointCount;
    const sampleCount = pointCount * frameCount;
    const rest = this.#reference.mesh.positions;
    const vertexCount = rest.length / 3;
    const squared = this.#squared;
    const rmse = sampleCount > 0 ? Math.sqrt(squared / sampleCount) : 0;
    const max = this.#perFrame.max.reduce((most, d) => Math.max(most, d), 0);
    const ballRadius = vertexCount > 0 ? smallestEnclosingBall(rest).radius : 0;
    const { diagonal, height } = measureSize(rest, up);
    return {
      frameCount,
      vertexCount,
      pointCount,
      eRms: divide(1000 * (sampleCount > 0 ? Math.sqrt(squared / (3 * sampleCount)) : 0), ballRadius),
      distortion: divide(100 * Math.sqrt(squared), Math.sqrt(sums.squaredDeviation)),
      rmse,
      rmsePercent: divide(100 * rmse, diagonal),
      max,
      p99: this.#percentile(),
      normalDegrees: sums.normalDegrees,
      rmseOfHeight: divide(100 * rmse, height),
      maxOfHeight: divide(100 * max, height),
      ballRadius,
      diagonal,
      height,
      perFrame: this.#perFrame,
      perVertex: { rms: rootsOf(sums.squaredOfVertex, frameCount), max: rootsOf(sums.largestOfVertex, 1) },
    };
  }

  #percentile(): number {
    const [rank, next, ratio] = this.#percentileRanks();
    if (next < 0) return 0;
    const low = this.#ranks.find(rank);
    return low + ratio * (this.#ranks.find(next) - low);
  }

  /** Rank of the 99th percentile, the next one (-1 without distances), and the fraction between both. */
  #percentileRanks(): [number, number, number] {
    const count = this.#pointCount * this.#perFrame.rms.length;
    const { rank, ratio } = placeOfQuantile(0.99, count);
    return [rank, Math.min(rank + 1, count - 1), ratio];
  }
}

/** √(x / count); zeros if the count is zero. */
function rootsOf(squares: Float64Array, count: number): Float32Array {
  const roots = new Float32Array(squares.length);
  for (let i = 0; i < roots.length && count > 0; i++) roots[i] = Math.sqrt(squares[i] / count);
  return roots;
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
