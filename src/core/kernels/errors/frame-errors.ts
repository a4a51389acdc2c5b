// SPDX-License-Identifier: MIT
// Distances between two shapes by frame: |sᵢ − tᵢ|² of every vertex i, of every point (the largest of its vertices), and the angles between area-weighted normals of points.
// A second kernel sums over frames, by vertex: Σ d², max d², and Σ δ, Σ δ² of the displacement δ from the first frame, which give the motion of the clip.
import type { Compute, KernelCall, Resident, ResidentArray } from '../compute.ts';

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
  return {
    kernel: 'frameErrors',
    args: [
      ...[truth, shapes, pointOfVertex, corners, offsets, squares, ofPoint, sums],
      ...[pointOfVertex.length, pointCount, corners.length, scratch, 8 * perThread],
    ],
    chunkCount: frameCount,
  };
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
  return {
    kernel: 'vertexErrors',
    args: [truth, squares, first, sums, largest, shifts, spreads, vertexCount, frameCount, CHUNK],
    chunkCount: Math.ceil(vertexCount / CHUNK),
  };
}

/** args: truth, shapes, pointOfVertex, corners, offsets, squares, ofPoint, sums, vertexCount, pointCount, cornerCount, scratch, bytes per thread */
export function frameErrorsReference(args: readonly (ResidentArray | number)[], chunk: number): void {
  const [vertexCount, pointCount, cornerCount] = args.slice(8) as number[];
  const [truth, shape] = (args as Float32Array[]).slice(0, 2).map((all) => all.subarray(3 * chunk * vertexCount));
  const [pointOfVertex, corners, offsets] = (args as Uint32Array[]).slice(2, 5);
  const squares = (args[5] as Float64Array).subarray(chunk * vertexCount);
  const ofPoint = (args[6] as Float32Array).subarray(chunk * pointCount);
  const sums = (args[7] as Float64Array).subarray(FRAME_SUMS * chunk);
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
}

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

/** args: truth, squares, first, sums, largest, shifts, spreads, vertexCount, frameCount, vertices per chunk */
export function vertexErrorsReference(args: readonly (ResidentArray | number)[], chunk: number): void {
  const [truth, , first] = args as Float32Array[];
  const [squares, , sums, largest, shifts, spreads] = (args as Float64Array[]).slice(1);
  const [vertexCount, frameCount, size] = args.slice(7) as number[];
  const end = Math.min(vertexCount, (chunk + 1) * size);
  for (let k = 0; k < frameCount; k++) {
    for (let i = chunk * size; i < end; i++) {
      const square = squares[k * vertexCount + i];
      sums[i] += square;
      if (square > largest[i]) largest[i] = square;
    }
    for (let c = 3 * chunk * size; c < 3 * end; c++) {
      const x = truth[3 * k * vertexCount + c] - first[c];
      shifts[c] += x;
      spreads[c] += x * x;
    }
  }
}
