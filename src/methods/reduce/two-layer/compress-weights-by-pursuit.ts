// SPDX-License-Identifier: MIT
// Two layers by general sparse coding, for comparison with compressWeights (Course 2014, §3.5.2): atoms are weights of evenly spaced points, unchanged ('mp', 'omp') or
// learned by K-SVD ('ksvd-mp', 'ksvd-omp'); points are coded by matching pursuit (Algorithm 5) or by orthogonal matching pursuit (Algorithm 6).
//
// Neither atoms nor coefficients are weights: they have either sign and any sum. To form the layers of a skin, the sign of an atom is chosen so that its sum is positive, its
// negative numbers are dropped and it is scaled to sum to one; coefficients are scaled by that sum, negative ones are dropped and the rest is scaled to sum to one.
import { SolveMonitor, type SolveMonitorOptions } from '../../../core/progress/solve-monitor.ts';
import type { ErrorQuadratics } from '../objective/error-quadratics.ts';
import { multiplyRows } from '../objective/multiply-rows.ts';
import { measureQuadratics } from '../per-vertex/optimal-weights.ts';
import { sortRows, type WeightRows } from '../weight-problem.ts';
import type { CompressWeightsResult } from './compress-weights.ts';
import { maxPerRow } from './compress-weights.ts';
import { SECOND_LAYER } from './compress-weights-as-published.ts';
import { kSvd, startAtoms } from './k-svd.ts';
import { matchingPursuit } from './matching-pursuit.ts';
import { orthogonalMatchingPursuit } from './orthogonal-matching-pursuit.ts';

export const PURSUITS = ['mp', 'omp', 'ksvd-mp', 'ksvd-omp'] as const;
export type Pursuit = (typeof PURSUITS)[number];

export interface CompressByPursuitOptions extends SolveMonitorOptions {
  pursuit: Pursuit;
  /** Number of virtual bones. Default: that of compressWeightsAsPublished for the budget. Atoms are not sparse, so both layers together exceed the budget. */
  virtualBones?: number;
  /** Blends per vertex. */
  budget: number;
}

/** Iterations of K-SVD. */
const ITERATIONS = 3;
/** Atoms per point. */
const SPARSITY = 2;

/** Compresses weights into two layers by a pursuit. */
export async function compressWeightsByPursuit(
  quadratics: ErrorQuadratics,
  rows: WeightRows,
  options: CompressByPursuitOptions,
): Promise<CompressWeightsResult> {
  const { pointCount: n, boneCount: m } = quadratics;
  const monitor = new SolveMonitor(options);
  monitor.enter('virtual bones', 0, 1);
  const cardinality = Math.min(m, maxPerRow(rows) + 1);
  const wanted = options.virtualBones ?? Math.floor(((options.budget - SECOND_LAYER) * n) / cardinality);
  const atomCount = Math.max(2, Math.min(n, wanted));
  const points = new Float64Array(n * m);
  for (let i = 0; i < n; i++)
    for (let e = rows.rowStart[i]; e < rows.rowStart[i + 1]; e++) points[i * m + rows.columns[e]] = rows.values[e];
  const isOrthogonal = options.pursuit.endsWith('omp');
  let atoms = startAtoms(points, m, atomCount);
  let coefficients: ReadonlyMap<number, number>[] = [];
  let iterations = 0;
  if (options.pursuit.startsWith('ksvd')) {
    const learned = await kSvd(points, m, {
      ...{ atoms: atomCount, sparsity: SPARSITY, iterations: ITERATIONS },
      coding: isOrthogonal ? 'orthogonal' : 'matching',
      onIteration: () => monitor.tick(++iterations / ITERATIONS),
    });
    ({ atoms, coefficients } = learned);
  } else {
    const pursue = isOrthogonal ? orthogonalMatchingPursuit : matchingPursuit;
    coefficients = Array.from({ length: n }, (_, i) => {
      const own = pursue(atoms, points.subarray(i * m, (i + 1) * m), SPARSITY);
      return new Map([...own.entries()].filter(([, a]) => a !== 0));
    });
    await monitor.tick(1);
  }
  const layers = makeLayers(atoms, coefficients, m);
  const product = multiplyRows(layers.points, layers.atoms, m);
  const sum = measureQuadratics(quadratics, product).reduce((total, error) => total + error, 0);
  return {
    ...layers,
    blendsPerVertex: (layers.atoms.columns.length + layers.points.columns.length) / n,
    error: Math.sqrt(sum / (n * quadratics.poseNumbers)),
    iterations,
    status: monitor.isStopped ? 'stopped' : 'converged',
  };
}

/** Atoms and coefficients as convex weights. A point whose coefficients are all dropped gets the atom with the largest absolute coefficient. */
function makeLayers(
  atoms: Float64Array,
  coefficients: readonly ReadonlyMap<number, number>[],
  size: number,
): Pick<CompressWeightsResult, 'atoms' | 'points'> {
  const count = atoms.length / size;
  const scales = new Float64Array(count);
  const clamped = new Float64Array(atoms.length);
  for (let k = 0; k < count; k++) {
    const own = atoms.subarray(k * size, (k + 1) * size);
    const sign = own.reduce((sum, value) => sum + value, 0) < 0 ? -1 : 1;
    let sum = 0;
    own.forEach((value, c) => {
      clamped[k * size + c] = Math.max(0, sign * value);
      sum += clamped[k * size + c];
    });
    scales[k] = sign * sum;
  }
  const rowStart = Uint32Array.from({ length: count + 1 }, (_, k) => k * size);
  const columns = Uint32Array.from(clamped, (_, e) => e % size);
  const shares = coefficients.map((own) => {
    const scaled = [...own].map(([k, a]): [number, number] => [k, a * scales[k]]);
    const positive = scaled.filter(([, a]) => a > 0);
    if (positive.length > 0) return positive;
    const largest = scaled.reduce((best, one) => (Math.abs(one[1]) > Math.abs(best[1]) ? one : best), [0, 0]);
    return [[largest[0], 1] as [number, number]];
  });
  const starts = new Uint32Array(shares.length + 1);
  shares.forEach((own, i) => {
    starts[i + 1] = starts[i] + own.length;
  });
  const flat = shares.flat();
  return {
    atoms: sortRows({ rowStart, columns, values: clamped }),
    points: sortRows({
      rowStart: starts,
      columns: Uint32Array.from(flat, ([k]) => k),
      values: Float64Array.from(flat, ([, a]) => a),
    }),
  };
}
