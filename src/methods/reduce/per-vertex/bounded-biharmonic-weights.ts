// SPDX-License-Identifier: MIT
// A. Jacobson, I. Baran, J. Popović, O. Sorkine, "Bounded biharmonic weights for real-time deformation", ACM Transactions on Graphics 30 (4), 2011,
// doi:10.1145/2010324.1964973, on a surface: Σ_j ∫ |Δ w_j|² with rows that are convex and handles that are fixed (Eq. 2 to 5). The paper uses the volume.
//
// With X the weights (points x handles), Q = L M⁻¹ L, L the cotangent Laplacian and M the areas: min ½ tr(Xᵀ Q X), rows of X on the simplex. Solved by the
// alternating direction method of multipliers: X solves (Q + ρM) X = ρM (Z − U), Z is the projection of X + U to the simplex, row by row, U sums their
// difference. One factorization serves all handles and, unless ρ changes, all iterations. The problem is convex and this converges to its minimum; the
// paper's active set needs a factorization per change of the set. The result is Z: convex to rounding, with exact zeros.

import { factorSparse } from '../../../core/algebra/sparse-ldlt.ts';
import { makeSparseSymmetric, type SparseSymmetric } from '../../../core/algebra/sparse-matrix.ts';
import { measureTriangleAreas } from '../../../core/mesh/geometry/triangle-areas.ts';
import { makeCotangentLaplacian } from '../../../core/mesh/topology/laplacian.ts';
import { pointTriangles, weldVertices } from '../../../core/mesh/topology/weld.ts';
import { InputError } from '../../../core/model/errors.ts';
import type { Mesh } from '../../../core/model/mesh/mesh.ts';
import { type Skin, SkinBuilder } from '../../../core/model/skin/skin.ts';

/** Options of boundedBiharmonicWeights. */
export interface BiharmonicOptions {
  /** Maximum number of iterations. */
  iterations?: number;
  /** Stop when weights change, and violate the constraints, by less than this. */
  tolerance?: number;
}

/** Defaults of BiharmonicOptions. */
export const BIHARMONIC_DEFAULTS: Required<BiharmonicOptions> = { iterations: 4000, tolerance: 1e-5 };

/** Result of boundedBiharmonicWeights. */
export interface BiharmonicResult {
  /** The weights: convex, with exact zeros. */
  skin: Skin;
  /** Number of iterations. */
  iterations: number;
  /** Maximum change and violation in the last iteration. */
  residual: number;
  /** Whether the tolerance was reached. */
  status: 'converged' | 'max-iterations';
}

/** First ρ, relative to the mean of diag(Q) / M; it follows the residuals. */
const FIRST_RHO = 1e-4;
const RHO_FACTOR = 2;
const RHO_BALANCE = 5;
const RHO_EVERY = 25;
/** Over-relaxation, between 1 and 2. */
const RELAXATION = 1.6;
/** Areas below this ratio of the mean are raised to it: M is divided by. */
const SMALLEST_AREA = 1e-6;
/** Smaller weights of the result are dropped. */
const SMALLEST_WEIGHT = 1e-6;

/**
 * Bounded biharmonic weights of handles on a surface.
 * @param handles vertexCount: the bone of each vertex that is a handle, -1 for the others
 * @example
 * ```ts
 * import { boundedBiharmonicWeights } from 'ossify';
 *
 * // both ends of a bar are handles
 * const handles = Int32Array.from({ length: mesh.positions.length / 3 }, (_, i) => (mesh.positions[3 * i + 1] < 1 ? 0 : mesh.positions[3 * i + 1] > 3 ? 1 : -1));
 * const { skin: smooth } = boundedBiharmonicWeights(mesh, handles, 2);
 * ```
 */
