// SPDX-License-Identifier: MIT
// A codec of animated meshes by principal components of vertex trajectories.
//   L. Váša and V. Skala, CoDDyaC: Connectivity driven dynamic mesh compression, 3DTV Conference 2007, DOI 10.1109/3DTV.2007.4379408
//   L. Váša and V. Skala, COBRA: Compression of the basis for PCA represented animations, Computer Graphics Forum 28(6), 2009, DOI 10.1111/j.1467-8659.2009.01304.x
//
// As there: coefficients of vertices are predicted by parallelograms in the order of a walk over the mesh, and residuals are quantized with one step for all components; vectors of
// the basis are predicted from earlier frames. Different here: the walk prefers vertices with several parallelograms and takes their mean, blended with
// the mean of the neighbours by a factor per component; coefficients are fitted again after the vectors are quantized; residuals are coded with a range coder in contexts of
// the residuals around them; triangles are a Draco stream. Each of these makes files smaller than the papers' description.
//
// Steps: a step δ of a vector n moves all points by δ times their coefficients, so its squared error is δ² times the energy λₙ of the coefficients. Numbers whose steps add the same error
// each have the best ratio of bits to error, so the step of a vector is that of coefficients divided by √λₙ.
import { factorCholesky, solveCholesky } from '../src/solve/dense-cholesky.ts';
import { type Connectivity, decodeConnectivity } from './draco-connectivity.ts';
import { IntegerModel } from './integer-model.ts';
import { type MeshWalk, makeMeshWalk } from './mesh-walk.ts';
import type { PcaBasis } from './pca-basis.ts';
import { type BitCoder, BitCounter, RangeDecoder, RangeEncoder } from './range-coder.ts';

/** Rounding towards zero: a residual of less than 0.5 plus this costs more bits than it saves error. */
const DEAD_ZONE = 0.12;
/** Squared error per bit at which more bits are not worth it, relative to the squared step: the slope 2 ln 2 / 12 of a uniform quantizer. */
const SLOPE = 0.1155;
/** Vectors are tried down to this standard deviation of their coefficients, relative to the step. */
const LEAST_DEVIATION = 0.1;
/** Steps of vectors are powers of this. */
const STEP_BASE = 2 ** 0.25;
/** Factors of the parallelogram prediction; the rest is the mean of the neighbours. */
const BLENDS = [1, 0.75, 0.5, 0.25];
const MAX_ORDER = 2;
const ACTIVITIES = 6;
const HEADER = 24;

