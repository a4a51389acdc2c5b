// SPDX-License-Identifier: MIT
// The rigid motion of parts by frame, and distances from the reference halfway between two frames (measure/between/halfway-reference.ts has the definition). With the weights wₚ of a vertex
// in its parts, a part has the center c = Σ w² v / Σ w², the moment M = Σ w² (v − c)(r − c₀)ᵀ with its rest position r, and the spread Σ w² |v − c|².
import type { Compute } from '../compute.ts';
import { callOf, type KernelCall, kernel, type Resident } from '../kernel.ts';
import type { ResidentSkin } from '../skinning/skin-frames.ts';

/** Numbers per part and frame: center and spread, then the columns of the moment, each with a zero. */
export const PART_NUMBERS = 16;
/** Numbers per part and midpoint: t, and the columns of A and A′ of A v + A′ v′ + t, each with a zero. */
export const MAP_NUMBERS = 28;
/** Numbers per midpoint: sum and largest of the squared distances over points, first vertex that is not finite or -1. */
export const HALFWAY_SUMS = 3;

/** Parts at rest, in the memory of a compute. */
export interface ResidentParts {
  /** The parts of each vertex, as bones. */
  skin: ResidentSkin;
  /** partCount x 4 */
  centers: Resident<Float64Array>;
  /** partCount: Σ w² */
  totals: Resident<Float64Array>;
}

/**
 * Fills moments: frameCount x partCount x 16.
 * @param frames frameCount x vertexCount x 3
 * @param rest vertexCount x 3
 */
export function callPartMoments(
  frames: Resident<Float32Array>,
  rest: Resident<Float32Array>,
  { skin, centers, totals }: ResidentParts,
  moments: Resident<Float64Array>,
  frameCount: number,
): KernelCall {
  const { rowStart, boneIndices: parts, weights } = skin;
  const arrays = { frames, rest, rowStart, parts, weights, centers, totals, moments };
  const args = { ...arrays, vertexCount: rest.length / 3, partCount: totals.length };
  return callOf(partMomentsKernel, args, frameCount);
}

/** Arguments of callHalfwayErrors. */
export interface HalfwayArrays {
  /** midCount + 1 frames x vertexCount x 3 */
  frames: Resident<Float32Array>;
  /** midCount x vertexCount x 3 */
  shapes: Resident<Float32Array>;
  parts: ResidentParts;
  /** midCount x partCount: 1 where the part moves rigidly */
  isRigid: Resident<Uint32Array>;
  /** midCount x partCount x 28 */
  maps: Resident<Float64Array>;
  /** vertexCount */
  pointOfVertex: Resident<Uint32Array>;
  pointCount: number;
  /** midCount x 3, filled */
  sums: Resident<Float64Array>;
}

/** @param memory for scratch */
export function callHalfwayErrors(memory: Compute, arrays: HalfwayArrays, midCount: number): KernelCall {
  const { skin, totals } = arrays.parts;
  const { pointOfVertex, pointCount } = arrays;
  const args = {
    ...{ ...arrays, rowStart: skin.rowStart, parts: skin.boneIndices, weights: skin.weights },
    ...{ vertexCount: pointOfVertex.length, partCount: totals.length },
    ...{ scratch: memory.float64(pointCount * memory.threads), bytesPerThread: 8 * pointCount },
  };
  return callOf(halfwayErrorsKernel, args, midCount);
}

/** One chunk per frame. */
export const partMomentsKernel = kernel(
  'partMoments',
  {
    frames: 'f32',
    rest: 'f32',
    rowStart: 'u32',
    parts: 'u32',
    weights: 'f32',
    centers: 'f64',
    totals: 'f64',
    moments: 'f64',
    vertexCount: 'int',
    partCount: 'int',
  },
  ({ frames, rest, rowStart, parts, weights, centers, totals, moments, vertexCount, partCount }, chunk) => {
    const frame = frames.subarray(3 * chunk * vertexCount);
    const out = moments.subarray(PART_NUMBERS * chunk * partCount, PART_NUMBERS * (chunk + 1) * partCount).fill(0);
    const forEach = (visit: (i: number, part: number, share: number) => void) => {
      for (let i = 0; i < vertexCount; i++)
        for (let e = rowStart[i]; e < rowStart[i + 1]; e++) visit(i, parts[e], weights[e] * weights[e]);
    };
    forEach((i, part, share) => {
      for (let c = 0; c < 3; c++) out[PART_NUMBERS * part + c] += (share * frame[3 * i + c]) / totals[part];
    });
    forEach((i, part, share) => {
      const o = PART_NUMBERS * part;
      for (let r = 0; r < 3; r++) {
        const d = frame[3 * i + r] - out[o + r];
        for (let c = 0; c < 3; c++) out[o + 4 + 4 * c + r] += share * d * (rest[3 * i + c] - centers[4 * part + c]);
        out[o + 3] += share * d * d;
      }
    });
  },
);

/** One chunk per midpoint. */
export const halfwayErrorsKernel = kernel(
  'halfwayErrors',
  {
    frames: 'f32',
    shapes: 'f32',
    rowStart: 'u32',
    parts: 'u32',
    weights: 'f32',
    isRigid: 'u32',
    maps: 'f64',
    pointOfVertex: 'u32',
    sums: 'f64',
    vertexCount: 'int',
    partCount: 'int',
    pointCount: 'int',
    scratch: 'f64',
    bytesPerThread: 'int',
  },
  ({ rowStart, parts, weights, pointOfVertex, vertexCount, partCount, pointCount, ...all }, chunk) => {
    const frames = all.frames.subarray(3 * chunk * vertexCount);
    const shapes = all.shapes.subarray(3 * chunk * vertexCount);
    const isRigid = all.isRigid.subarray(chunk * partCount);
    const maps = all.maps.subarray(MAP_NUMBERS * chunk * partCount);
    const sums = all.sums.subarray(HALFWAY_SUMS * chunk);
    const points = new Float64Array(pointCount);
    sums.set([0, 0, -1]);
    for (let i = 0; i < vertexCount; i++) {
      const before = frames.subarray(3 * i);
      const after = frames.subarray(3 * (vertexCount + i));
      let square = 0;
      for (let r = 0; r < 3; r++) {
        const mean = (before[r] + after[r]) / 2;
        let halfway = mean;
        for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
          if (!isRigid[parts[e]]) continue;
          const m = maps.subarray(MAP_NUMBERS * parts[e]);
          let moved = m[r] - mean;
          for (let c = 0; c < 3; c++) moved += m[4 + 4 * c + r] * before[c] + m[16 + 4 * c + r] * after[c];
          halfway += weights[e] * moved;
        }
        square += (shapes[3 * i + r] - Math.fround(halfway)) ** 2;
      }
      if (!(square < Number.POSITIVE_INFINITY) && sums[2] < 0) sums[2] = i;
      if (square > points[pointOfVertex[i]]) points[pointOfVertex[i]] = square;
    }
    for (const square of points) {
      sums[0] += square;
      sums[1] = Math.max(sums[1], square);
    }
  },
);