export function boundedBiharmonicWeights(
  mesh: Mesh,
  handles: Int32Array,
  boneCount: number,
  options: BiharmonicOptions = {},
): BiharmonicResult {
  const { iterations, tolerance } = { ...BIHARMONIC_DEFAULTS, ...options };
  const vertexCount = mesh.positions.length / 3;
  if (handles.length !== vertexCount)
    throw new InputError('biharmonic weights', `${handles.length} handles for ${vertexCount} vertices`);
  if (!handles.some((bone) => bone >= 0))
    throw new InputError('biharmonic weights', 'no vertex is a handle; bind some vertices to one bone each');
  const weld = weldVertices(mesh.positions);
  const handleOf = Int32Array.from(weld.vertexOfPoint, (i) => handles[i]);
  const problem = makeProblem(mesh, pointTriangles(mesh.triangles, weld), weld.vertexOfPoint, handleOf, boneCount);
  const solved = solve(problem, boneCount, iterations, tolerance);
  const builder = new SkinBuilder(vertexCount, vertexCount * boneCount);
  for (let i = 0; i < vertexCount; i++) {
    const p = weld.pointOfVertex[i];
    const u = problem.unknownOf[p];
    if (u < 0) builder.add(handleOf[p], 1);
    else
      for (let j = 0; j < boneCount; j++) {
        const w = solved.weights[u * boneCount + j];
        if (w > SMALLEST_WEIGHT) builder.add(j, w);
      }
    builder.endRow(0);
  }
  const { weights: _weights, ...rest } = solved;
  return { skin: builder.finish(), ...rest };
}

interface Problem {
  /** pointCount: the unknown of each free point, -1 for handles */
  unknownOf: Int32Array;
  /** Q of the unknowns, and their areas */
  matrix: SparseSymmetric;
  areas: Float64Array;
  /** unknowns x boneCount: −Q_fh times the weights of the handles */
  right: Float64Array;
}

function makeProblem(
  mesh: Mesh,
  triangles: Uint32Array,
  vertexOfPoint: Uint32Array,
  handleOf: Int32Array,
  boneCount: number,
): Problem {
  const pointCount = handleOf.length;
  const rest = Float64Array.from({ length: 3 * pointCount }, (_, c) => {
    return mesh.positions[3 * vertexOfPoint[Math.floor(c / 3)] + (c % 3)];
  });
  const areas = pointAreas(rest, triangles);
  const laplacian = listRows(makeCotangentLaplacian(rest, triangles));
  const unknownOf = new Int32Array(pointCount).fill(-1);
  const free: number[] = [];
  for (let p = 0; p < pointCount; p++) if (handleOf[p] < 0) unknownOf[p] = free.push(p) - 1;
  const rows: number[] = [];
  const columns: number[] = [];
  const values: number[] = [];
  const right = new Float64Array(free.length * boneCount);
  // Q = Σ_k l_k l_kᵀ / M_k over the rows of L
  laplacian.forEach((row, k) => {
    for (const [a, x] of row) {
      const ua = unknownOf[a];
      if (ua < 0) continue;
      for (const [b, y] of row) {
        const ub = unknownOf[b];
        const value = (x * y) / areas[k];
        if (ub < 0) right[ua * boneCount + handleOf[b]] -= value;
        else if (ub <= ua) {
          rows.push(ua);
          columns.push(ub);
          values.push(value);
        }
      }
    }
  });
  return {
    unknownOf,
    matrix: makeSparseSymmetric(free.length, rows, columns, values),
    areas: Float64Array.from(free, (p) => areas[p]),
    right,
  };
}

