// SPDX-License-Identifier: MIT
// A codec of animated meshes by principal components of vertex trajectories.
//   L. Váša and V. Skala, CoDDyaC: Connectivity driven dynamic mesh compression, 3DTV Conference 2007
//   L. Váša and V. Skala, COBRA: Compression of the basis for PCA represented animations, Computer Graphics Forum 28(6), 2009
//
// As there: coefficients of vertices are predicted from neighbours in the order of a walk over the mesh, residuals are quantized with one step for all components, and vectors of
// the basis are predicted from earlier frames. Different here, each with smaller files: predictions are the mean of several parallelograms, and are fitted to decoded components
// (local-predictor.ts); coefficients are fitted again after the vectors are quantized; residuals are coded with a range coder in contexts of the residuals around them; decoded components are
// smoothed (pca-coefficients.ts). Triangles are those of the codec for skins (src/formats/compact-skin/mesh/code-connectivity.ts).

import { factorCholesky, solveCholesky } from '../../src/core/algebra/dense-cholesky.ts';
import { makeAdjacency } from '../../src/core/mesh/topology/adjacency.ts';
import {
  BitCounter,
  decodeConnectivity,
  makeMeshWalk,
  RangeDecoder,
  RangeEncoder,
} from '../../src/formats/compact-skin/index.ts';
import type { PcaBasis } from './pca-basis.ts';
import { codePcaCoefficients, type PcaSurface } from './pca-coefficients.ts';
import { codePcaVectors, makePcaVectors, quantizePcaVectors } from './pca-vectors.ts';

/** Squared error per bit at which more bits are not worth it, in squared steps: the slope 2 ln 2 / 12 of a uniform quantizer. */
const SLOPE = 0.1155;
/** Vectors are tried down to this standard deviation of their coefficients, in steps. */
const LEAST_DEVIATION = 0.1;
/** Bytes before the triangles: the length of their stream, the numbers of vertices, of numbers per trajectory, of vectors and of triangles, and the step. */
const HEADER = 28;
/** Keeps the normal equations of vectors that were rounded to the same numbers regular; vectors have unit length. */
const PIVOT_FLOOR = 1e-9;

export interface PcaProblem extends PcaSurface {
  /** The stream of the triangles, and their number. */
  connectivity: { bytes: Uint8Array; triangleCount: number };
  /** Of the vertices in the order of the stream. */
  basis: PcaBasis;
}

export interface PcaFile {
  bytes: Uint8Array;
  vectorCount: number;
  /** Bytes by what they hold. */
  parts: { connectivity: number; vectors: number; coefficients: number };
  /** Squared error over all numbers, before positions are rounded to 32-bit floats. */
  squaredError: number;
}

/** Encodes trajectories with one step, file units. The number of vectors is the one with the best ratio of error to bits. */
export function encodePca(problem: PcaProblem, step: number): PcaFile {
  const { connectivity, basis } = problem;
  const { size, pointCount, energies } = basis;
  let most = 0;
  while (most < size && energies[most] / pointCount > (LEAST_DEVIATION * step) ** 2) most++;
  const { quantized, bits } = quantizePcaVectors(basis, most, step);
  const count = chooseCount(problem, fitCoefficients(basis, quantized.values, most), step, bits);
  const encoder = new RangeEncoder();
  codePcaVectors(encoder, quantized, count);
  // fewer vectors have other coefficients
  const fitted = fitCoefficients(basis, quantized.values, count);
  const decoded = new Float64Array(pointCount * count);
  codePcaCoefficients(encoder, problem, { step, count, decoded, given: fitted.coefficients });
  const payload = encoder.finish();
  const bytes = new Uint8Array(HEADER + connectivity.bytes.length + payload.length);
  const view = new DataView(bytes.buffer);
  [connectivity.bytes.length, pointCount, size, count, connectivity.triangleCount].forEach((value, n) => {
    view.setUint32(4 * n, value, true);
  });
  view.setFloat64(20, step, true);
  bytes.set(connectivity.bytes, HEADER);
  bytes.set(payload, HEADER + connectivity.bytes.length);
  const counter = new BitCounter();
  codePcaVectors(counter, quantized, count);
  const vectors = Math.round(counter.bits / 8);
  return {
    bytes,
    vectorCount: count,
    parts: { connectivity: connectivity.bytes.length, vectors, coefficients: payload.length - vectors },
    squaredError: measureSquaredError(decoded, fitted),
  };
}

/** The walk and the neighbours of a mesh. */
export function makePcaSurface(triangles: Uint32Array, opposite: Int32Array, vertexCount: number): PcaSurface {
  return { walk: makeMeshWalk(triangles, opposite, vertexCount), around: makeAdjacency(vertexCount, triangles) };
}