export interface PcaProblem {
  connectivity: Connectivity;
  walk: MeshWalk;
  /** Of the decoded vertices, and vertices without triangles after them. */
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
export function encodePca({ connectivity, walk, basis }: PcaProblem, step: number): PcaFile {
  const { size, pointCount, energies } = basis;
  let most = 0;
  while (most < size && energies[most] / pointCount > (LEAST_DEVIATION * step) ** 2) most++;
  const plan = quantizeVectors(basis, most, step);
  const fitted = fitCoefficients(basis, plan.vectors, most);
  const settled = settleComponents(walk, fitted, step, most, plan.bits);
  const count = settled.vectorCount;
  const encoder = new RangeEncoder();
  codeVectors(encoder, plan, size, count);
  const vectorsOnly = new BitCounter();
  codeVectors(vectorsOnly, plan, size, count);
  // fewer vectors have other coefficients
  const { coefficients, products, gram, squares } = fitCoefficients(basis, plan.vectors, count);
  const decoded = new Float64Array(pointCount * count);
  codeCoefficients(encoder, walk, { step, count, blends: settled.blends, decoded, given: coefficients });
  const payload = encoder.finish();
  const bytes = new Uint8Array(HEADER + connectivity.bytes.length + payload.length);
  const view = new DataView(bytes.buffer);
  [connectivity.bytes.length, pointCount, size, count].forEach((value, n) => {
    view.setUint32(4 * n, value, true);
  });
  view.setFloat64(16, step, true);
  bytes.set(connectivity.bytes, HEADER);
  bytes.set(payload, HEADER + connectivity.bytes.length);
  const vectorBytes = Math.round(vectorsOnly.bits / 8);
  return {
    bytes,
    vectorCount: count,
    parts: {
      connectivity: connectivity.bytes.length,
      vectors: vectorBytes,
      coefficients: payload.length - vectorBytes,
    },
    squaredError: measureSquaredError(decoded, products, gram, squares, count),
  };
}

/** Decodes a file: triangles, and positions as frameCount x vertexCount x 3. */
export async function decodePca(
  bytes: Uint8Array,
): Promise<{ triangles: Uint32Array; vertexCount: number; positions: Float32Array }> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [length, vertexCount, size, count] = [0, 4, 8, 12].map((at) => view.getUint32(at, true));
  const step = view.getFloat64(16, true);
  const { triangles } = await decodeConnectivity(bytes.slice(HEADER, HEADER + length));
  const walk = makeMeshWalk(triangles, vertexCount);
  const decoder = new RangeDecoder(bytes.subarray(HEADER + length));
  const plan = emptyPlan(size, count, step, vertexCount);
  codeVectors(decoder, plan, size, count);
  const decoded = new Float64Array(vertexCount * count);
  codeCoefficients(decoder, walk, { step, count, blends: new Uint8Array(count), decoded });
  const positions = new Float32Array(size * vertexCount);
  const row = new Float64Array(size);
  for (let i = 0; i < vertexCount; i++) {
    row.set(plan.vectors.subarray(0, size));
    for (let n = 0; n < count; n++) {
      const factor = decoded[n * vertexCount + i];
      for (let c = 0, o = (n + 1) * size; c < size; c++, o++) row[c] += factor * plan.vectors[o];
    }
    for (let c = 0; c < size; c++) positions[Math.floor(c / 3) * 3 * vertexCount + 3 * i + (c % 3)] = row[c];
  }
  return { triangles, vertexCount, positions };
}

/** Quantized vectors; the first one is the mean. */
interface VectorPlan {
  /** By vector: its step is the power of STEP_BASE with this exponent. */
  exponents: Int32Array;
  /** By vector: the order of its prediction in time. */
  orders: Uint8Array;
  /** (count + 1) x size */
  integers: Int32Array;
  /** (count + 1) x size: integers times steps */
  vectors: Float64Array;
  /** By vector, without the mean: its bits. */
  bits: Float64Array;
}

function emptyPlan(size: number, count: number, _step: number, _pointCount: number): VectorPlan {
  return {
    exponents: new Int32Array(count + 1),
    orders: new Uint8Array(count + 1),
    integers: new Int32Array((count + 1) * size),
    vectors: new Float64Array((count + 1) * size),
    bits: new Float64Array(count),
  };
}

function quantizeVectors(basis: PcaBasis, count: number, step: number): VectorPlan {
  const { size, pointCount, mean, energies, vectors } = basis;
  const plan = emptyPlan(size, count, step, pointCount);
  for (let n = 0; n <= count; n++) {
    const energy = n === 0 ? pointCount : energies[n - 1];
    plan.exponents[n] = Math.floor(Math.log(step / Math.sqrt(energy)) / Math.log(STEP_BASE));
    const own = STEP_BASE ** plan.exponents[n];
    for (let c = 0; c < size; c++) {
      const value = n === 0 ? mean[c] : vectors[(n - 1) * size + c];
      plan.integers[n * size + c] = Math.round(value / own);
    }
    plan.orders[n] = chooseOrder(plan.integers.subarray(n * size, (n + 1) * size));
  }
  const counter = new BitCounter();
  codeVectors(counter, plan, size, count, (n) => {
    if (n > 0) plan.bits[n - 1] += counter.bits;
    if (n < count) plan.bits[n] -= counter.bits;
  });
  return plan;
}

