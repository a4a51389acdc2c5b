// SPDX-License-Identifier: MIT
import { makeSimplexSolver } from '../../../core/algebra/simplex-least-squares.ts';
import type { ErrorQuadratics } from '../objective/error-quadratics.ts';
import { sortRows, type WeightRows } from '../weight-problem.ts';

/** Weights below this are dropped. */
const MIN_WEIGHT = 1e-6;

/**
 * The convex weights of every point with the smallest error for any number of bones (Course, §3.5.4: W*), starting from the given weights, and that error.
 */
export function optimalWeights(
  quadratics: ErrorQuadratics,
  rows: WeightRows,
): { rows: WeightRows; errors: Float64Array } {
  const { pointCount: n, boneCount: m } = quadratics;
  const solver = makeSimplexSolver(m);
  const quadratic = new Float64Array(m * m);
  const sum = new Float64Array(quadratics.sumSize);
  const slope = new Float64Array(m);
  const x = new Float64Array(m);
  const all = Int32Array.from({ length: m }, (_, j) => j);
  const errors = new Float64Array(n);
  const rowStart = new Uint32Array(n + 1);
  const columns: number[] = [];
  const values: number[] = [];
  for (let i = 0; i < n; i++) {
    sum.fill(0);
    quadratics.addInto(i, 1, sum);
    quadratics.quadraticInto(sum, all, m, quadratic);
    x.fill(0);
    for (let e = rows.rowStart[i]; e < rows.rowStart[i + 1]; e++) x[rows.columns[e]] = rows.values[e];
    solver.solveInto(quadratic, slope, x, m);
    let total = 0;
    for (let j = 0; j < m; j++) total += x[j] = x[j] < MIN_WEIGHT ? 0 : x[j];
    let error = 0;
    for (let j = 0; j < m; j++) {
      if (x[j] === 0) continue;
      x[j] /= total;
      columns.push(j);
      values.push(x[j]);
    }
    for (let a = 0; a < m; a++) {
      if (x[a] === 0) continue;
      for (let b = 0; b < m; b++) error += x[a] * x[b] * quadratic[a * m + b];
    }
    errors[i] = Math.max(0, error);
    rowStart[i + 1] = columns.length;
  }
  return {
    rows: sortRows({ rowStart, columns: Uint32Array.from(columns), values: Float64Array.from(values) }),
    errors,
  };
}

/** xᵀHx of the given weights, per point. */
export function measureQuadratics(quadratics: ErrorQuadratics, rows: WeightRows): Float64Array {
  const errors = new Float64Array(quadratics.pointCount);
  const row = new Float64Array(quadratics.boneCount);
  for (let i = 0; i < quadratics.pointCount; i++) {
    let error = 0;
    for (let e = rows.rowStart[i]; e < rows.rowStart[i + 1]; e++) {
      quadratics.rowInto(i, rows.columns[e], row);
      for (let f = rows.rowStart[i]; f < rows.rowStart[i + 1]; f++)
        error += rows.values[e] * rows.values[f] * row[rows.columns[f]];
    }
    errors[i] = Math.max(0, error);
  }
  return errors;
}
