// SPDX-License-Identifier: MIT
// Terms of products of two weights, for drivers in rotation vectors. Shapes are linear and rotations are not: two shapes that turn the same bone do not add up. Over the poses of the
// animations, the remaining error of a pose is first expressed as a change of the outputs, x = (JᵀJ)⁻¹ Jᵀ e with the displacements J per unit of every output at rest; then these changes are
// regressed on the products uₐu_b of the pairs that the animations use most. Both are least squares with a small regularization, on a sample of the vertices.

import { factorCholesky, solveCholesky } from '../../core/algebra/dense-cholesky.ts';
import { DRIVER_OUTPUTS, type ShapeDrivenSkin, type ShapeDrivers } from '../../core/model/deformed/shape-drivers.ts';
import { makeShapeDriven } from '../../deformers/shape-drivers/index.ts';
import { measureDriven } from './measure-driven.ts';
import type { FaceShapes } from './shape-examples.ts';

/** Vertices of the fit. */
const SAMPLE = 2000;
/** Poses of the fit. */
const MAX_POSES = 400;
const RIDGE = 1e-6;
const PAIR_RIDGE = 1e-3;
const SIZE = DRIVER_OUTPUTS.rotation;

/**
 * Adds terms for at most pairCount pairs. Returns the model unchanged if they do not lower the error of the poses.
 * @param poses poses x shapeCount
 */
export function addPairTerms(
  model: ShapeDrivenSkin,
  shapes: FaceShapes,
  poses: Float32Array,
  pairCount: number,
): ShapeDrivenSkin {
  const count = shapes.names.length;
  const chosen = thinPoses(poses, count);
  const pairs = listPairs(chosen, count, pairCount);
  if (pairs.length === 0) return model;
  const changes = listChanges(model, shapes, chosen);
  const rows = regress(changes, chosen, count, pairs);
  const added = { ...model, drivers: appendTerms(model.drivers, pairs, rows) };
  const before = measureDriven(shapes, makeShapeDriven(model), chosen).rmse;
  const after = measureDriven(shapes, makeShapeDriven(added), chosen).rmse;
  return after < before ? added : model;
}

function thinPoses(poses: Float32Array, count: number): Float32Array {
  const total = poses.length / count;
  const step = Math.max(1, Math.ceil(total / MAX_POSES));
  const out: number[] = [];
  for (let k = 0; k < total; k += step) out.push(...poses.subarray(k * count, (k + 1) * count));
  return Float32Array.from(out);
}

/** The pairs with the largest products over all poses. */
function listPairs(poses: Float32Array, count: number, limit: number): [number, number][] {
  const all: { pair: [number, number]; use: number }[] = [];
  for (let a = 0; a < count; a++)
    for (let b = a; b < count; b++) {
      let use = 0;
      for (let k = 0; k < poses.length; k += count) use += (poses[k + a] * poses[k + b]) ** 2;
      if (use > 0) all.push({ pair: [a, b], use });
    }
  return all
    .sort((x, y) => y.use - x.use || x.pair[0] - y.pair[0] || x.pair[1] - y.pair[1])
    .slice(0, limit)
    .map(({ pair }) => pair);
}

/** poses x (9 bones): the changes of the outputs that remove the error of each pose best. */
function listChanges(model: ShapeDrivenSkin, { deltas, names }: FaceShapes, poses: Float32Array): Float64Array {
  const { mesh, skeleton } = model;
  const rest = mesh.positions;
  const count = names.length;
  const poseCount = poses.length / count;
  const width = SIZE * skeleton.names.length;
  const step = Math.max(1, Math.floor(rest.length / 3 / SAMPLE));
  const gram = new Float64Array(width * width);
  const changes = new Float64Array(poseCount * width);
  const found = Array.from({ length: poseCount }, () => new Float32Array(0));
  const driven = makeShapeDriven(model);
  for (let k = 0; k < poseCount; k++) {
    const posed = new Float32Array(rest.length);
    driven.deformInto({ bones: new Float64Array(0), morphs: poses.subarray(k * count, (k + 1) * count) }, posed);
    found[k] = posed;
  }
  for (let i = 0; i < rest.length / 3; i += step) {
    const { columns, rows } = displacementsOf(model, i);
    for (let x = 0; x < columns.length; x++)
      for (let y = 0; y < columns.length; y++)
        for (let r = 0; r < 3; r++) gram[columns[x] * width + columns[y]] += rows[3 * x + r] * rows[3 * y + r];
    for (let k = 0; k < poseCount; k++)
      for (let r = 0; r < 3; r++) {
        const c = 3 * i + r;
        let error = rest[c] - found[k][c];
        for (let s = 0; s < count; s++) error += poses[k * count + s] * deltas[s][c];
        for (let x = 0; x < columns.length; x++) changes[k * width + columns[x]] += rows[3 * x + r] * error;
      }
  }
  solveRows(gram, width, changes, RIDGE);
  // bones without vertices in the sample do not change
  for (let e = 0; e < changes.length; e++) if (!(Math.abs(changes[e]) < 1e6)) changes[e] = 0;
  return changes;
}