function solve({ matrix, areas, right }: Problem, boneCount: number, iterations: number, tolerance: number) {
  const { size } = matrix;
  const count = size * boneCount;
  const diagonal = diagonalOf(matrix);
  const mean = diagonal.reduce((sum, q, u) => sum + q / areas[u], 0) / Math.max(1, size);
  let rho = FIRST_RHO * mean;
  const shifted = shiftDiagonal(matrix, areas, rho);
  if (size === 0) return { weights: new Float64Array(0), iterations: 0, residual: 0, status: 'converged' as const };
  const factor = factorSparse(shifted);
  const x = new Float64Array(count);
  const z = new Float64Array(count).fill(1 / boneCount);
  const u = new Float64Array(count);
  const before = new Float64Array(count);
  let residual = Number.POSITIVE_INFINITY;
  let n = 0;
  for (; n < iterations && residual > tolerance; n++) {
    for (let e = 0; e < count; e++) x[e] = right[e] + rho * areas[Math.floor(e / boneCount)] * (z[e] - u[e]);
    factor.solveInto(x, x, boneCount);
    before.set(z);
    for (let e = 0; e < count; e++) {
      x[e] = RELAXATION * x[e] + (1 - RELAXATION) * before[e];
      z[e] = x[e] + u[e];
    }
    for (let o = 0; o < count; o += boneCount) projectToSimplex(z.subarray(o, o + boneCount));
    let [primal, dual] = [0, 0];
    for (let e = 0; e < count; e++) {
      u[e] += x[e] - z[e];
      primal = Math.max(primal, Math.abs(x[e] - z[e]));
      dual = Math.max(dual, Math.abs(z[e] - before[e]));
    }
    residual = Math.max(primal, dual);
    if (n % RHO_EVERY !== RHO_EVERY - 1) continue;
    const change = primal > RHO_BALANCE * dual ? RHO_FACTOR : dual > RHO_BALANCE * primal ? 1 / RHO_FACTOR : 1;
    if (change === 1) continue;
    rho *= change;
    for (let e = 0; e < count; e++) u[e] /= change;
    factor.refactor(shiftDiagonal(matrix, areas, rho));
  }
  return {
    weights: z,
    iterations: n,
    residual,
    status: residual > tolerance ? ('max-iterations' as const) : ('converged' as const),
  };
}

/** The nearest point with a sum of one and no negative number (J. Duchi et al. 2008). */
function projectToSimplex(row: Float64Array): void {
  const sorted = row.slice().sort();
  let sum = 0;
  let shift = 0;
  for (let n = 1; n <= sorted.length; n++) {
    sum += sorted[sorted.length - n];
    const candidate = (sum - 1) / n;
    if (sorted[sorted.length - n] > candidate) shift = candidate;
  }
  for (let j = 0; j < row.length; j++) row[j] = Math.max(0, row[j] - shift);
}

/** A third of the area of a point's triangles. */
function pointAreas(positions: Float64Array, triangles: Uint32Array): Float64Array {
  const areas = new Float64Array(positions.length / 3);
  measureTriangleAreas(positions, triangles).forEach((area, f) => {
    for (let corner = 0; corner < 3; corner++) areas[triangles[3 * f + corner]] += area / 3;
  });
  const mean = areas.reduce((sum, area) => sum + area, 0) / Math.max(1, areas.length);
  return areas.map((area) => Math.max(area, SMALLEST_AREA * mean) || 1);
}

function listRows({ size, columnStart, rowIndices, values }: SparseSymmetric): [number, number][][] {
  const rows: [number, number][][] = Array.from({ length: size }, () => []);
  for (let j = 0; j < size; j++) {
    for (let e = columnStart[j]; e < columnStart[j + 1]; e++) {
      const i = rowIndices[e];
      rows[i].push([j, values[e]]);
      if (i !== j) rows[j].push([i, values[e]]);
    }
  }
  return rows;
}

function diagonalOf({ size, columnStart, rowIndices, values }: SparseSymmetric): Float64Array {
  return Float64Array.from({ length: size }, (_, j) => (rowIndices[columnStart[j]] === j ? values[columnStart[j]] : 0));
}

/** The matrix plus shift times the areas on its diagonal, which comes first in each column. */
function shiftDiagonal(matrix: SparseSymmetric, areas: Float64Array, shift: number): SparseSymmetric {
  const values = matrix.values.slice();
  for (let j = 0; j < matrix.size; j++) values[matrix.columnStart[j]] += shift * areas[j];
  return { ...matrix, values };
}