/** The order with the smallest residuals. */
function chooseOrder(integers: Int32Array): number {
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let order = 0; order <= MAX_ORDER; order++) {
    let cost = 0;
    for (let c = 0; c < integers.length; c++)
      cost += Math.log2(1 + Math.abs(integers[c] - predictInTime(integers, 0, c, order)));
    if (cost < least) [best, least] = [order, cost];
  }
  return best;
}

/** From the same coordinate in earlier frames; c is the place in the vector that starts at `at`. */
function predictInTime(integers: Int32Array, at: number, c: number, order: number): number {
  if (order === 0 || c < 3) return 0;
  if (order === 1 || c < 6) return integers[at + c - 3];
  return 2 * integers[at + c - 3] - integers[at + c - 6];
}

function codeVectors(
  coder: BitCoder,
  plan: VectorPlan,
  size: number,
  count: number,
  onVector?: (n: number) => void,
): void {
  const { exponents, orders, integers, vectors } = plan;
  const exponentModel = new IntegerModel(2);
  const model = new IntegerModel(ACTIVITIES * 2);
  for (let n = 0; n <= count; n++) {
    const from = n === 0 ? 0 : exponents[n - 1];
    exponents[n] = from + exponentModel.code(coder, exponents[n] - from, n === 0 ? 0 : 1);
    orders[n] = coder.codeRaw(orders[n], 2);
    const own = STEP_BASE ** exponents[n];
    let activity = 0;
    for (let c = 0, o = n * size; c < size; c++, o++) {
      const predicted = predictInTime(integers, n * size, c, orders[n]);
      const residual = model.code(coder, integers[o] - predicted, activityOf(activity) + (c < 6 ? ACTIVITIES : 0));
      integers[o] = predicted + residual;
      vectors[o] = integers[o] * own;
      activity = 0.7 * activity + 0.3 * Math.abs(residual);
    }
    onVector?.(n);
  }
}

function activityOf(mean: number): number {
  return Math.min(ACTIVITIES - 1, Math.round(1.5 * Math.log2(1 + 2 * mean)));
}

interface FittedCoefficients {
  /** count x pointCount */
  coefficients: Float64Array;
  /** count x pointCount: products of vectors and trajectories without the mean */
  products: Float64Array;
  /** count x count: products of vectors */
  gram: Float64Array;
  /** Squares of trajectories without the mean, summed. */
  squares: number;
}

/** Coefficients for quantized vectors with the least squared error. */
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
  factorCholesky(factor, Math.max(1, count), 1e-12);
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
    if (count > 0) solveCholesky(factor, count, solved);
    for (let n = 0; n < count; n++) coefficients[n * pointCount + i] = solved[n];
  }
  return { coefficients, products, gram, squares };
}

/** The number of vectors, and the blend of each. */
function settleComponents(
  walk: MeshWalk,
  { coefficients }: FittedCoefficients,
  step: number,
  count: number,
  vectorBits: Float64Array,
): { vectorCount: number; blends: Uint8Array } {
  const pointCount = walk.order.length;
  const blends = new Uint8Array(count);
  const decoded = new Float64Array(pointCount * count);
  let [sum, best, vectorCount] = [0, 0, 0];
  for (let n = 0; n < count; n++) {
    const own = coefficients.subarray(n * pointCount, (n + 1) * pointCount);
    blends[n] = chooseBlend(walk, own, step);
  }
  const counter = new BitCounter();
  let before = 0;
  codeCoefficients(counter, walk, { step, count, blends, decoded, given: coefficients }, (n) => {
    let gain = 0;
    for (let i = n * pointCount; i < (n + 1) * pointCount; i++)
      gain += coefficients[i] ** 2 - (coefficients[i] - decoded[i]) ** 2;
    sum += gain - SLOPE * step * step * (counter.bits - before + vectorBits[n]);
    before = counter.bits;
    if (sum > best) [best, vectorCount] = [sum, n + 1];
  });
  return { vectorCount, blends };
}