/** Displacements of a vertex per unit of each output of its bones, at rest. */
function displacementsOf({ mesh, skin, skeleton }: ShapeDrivenSkin, i: number): { columns: number[]; rows: number[] } {
  const columns: number[] = [];
  const rows: number[] = [];
  for (let e = skin.rowStart[i]; e < skin.rowStart[i + 1]; e++) {
    const [j, w] = [skin.boneIndices[e], skin.weights[e]];
    const b = skeleton.bindMatrices.subarray(16 * j, 16 * j + 16);
    const [x, y, z] = [0, 1, 2].map((r) => mesh.positions[3 * i + r] - b[12 + r]);
    const turns = [
      [0, -z, y],
      [z, 0, -x],
      [-y, x, 0],
    ];
    for (let c = 0; c < 3; c++) {
      columns.push(SIZE * j + c, SIZE * j + 3 + c, SIZE * j + 6 + c);
      const along = b[4 * c] * x + b[4 * c + 1] * y + b[4 * c + 2] * z;
      for (let r = 0; r < 3; r++) rows.push(w * (r === c ? 1 : 0));
      for (let r = 0; r < 3; r++) rows.push(w * turns[c][r]);
      for (let r = 0; r < 3; r++) rows.push(w * along * b[4 * c + r]);
    }
  }
  return { columns, rows };
}

/** pairs x width: coefficients of the products. */
function regress(
  changes: Float64Array,
  poses: Float32Array,
  count: number,
  pairs: readonly [number, number][],
): Float64Array {
  const poseCount = poses.length / count;
  const width = changes.length / poseCount;
  const size = pairs.length;
  const gram = new Float64Array(size * size);
  const right = new Float64Array(width * size);
  const products = new Float64Array(size);
  for (let k = 0; k < poseCount; k++) {
    for (const [n, [a, b]] of pairs.entries()) products[n] = poses[k * count + a] * poses[k * count + b];
    for (let x = 0; x < size; x++) {
      for (let y = 0; y < size; y++) gram[x * size + y] += products[x] * products[y];
      for (let c = 0; c < width; c++) right[c * size + x] += products[x] * changes[k * width + c];
    }
  }
  solveRows(gram, size, right, PAIR_RIDGE);
  const rows = new Float64Array(size * width);
  for (let c = 0; c < width; c++) for (let x = 0; x < size; x++) rows[x * width + c] = right[c * size + x];
  return rows;
}

/** Solves G x = b for every row b, in place. */
function solveRows(gram: Float64Array, size: number, rows: Float64Array, ridge: number): void {
  let trace = 0;
  for (let a = 0; a < size; a++) trace += gram[a * size + a];
  for (let a = 0; a < size; a++) gram[a * size + a] += ridge * (gram[a * size + a] + (1e-6 * trace) / size) + 1e-300;
  factorCholesky(gram, size, 1e-14 * trace + 1e-300);
  for (let o = 0; o < rows.length; o += size) solveCholesky(gram, size, rows, size, o);
}

function appendTerms(drivers: ShapeDrivers, pairs: readonly [number, number][], rows: Float64Array): ShapeDrivers {
  const width = rows.length / pairs.length;
  const columns: number[] = [];
  const values: number[] = [];
  const starts: number[] = [];
  const first = drivers.values.length;
  for (let n = 0; n < pairs.length; n++) {
    for (let c = 0; c < width; c++) {
      const value = Math.fround(rows[n * width + c]);
      if (value === 0) continue;
      columns.push(c);
      values.push(value);
    }
    starts.push(first + values.length);
  }
  return {
    ...drivers,
    factors: Uint32Array.from([...drivers.factors, ...pairs.flat()]),
    rowStart: Uint32Array.from([...drivers.rowStart, ...starts]),
    columns: Uint32Array.from([...drivers.columns, ...columns]),
    values: Float32Array.from([...drivers.values, ...values]),
  };
}
