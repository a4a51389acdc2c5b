// SPDX-License-Identifier: MIT
// B. H. Le, Z. Deng, "Two-layer sparse compression of dense-weight blend skinning", ACM Transactions on Graphics 32(4), 2013, doi:10.1145/2461912.2461949;
// SIGGRAPH course 2014, §3.5. W ≈ DA: the weights of virtual bones (D, at most c bones each) times the weights of points on one or two virtual bones (A).
//
//   paper   here                   shape
//   W, w*   rows                   points x bones
//   D       Dictionary.atoms       virtual bones x bones
//   A       first, second, share   two per point
//   E²      Dictionary.errors      points: xᵀHx of a small quadratic (error-quadratics.ts), of poses (Eq. 58) or of weights
//
// Differences from Algorithms 7 and 8 (compress-weights-as-published.ts; docs/benchmarks/reduce.md has the measured effects): coefficients from all pairs
// among the atoms of a point and its neighbours; atoms are solved exactly; a new atom goes to the point with the largest possible error reduction, once
// per point and batch; the number of atoms follows from the counted entries, since zeros are not stored; the atoms with the
// smallest effect are moved to where the error reduction is largest.

import type { Adjacency } from '../../../core/mesh/topology/adjacency.ts';
import { InputError } from '../../../core/model/errors.ts';
import { SolveMonitor, type SolveMonitorOptions } from '../../../core/progress/solve-monitor.ts';
import type { ErrorQuadratics } from '../objective/error-quadratics.ts';
import type { WeightRows } from '../weight-problem.ts';
import { Dictionary, NONE } from './dictionary.ts';
import { insertAtoms } from './insert-atoms.ts';
import { reallocateAtoms } from './reallocate-atoms.ts';
import { startDictionary } from './start-dictionary.ts';
import { trimDictionary } from './trim-dictionary.ts';
import { updateAtoms } from './update-atoms.ts';
import { updateCoefficients } from './update-coefficients.ts';

export interface CompressWeightsOptions extends SolveMonitorOptions {
  /** Maximum number of blends per vertex: entries of both layers divided by the number of points. */
  budget?: number;
  /** Number of virtual bones, instead of a budget. */
  virtualBones?: number;
  /** Maximum root mean square error per coordinate and pose, in the units of the quadratics, instead of either; met with the fewest virtual bones. */
  error?: number;
  /** Maximum number of bones per virtual bone. Default: the maximum per point plus one, as in the paper. */
  cardinality?: number;
  /** Entries are dropped if their effect is below this ratio of the average error per entry (the error above the floors, divided by the budget). */
  price?: number;
  /** A result for fewer virtual bones, of the same problem: its virtual bones are kept at first and more are added, with fewer iterations at the end. */
  from?: Dictionary;
}

export interface CompressWeightsResult {
  /** Layers: virtual bones on bones, and points on virtual bones. */
  atoms: WeightRows;
  points: WeightRows;
  /** Number of entries of both layers per point. */
  blendsPerVertex: number;
  /** Root mean square per coordinate and pose, in the units of the quadratics. */
  error: number;
  iterations: number;
  status: 'converged' | 'stalled' | 'stopped';
  /** The same layers, for a compression that continues from them. */
  dictionary?: Dictionary;
}

/** Iterations over atoms and coefficients after each batch, and at the end. Chosen by hand. */
const BATCH_ITERATIONS = 3;
const LAST_ITERATIONS = 4;
/** One iteration is used while the number of atoms is below the final number divided by this. */
const EARLY = 8;
/** Invisible root mean square error, in the units of the quadratics: two millionths of the model's radius. No atoms are added below it. */
const NEGLIGIBLE = 2e-6;
const REALLOCATIONS = 2;
/** The last iterations and reallocations of a compression that continues from another. */
const CONTINUED = { lastIterations: 2, reallocations: 1 };
/** Maximum number of iterations that fill the budget. */
const FILL_ITERATIONS = 5;
/** Growth factor of the number of atoms until maxError is met. */
const GROWTH = 1.25;

/**
 * Compresses weights into two layers.
 * @param rows weights of the points: the source of new atoms
 * @param floors pointCount: the error of each point with these weights
 */