/** Decodes a file: triangles, and positions as frameCount x vertexCount x 3. */
export function decodePca(bytes: Uint8Array): {
  triangles: Uint32Array;
  vertexCount: number;
  positions: Float32Array;
} {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [length, vertexCount, size, count, triangleCount] = [0, 4, 8, 12, 16].map((at) => view.getUint32(at, true));
  const step = view.getFloat64(20, true);
  const stream = new RangeDecoder(bytes.subarray(HEADER, HEADER + length));
  const { triangles, opposite } = decodeConnectivity(stream, vertexCount, triangleCount);
  const surface = makePcaSurface(triangles, opposite, vertexCount);
  const decoder = new RangeDecoder(bytes.subarray(HEADER + length));
  const vectors = makePcaVectors(size, count);
  codePcaVectors(decoder, vectors, count);
  const decoded = new Float64Array(vertexCount * count);
  codePcaCoefficients(decoder, surface, { step, count, decoded });
  const positions = new Float32Array(size * vertexCount);
  const row = new Float64Array(size);
  for (let i = 0; i < vertexCount; i++) {
    row.set(vectors.values.subarray(0, size));
    for (let n = 0; n < count; n++) {
      const factor = decoded[n * vertexCount + i];
      for (let c = 0, o = (n + 1) * size; c < size; c++, o++) row[c] += factor * vectors.values[o];
    }
    for (let c = 0; c < size; c++) positions[Math.floor(c / 3) * 3 * vertexCount + 3 * i + (c % 3)] = row[c];
  }
  return { triangles, vertexCount, positions };
}

interface FittedCoefficients {
  count: number;
  /** count x pointCount */
  coefficients: Float64Array;
  /** count x pointCount: products of vectors and trajectories without the mean */
  products: Float64Array;
  /** count x count: products of vectors */
  gram: Float64Array;
  /** Squares of trajectories without the mean, summed. */
  squares: number;
}

/**
 * Coefficients for quantized vectors with the least squared error.
 * @param vectors (count + 1) x size, the mean first
 */
function fitCoefficients(basis: PcaBasis, vectors: Float64Array, count: number): FittedCoefficients {
  const { size, pointCount, trajectories } = basis;
  const gram = new Float64Array(count * count);
  for (let a = 0; a < count; a++)
    for (let b = 0; b <= a; b++) {
      let sum = 0;
      for (let c = 0; c < size; c++) sum += vectors[(a + 1) * size + c] * vectors[(b + 1) * size + c];
      gram[a * count + b] = sum;
      gram[b * count + a] = sum;
    }
  const factor = gram.slice();
  factorCholesky(factor, count, PIVOT_FLOOR);
  const coefficients = new Float64Array(count * pointCount);
  const products = new Float64Array(count * pointCount);
  const row = new Float64Array(size);
  const solved = new Float64Array(count);
  let squares = 0;
  for (let i = 0; i < pointCount; i++) {
    for (let c = 0; c < size; c++) {
      row[c] = trajectories[i * size + c] - vectors[c];
      squares += row[c] * row[c];
    }
    for (let n = 0; n < count; n++) {
      let sum = 0;
      for (let c = 0, o = (n + 1) * size; c < size; c++, o++) sum += row[c] * vectors[o];
      solved[n] = sum;
      products[n * pointCount + i] = sum;
    }
    solveCholesky(factor, count, solved);
    for (let n = 0; n < count; n++) coefficients[n * pointCount + i] = solved[n];
  }
  return { count, coefficients, products, gram, squares };
}

/** The number of vectors with the best sum of error and bits. */
function chooseCount(
  surface: PcaSurface,
  { count, coefficients }: FittedCoefficients,
  step: number,
  vectorBits: Float64Array,
): number {
  const pointCount = surface.walk.order.length;
  const decoded = new Float64Array(pointCount * count);
  const counter = new BitCounter();
  let [sum, best, chosen, before] = [0, 0, 0, 0];
  codePcaCoefficients(counter, surface, { step, count, decoded, given: coefficients }, (n) => {
    let gain = 0;
    for (let i = n * pointCount; i < (n + 1) * pointCount; i++)
      gain += coefficients[i] ** 2 - (coefficients[i] - decoded[i]) ** 2;
    sum += gain - SLOPE * step * step * (counter.bits - before + vectorBits[n]);
    before = counter.bits;
    if (sum > best) [best, chosen] = [sum, n + 1];
  });
  return chosen;
}

/** Σ‖x − Bc‖² = Σ‖x‖² − 2cᵀBᵀx + cᵀBᵀBc, x a trajectory without the mean, c its decoded coefficients. */
function measureSquaredError(decoded: Float64Array, { count, products, gram, squares }: FittedCoefficients): number {
  const pointCount = count === 0 ? 0 : decoded.length / count;
  let error = squares;
  for (let a = 0; a < count; a++) {
    for (let i = a * pointCount; i < (a + 1) * pointCount; i++) error -= 2 * decoded[i] * products[i];
    for (let b = 0; b <= a; b++) {
      let sum = 0;
      for (let i = 0; i < pointCount; i++) sum += decoded[a * pointCount + i] * decoded[b * pointCount + i];
      error += (a === b ? 1 : 2) * gram[a * count + b] * sum;
    }
  }
  return Math.max(0, error);
}
