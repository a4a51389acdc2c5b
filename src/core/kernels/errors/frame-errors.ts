// SPDX-License-Identifier: MIT
// Distances between two shapes by frame: |sᵢ − tᵢ|² of every vertex i, of every point (the largest of its vertices), and the angles between area-weighted normals of points.
// A second kernel sums over frames, by vertex: Σ d², max d², and Σ δ, Σ δ² of the displacement δ from the first frame, which give the motion of the clip.
import type { Compute } from '../compute.ts';
import { callOf, type KernelCall, kernel, type Resident } from '../kernel.ts';

const DEGREES = 180 / Math.PI;

/** Numbers per frame in FrameErrors.sums. */
export const FRAME_SUMS = 8;

/** Vertices per chunk of the sums over frames: their sums stay in the cache. */
const CHUNK = 1024;

/** Points and corners of a surface, in the memory of a compute. */
export interface ResidentSurface {
  pointCount: number;
  /** vertexCount */
  pointOfVertex: Resident<Uint32Array>;
  /** triangleCount x 3: three times the first vertex of the point of each corner */
  corners: Resident<Uint32Array>;
  /** triangleCount x 3: three times the point of each corner */
  offsets: Resident<Uint32Array>;
}

/** What callFrameErrors fills. */
export interface FrameErrors {
  /** frames x vertexCount: squared distances */
  squares: Resident<Float64Array>;
  /** frames x pointCount: distances */
  ofPoint: Resident<Float32Array>;
  /**
   * frames x 8: sum of squared distances over points, sum of squared angles (degrees), number of angles, first vertex that is not finite or -1; quartiles and maximum of
   * the distances of points
   */
  sums: Resident<Float64Array>;
}

/** What callVertexErrors adds to. */
export interface VertexErrors {
  /** vertexCount: sum and largest of the squared distances */
  sums: Resident<Float64Array>;
  largest: Resident<Float64Array>;
  /** vertexCount x 3: sums of displacements from the first frame, and of their squares */
  shifts: Resident<Float64Array>;
  spreads: Resident<Float64Array>;
}

/**
 * @param memory for scratch
 * @param truth, shapes frameCount x vertexCount x 3
 */
export function callFrameErrors(
  memory: Compute,
  truth: Resident<Float32Array>,
  shapes: Resident<Float32Array>,
  { pointCount, pointOfVertex, corners, offsets }: ResidentSurface,
  { squares, ofPoint, sums }: FrameErrors,
  frameCount: number,
): KernelCall {
  const perThread = 7 * pointCount;
  const scratch = memory.float64(perThread * memory.threads);
  const arrays = { truth, shapes, pointOfVertex, corners, offsets, squares, ofPoint, sums, scratch };
  const sizes = { vertexCount: pointOfVertex.length, pointCount, cornerCount: corners.length };
  return callOf(frameErrorsKernel, { ...arrays, ...sizes, bytesPerThread: 8 * perThread }, frameCount);
}

/** @param first vertexCount x 3: the first frame of the clip */
export function callVertexErrors(
  truth: Resident<Float32Array>,
  { squares }: FrameErrors,
  first: Resident<Float32Array>,
  { sums, largest, shifts, spreads }: VertexErrors,
  frameCount: number,
): KernelCall {
  const vertexCount = sums.length;
  const arrays = { truth, squares, first, sums, largest, shifts, spreads };
  const args = { ...arrays, vertexCount, frameCount, chunkSize: CHUNK };
  return callOf(vertexErrorsKernel, args, Math.ceil(vertexCount / CHUNK));
}