export async function compressWeights(
  quadratics: ErrorQuadratics,
  rows: WeightRows,
  floors: Float64Array,
  adjacency: Adjacency,
  options: CompressWeightsOptions,
): Promise<CompressWeightsResult> {
  const n = quadratics.pointCount;
  const monitor = new SolveMonitor(options);
  const cardinality = Math.min(quadratics.boneCount, options.cardinality ?? maxPerRow(rows) + 1);
  const maxEntries = n * (options.budget ?? Number.POSITIVE_INFINITY);
  const largest = Math.min(n, options.virtualBones ?? n);
  if (maxEntries < n + 2)
    throw new InputError(
      'two-layer',
      `a budget of ${options.budget} blends per vertex is too small for virtual bones; use a larger one`,
    );
  const { from } = options;
  const dictionary = from?.copy() ?? new Dictionary(quadratics, cardinality);
  const scale = n * quadratics.poseNumbers;
  const limit = options.error === undefined ? -1 : options.error ** 2 * scale;
  const floor = sumOf(floors);
  let price = 0;
  let iterations = 0;
  const isLow = (): boolean => dictionary.sumErrors() <= Math.max(limit, NEGLIGIBLE ** 2 * scale);
  const iterate = async (count: number, rings: 1 | 2, part: number): Promise<boolean> => {
    for (let iteration = 0; iteration < count; iteration++) {
      updateAtoms(dictionary, rows, price);
      const sum = updateCoefficients(dictionary, adjacency, rings);
      iterations++;
      if (await monitor.tick(part, 1000 * Math.sqrt(sum / scale))) return true;
    }
    return false;
  };

  monitor.enter('virtual bones', 0, 0.7);
  if (!from) startDictionary(dictionary, rows);
  updateCoefficients(dictionary, adjacency, 1);
  const remaining = (): number => {
    const entries = dictionary.countEntries();
    // a new atom adds its own entries, and second shares to points with one atom
    const each = (entries - n) / Math.max(2, dictionary.count);
    return Math.min(
      largest - dictionary.count,
      Math.floor((maxEntries - entries) / Math.max(1, Math.min(each, cardinality))),
    );
  };
  const growth = limit < 0 ? 2 : GROWTH;
  for (;;) {
    const add = Math.min(remaining(), Math.ceil((growth - 1) * dictionary.count));
    if (add <= 0 || isLow() || monitor.isStopped) break;
    if (insertAtoms(dictionary, adjacency, rows, floors, add) === 0) break;
    // early batches are split again, so refining them has no lasting effect
    const count = EARLY * dictionary.count < dictionary.count + remaining() ? 1 : BATCH_ITERATIONS;
    const goal = Number.isFinite(maxEntries) ? maxEntries : largest;
    if (await iterate(count, 1, (Number.isFinite(maxEntries) ? dictionary.countEntries() : dictionary.count) / goal))
      break;
  }

  monitor.enter('settle', 0.7, 1);
  const { lastIterations, reallocations } = from
    ? CONTINUED
    : { lastIterations: LAST_ITERATIONS, reallocations: REALLOCATIONS };
  if (limit < 0 && !isLow()) {
    // the minimum effect of an entry is known only after the budget was filled once
    price = ((options.price ?? 0) * Math.max(0, dictionary.sumErrors() - floor)) / dictionary.countEntries();
    dictionary.price = price;
    for (let iteration = 0; iteration < reallocations && !monitor.isStopped; iteration++) {
      const gone = reallocateAtoms(dictionary, adjacency);
      insertAtoms(dictionary, adjacency, rows, floors, Math.min(largest - dictionary.count, gone));
      if (await iterate(BATCH_ITERATIONS, 1, 0.3 * (iteration + 1))) break;
    }
    for (let iteration = 0; iteration < FILL_ITERATIONS && !monitor.isStopped; iteration++) {
      const add = remaining();
      if (add <= 0 || insertAtoms(dictionary, adjacency, rows, floors, add) === 0) break;
      if (await iterate(1, 1, 0.7)) break;
    }
    trimDictionary(dictionary, adjacency, maxEntries);
    if (!monitor.isStopped) await iterate(lastIterations, 2, 0.9);
  }
  trimDictionary(dictionary, adjacency, maxEntries);
  dropUnused(dictionary);
  return {
    ...dictionary.toRows(),
    blendsPerVertex: dictionary.countEntries() / n,
    error: Math.sqrt(dictionary.sumErrors() / scale),
    iterations,
    status: monitor.isStopped ? 'stopped' : limit >= 0 && !isLow() ? 'stalled' : 'converged',
    dictionary,
  };
}

function dropUnused(dictionary: Dictionary): void {
  const isGone = new Uint8Array(dictionary.count).fill(1);
  for (let i = 0; i < dictionary.first.length; i++) {
    isGone[dictionary.first[i]] = 0;
    if (dictionary.second[i] !== NONE) isGone[dictionary.second[i]] = 0;
  }
  dictionary.remove(isGone);
}

function sumOf(values: Float64Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

export function maxPerRow({ rowStart }: WeightRows): number {
  let max = 0;
  for (let i = 0; i + 1 < rowStart.length; i++) max = Math.max(max, rowStart[i + 1] - rowStart[i]);
  return max;
}
