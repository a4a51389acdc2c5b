// SPDX-License-Identifier: MIT
import { type Compute, type Resident, uploadFloat32, uploadUint32 } from '../../core/kernels/compute.ts';
import {
  callFrameErrors,
  callVertexErrors,
  FRAME_SUMS,
  type ResidentSurface,
} from '../../core/kernels/errors/frame-errors.ts';
import { pointTriangles, type Weld, weldClip } from '../../core/mesh/topology/weld.ts';
import { type Clip, frameCountOf, frameOf } from '../../core/model/clip/clip.ts';
import { InputError } from '../../core/model/errors.ts';
import { notFinite } from './distance-meter.ts';
import { ErrorSummary } from './error-summary.ts';
import type { FrameShapes } from './frame-shapes.ts';
import type { ErrorReport, MeasureOptions } from './measure-error.ts';

/** Bytes of the arrays of a batch, which fit in the cache, and bytes per vertex and frame: two shapes, squared distances, and distances of points. */
const BATCH_BYTES = 8e6;
const BYTES_PER_VERTEX = 36;
/** Minimum frames of a batch per thread. */
const FRAMES_PER_THREAD = 2;

/**
 * Measures shapes against a reference on the threads of a compute: the same report as measureError.
 * @param shapes as many as the reference has frames, in one or more lists
 */
export async function measureErrorOn(
  compute: Compute,
  reference: Clip,
  shapes: readonly FrameShapes[],
  options: MeasureOptions = {},
): Promise<ErrorReport> {
  const frameCount = frameCountOf(reference);
  const shapeCount = shapes.reduce((sum, { count }) => sum + count, 0);
  if (shapeCount !== frameCount)
    throw new InputError('measure error', `the reference has ${frameCount} frames and the result ${shapeCount}`);
  const weld = options.weld ?? weldClip(reference);
  const summary = new ErrorSummary(reference, weld.pointCount);
  return compute.scope(async (memory) => {
    const meter = new BatchMeter(memory, reference, weld);
    let done = 0;
    await meter.measure(shapes, true, (k, squared, ofPoint, quartiles) => {
      summary.add(k, squared, ofPoint, quartiles);
      options.onFrame?.(++done / frameCount);
    });
    summary.endFrames();
    // The second pass is only needed for the percentile of a long clip.
    if (!summary.isKept) await meter.measure(shapes, false, (_k, _squared, ofPoint) => summary.recount(ofPoint));
    return summary.report(meter.sums(), options.up ?? 'y');
  });
}

/** Frames per batch of a mesh. */
export function batchSizeOf(vertexCount: number, frameCount: number, threads: number): number {
  const most = Math.max(
    FRAMES_PER_THREAD * threads,
    Math.floor(BATCH_BYTES / (BYTES_PER_VERTEX * Math.max(1, vertexCount))),
  );
  return Math.min(most, Math.max(1, frameCount));
}

/** Measures batches of frames, and sums over all of them. */
class BatchMeter {
  readonly #memory: Compute;
  readonly #reference: Clip;
  readonly #weld: Weld;
  readonly #size: number;
  readonly #surface: ResidentSurface;
  readonly #truth: Resident<Float32Array>;
  readonly #shapes: Resident<Float32Array>;
  readonly #first: Resident<Float32Array>;
  readonly #ofFrame;
  readonly #ofVertex;
  #angles = 0;
  #angleCount = 0;

  constructor(memory: Compute, reference: Clip, weld: Weld) {
    const stride = reference.mesh.positions.length;
    const vertexCount = stride / 3;
    const frameCount = frameCountOf(reference);
    const size = batchSizeOf(vertexCount, frameCount, memory.threads);
    this.#memory = memory;
    this.#reference = reference;
    this.#weld = weld;
    this.#size = size;
    this.#surface = uploadSurface(memory, reference, weld);
    this.#truth = memory.float32(size * stride);
    this.#shapes = memory.float32(size * stride);
    this.#first = uploadFloat32(memory, frameCount > 0 ? frameOf(reference, 0) : reference.mesh.positions);
    this.#ofFrame = {
      squares: memory.float64(size * vertexCount),
      ofPoint: memory.float32(size * weld.pointCount),
      sums: memory.float64(size * FRAME_SUMS),
    };
    this.#ofVertex = {
      sums: memory.float64(vertexCount),
      largest: memory.float64(vertexCount),
      shifts: memory.float64(stride),
      spreads: memory.float64(stride),
    };
  }

  /**
   * @param isFirst whether sums over frames are made
   * @param onFrame called with the sum of squared distances over points, the distances of points, and their quartiles and maximum
   */
  async measure(
    shapes: readonly FrameShapes[],
    isFirst: boolean,
    onFrame: (k: number, squared: number, ofPoint: Float32Array, quartiles: Float64Array) => void,
  ): Promise<void> {
    const { pointCount } = this.#weld;
    const stride = this.#reference.mesh.positions.length;
    let start = 0;
    for (const list of shapes) {
      for (let first = 0; first < list.count; first += this.#size) {
        const count = Math.min(this.#size, list.count - first);
        const from = (start + first) * stride;
        this.#truth.view().set(this.#reference.positions.subarray(from, from + count * stride));
        await list.fillInto(first, count, this.#shapes);
        await this.#run(count, isFirst);
        const sums = this.#ofFrame.sums.view();
        const ofPoint = this.#ofFrame.ofPoint.view();
        for (let k = 0; k < count; k++) {
          const own = sums.subarray(FRAME_SUMS * k, FRAME_SUMS * (k + 1));
          const [squared, angles, angleCount, bad] = own;
          if (bad >= 0) throw notFinite(start + first + k, bad);
          if (isFirst) this.#angles += angles;
          if (isFirst) this.#angleCount += angleCount;
          onFrame(start + first + k, squared, ofPoint.subarray(k * pointCount, (k + 1) * pointCount), own.subarray(4));
        }
      }
      start += list.count;
    }
  }

  sums() {
    const [shifts, spreads] = [this.#ofVertex.shifts.view(), this.#ofVertex.spreads.view()];
    const frameCount = frameCountOf(this.#reference);
    let squaredDeviation = 0;
    for (const i of this.#weld.vertexOfPoint)
      for (let c = 3 * i; c < 3 * i + 3; c++)
        squaredDeviation += Math.max(0, spreads[c] - (shifts[c] * shifts[c]) / frameCount);
    return {
      squaredOfVertex: this.#ofVertex.sums.view(),
      largestOfVertex: this.#ofVertex.largest.view(),
      squaredDeviation,
      normalDegrees: this.#angleCount > 0 ? Math.sqrt(this.#angles / this.#angleCount) : 0,
    };
  }

  async #run(count: number, isFirst: boolean): Promise<void> {
    await this.#memory.scope(async (scratch) => {
      const ofFrames = callFrameErrors(scratch, this.#truth, this.#shapes, this.#surface, this.#ofFrame, count);
      const ofVertices = callVertexErrors(this.#truth, this.#ofFrame, this.#first, this.#ofVertex, count);
      await scratch.runAll(isFirst ? [ofFrames, ofVertices] : [ofFrames]);
    });
  }
}

function uploadSurface(memory: Compute, { mesh }: Clip, weld: Weld): ResidentSurface {
  const points = pointTriangles(mesh.triangles, weld);
  return {
    pointCount: weld.pointCount,
    pointOfVertex: uploadUint32(memory, weld.pointOfVertex),
    corners: uploadUint32(
      memory,
      points.map((p) => 3 * weld.vertexOfPoint[p]),
    ),
    offsets: uploadUint32(
      memory,
      points.map((p) => 3 * p),
    ),
  };
}