/** The blend with the smallest residuals, predicted from rounded coefficients. */
function chooseBlend(walk: MeshWalk, coefficients: Float64Array, step: number): number {
  const rounded = coefficients.map((x) => Math.round(x / step) * step);
  const costs = BLENDS.map(() => 0);
  for (let place = 0; place < walk.order.length; place++) {
    const [flat, mean] = predict(walk, place, rounded, 0);
    const value = coefficients[walk.order[place]];
    BLENDS.forEach((blend, n) => {
      costs[n] += Math.log2(0.3 + Math.abs(value - mean - blend * (flat - mean)) / step);
    });
  }
  return costs.indexOf(Math.min(...costs));
}

const PREDICTED: [number, number] = [0, 0];

/** The mean of the parallelograms, and that of the neighbours. */
function predict(
  { start, sources, factors, beforeStart, before }: MeshWalk,
  place: number,
  values: Float64Array,
  at: number,
): [number, number] {
  let flat = 0;
  let mean = 0;
  for (let e = start[place]; e < start[place + 1]; e++) flat += factors[e] * values[at + sources[e]];
  const [first, end] = [beforeStart[place], beforeStart[place + 1]];
  for (let e = first; e < end; e++) mean += values[at + before[e]];
  PREDICTED[0] = flat;
  PREDICTED[1] = end > first ? mean / (end - first) : 0;
  return PREDICTED;
}

interface CoefficientData {
  step: number;
  count: number;
  blends: Uint8Array;
  /** count x pointCount: filled */
  decoded: Float64Array;
  /** The same, to be encoded. */
  given?: Float64Array;
}

function codeCoefficients(
  coder: BitCoder,
  walk: MeshWalk,
  { step, count, blends, decoded, given }: CoefficientData,
  onComponent?: (n: number) => void,
): void {
  const pointCount = walk.order.length;
  const residuals = new Int32Array(pointCount);
  /** Magnitudes of earlier components at a vertex, falling with their distance. */
  const depth = new Float64Array(pointCount);
  for (let n = 0; n < count; n++) {
    const at = n * pointCount;
    blends[n] = coder.codeRaw(blends[n], 2);
    const blend = BLENDS[blends[n]];
    const model = new IntegerModel(ACTIVITIES);
    for (let place = 0; place < pointCount; place++) {
      const v = walk.order[place];
      const [flat, mean] = predict(walk, place, decoded, at);
      const predicted = mean + blend * (flat - mean);
      const [first, end] = [walk.beforeStart[place], walk.beforeStart[place + 1]];
      let activity = 0;
      for (let e = first; e < end; e++) activity += Math.abs(residuals[walk.before[e]]);
      const around = activity / Math.max(1, end - first);
      const context = activityOf(n === 0 ? around : 0.7 * around + 0.3 * depth[v]);
      const wanted = given ? quantize((given[at + v] - predicted) / step) : 0;
      const residual = model.code(coder, wanted, context);
      residuals[v] = residual;
      decoded[at + v] = predicted + residual * step;
    }
    for (let v = 0; v < pointCount; v++) depth[v] = 0.5 * depth[v] + 0.5 * Math.abs(residuals[v]);
    residuals.fill(0);
    onComponent?.(n);
  }
}

function quantize(x: number): number {
  const magnitude = Math.floor(Math.abs(x) + 0.5 - DEAD_ZONE);
  return magnitude <= 0 ? 0 : x < 0 ? -magnitude : magnitude;
}

/** Σ‖x − B̂ĉ‖² = Σ‖x‖² − 2ĉᵀB̂ᵀx + ĉᵀB̂ᵀB̂ĉ. */
function measureSquaredError(
  decoded: Float64Array,
  products: Float64Array,
  gram: Float64Array,
  squares: number,
  count: number,
): number {
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