/** One chunk per frame. */
export const frameErrorsKernel = kernel(
  'frameErrors',
  {
    truth: 'f32',
    shapes: 'f32',
    pointOfVertex: 'u32',
    corners: 'u32',
    offsets: 'u32',
    squares: 'f64',
    ofPoint: 'f32',
    sums: 'f64',
    vertexCount: 'int',
    pointCount: 'int',
    cornerCount: 'int',
    scratch: 'f64',
    bytesPerThread: 'int',
  },
  ({ pointOfVertex, corners, offsets, vertexCount, pointCount, cornerCount, ...all }, chunk) => {
    const truth = all.truth.subarray(3 * chunk * vertexCount);
    const shape = all.shapes.subarray(3 * chunk * vertexCount);
    const squares = all.squares.subarray(chunk * vertexCount);
    const ofPoint = all.ofPoint.subarray(chunk * pointCount);
    const sums = all.sums.subarray(FRAME_SUMS * chunk);
    const points = new Float64Array(pointCount);
    sums.fill(0, 0, FRAME_SUMS);
    sums[3] = -1;
    for (let i = 0; i < vertexCount; i++) {
      let square = 0;
      for (let c = 3 * i; c < 3 * i + 3; c++) square += (shape[c] - truth[c]) ** 2;
      if (!(square < Number.POSITIVE_INFINITY) && sums[3] < 0) sums[3] = i;
      squares[i] = square;
      if (square > points[pointOfVertex[i]]) points[pointOfVertex[i]] = square;
    }
    for (let p = 0; p < pointCount; p++) {
      sums[0] += points[p];
      ofPoint[p] = Math.sqrt(points[p]);
    }
    const sorted = ofPoint.slice(0, pointCount).sort();
    for (let n = 1; n < 5 && pointCount > 0; n++) {
      const place = 0.25 * n * (pointCount - 1);
      const [low, high] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
      sums[3 + n] = low + (place - Math.floor(place)) * (high - low);
    }
    const [a, b] = [truth, shape].map((frame) => normalsOf(frame, corners, offsets, cornerCount, pointCount));
    for (let c = 0; c < a.length; c += 3) {
      const [ax, ay, az, bx, by, bz] = [a[c], a[c + 1], a[c + 2], b[c], b[c + 1], b[c + 2]];
      if (ax === 0 && ay === 0 && az === 0) continue;
      const across = Math.hypot(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx);
      const isLost = bx === 0 && by === 0 && bz === 0;
      sums[1] += (isLost ? 90 : DEGREES * Math.atan2(across, ax * bx + ay * by + az * bz)) ** 2;
      sums[2]++;
    }
  },
);

function normalsOf(
  frame: Float32Array,
  corners: Uint32Array,
  offsets: Uint32Array,
  cornerCount: number,
  pointCount: number,
): Float64Array {
  const normals = new Float64Array(3 * pointCount);
  for (let n = 0; n < cornerCount; n += 3) {
    const [u, v, w] = corners.subarray(n);
    const a = [0, 1, 2].map((c) => frame[v + c] - frame[u + c]);
    const b = [0, 1, 2].map((c) => frame[w + c] - frame[u + c]);
    for (let c = 0; c < 3; c++) {
      const area = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
      for (let k = 0; k < 3; k++) normals[offsets[n + k] + c] += area;
    }
  }
  return normals;
}

export const vertexErrorsKernel = kernel(
  'vertexErrors',
  {
    truth: 'f32',
    squares: 'f64',
    first: 'f32',
    sums: 'f64',
    largest: 'f64',
    shifts: 'f64',
    spreads: 'f64',
    vertexCount: 'int',
    frameCount: 'int',
    chunkSize: 'int',
  },
  ({ truth, squares, first, sums, largest, shifts, spreads, vertexCount, frameCount, chunkSize }, chunk) => {
    const end = Math.min(vertexCount, (chunk + 1) * chunkSize);
    for (let k = 0; k < frameCount; k++) {
      for (let i = chunk * chunkSize; i < end; i++) {
        const square = squares[k * vertexCount + i];
        sums[i] += square;
        if (square > largest[i]) largest[i] = square;
      }
      for (let c = 3 * chunk * chunkSize; c < 3 * end; c++) {
        const x = truth[3 * k * vertexCount + c] - first[c];
        shifts[c] += x;
        spreads[c] += x * x;
      }
    }
  },
);
