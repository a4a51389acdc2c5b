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
  const { budget, virtualBones } = options;
  const n = quadratics.pointCount;
  const maxEntries = n * (budget ?? Number.POSITIVE_INFINITY);
  if (maxEntries < n + 2)
    throw new InputError(
      'two-layer',
      `a budget of ${budget} blends per vertex is too small for virtual bones; use a larger one`,
    );
  const limits = { maxEntries, largest: Math.min(n, virtualBones ?? n) };
  const compression = new Compression(quadratics, rows, floors, adjacency, limits, options);
  await compression.grow();
  await compression.settle();
  return compression.finish();
}

/** Maximum entries of both layers, and maximum number of virtual bones. */
interface Limits {
  maxEntries: number;
  largest: number;
}

class Compression {
  readonly #rows: WeightRows;
  readonly #floors: Float64Array;
  readonly #adjacency: Adjacency;
  readonly #limits: Limits;
  readonly #options: CompressWeightsOptions;
  readonly #monitor: SolveMonitor;
  readonly #pointCount: number;
  /** Maximum number of bones per virtual bone. */
  readonly #cardinality: number;
  readonly #dictionary: Dictionary;
  /** Numbers of which the error is a mean. */
  readonly #scale: number;
  /** Maximum sum of squared errors; -1 without a maximum error. */
  readonly #limit: number;
  #price = 0;
  #iterations = 0;

  constructor(
    quadratics: ErrorQuadratics,
    rows: WeightRows,
    floors: Float64Array,
    adjacency: Adjacency,
    limits: Limits,
    options: CompressWeightsOptions,
  ) {
    this.#rows = rows;
    this.#floors = floors;
    this.#adjacency = adjacency;
    this.#limits = limits;
    this.#options = options;
    this.#monitor = new SolveMonitor(options);
    this.#pointCount = quadratics.pointCount;
    this.#cardinality = Math.min(quadratics.boneCount, options.cardinality ?? maxPerRow(rows) + 1);
    this.#dictionary = options.from?.copy() ?? new Dictionary(quadratics, this.#cardinality);
    this.#scale = this.#pointCount * quadratics.poseNumbers;
    this.#limit = options.error === undefined ? -1 : options.error ** 2 * this.#scale;
  }

  /** Adds virtual bones until the budget is used or the error is met. */
  async grow(): Promise<void> {
    const [dictionary, adjacency, monitor] = [this.#dictionary, this.#adjacency, this.#monitor];
    const { maxEntries, largest } = this.#limits;
    monitor.enter('virtual bones', 0, 0.7);
    if (!this.#options.from) startDictionary(dictionary, this.#rows);
    updateCoefficients(dictionary, adjacency, 1);
    const growth = this.#limit < 0 ? 2 : GROWTH;
    for (;;) {
      const add = Math.min(this.#remaining(), Math.ceil((growth - 1) * dictionary.count));
      if (add <= 0 || this.#isLow() || monitor.isStopped) break;
      if (insertAtoms(dictionary, adjacency, this.#rows, this.#floors, add) === 0) break;
      // early batches are split again, so refining them has no lasting effect
      const count = EARLY * dictionary.count < dictionary.count + this.#remaining() ? 1 : BATCH_ITERATIONS;
      const part = Number.isFinite(maxEntries) ? dictionary.countEntries() / maxEntries : dictionary.count / largest;
      if (await this.#iterate(count, 1, part)) break;
    }
  }

  /** With a budget: moves the virtual bones of the smallest effect, and fills the budget again. */
  async settle(): Promise<void> {
    const [dictionary, adjacency, rows, monitor] = [this.#dictionary, this.#adjacency, this.#rows, this.#monitor];
    const { maxEntries, largest } = this.#limits;
    monitor.enter('settle', 0.7, 1);
    if (this.#limit >= 0 || this.#isLow()) return;
    const { lastIterations, reallocations } = this.#options.from
      ? CONTINUED
      : { lastIterations: LAST_ITERATIONS, reallocations: REALLOCATIONS };
    this.#setPrice();
    for (let iteration = 0; iteration < reallocations && !monitor.isStopped; iteration++) {
      const gone = reallocateAtoms(dictionary, adjacency);
      insertAtoms(dictionary, adjacency, rows, this.#floors, Math.min(largest - dictionary.count, gone));
      if (await this.#iterate(BATCH_ITERATIONS, 1, 0.3 * (iteration + 1))) break;
    }
    for (let iteration = 0; iteration < FILL_ITERATIONS && !monitor.isStopped; iteration++) {
      const add = this.#remaining();
      if (add <= 0 || insertAtoms(dictionary, adjacency, rows, this.#floors, add) === 0) break;
      if (await this.#iterate(1, 1, 0.7)) break;
    }
    trimDictionary(dictionary, adjacency, maxEntries);
    if (!monitor.isStopped) await this.#iterate(lastIterations, 2, 0.9);
  }

  finish(): CompressWeightsResult {
    const dictionary = this.#dictionary;
    trimDictionary(dictionary, this.#adjacency, this.#limits.maxEntries);
    dropUnused(dictionary);
    const isMissed = this.#limit >= 0 && !this.#isLow();
    return {
      ...dictionary.toRows(),
      blendsPerVertex: dictionary.countEntries() / this.#pointCount,
      error: Math.sqrt(dictionary.sumErrors() / this.#scale),
      iterations: this.#iterations,
      status: this.#monitor.isStopped ? 'stopped' : isMissed ? 'stalled' : 'converged',
      dictionary,
    };
  }

  #isLow(): boolean {
    return this.#dictionary.sumErrors() <= Math.max(this.#limit, NEGLIGIBLE ** 2 * this.#scale);
  }

  /** Virtual bones that may be added. */
  #remaining(): number {
    const dictionary = this.#dictionary;
    const entries = dictionary.countEntries();
    // a new atom adds its own entries, and second shares to points with one atom
    const each = (entries - this.#pointCount) / Math.max(2, dictionary.count);
    return Math.min(
      this.#limits.largest - dictionary.count,
      Math.floor((this.#limits.maxEntries - entries) / Math.max(1, Math.min(each, this.#cardinality))),
    );
  }

  /** Sets the minimum effect of an entry, which is known only after the budget was filled once. */
  #setPrice(): void {
    const dictionary = this.#dictionary;
    const above = Math.max(0, dictionary.sumErrors() - sumOf(this.#floors));
    this.#price = ((this.#options.price ?? 0) * above) / dictionary.countEntries();
    dictionary.price = this.#price;
  }

  /** Iterates over atoms and coefficients. Returns whether to stop. */
  async #iterate(count: number, rings: 1 | 2, part: number): Promise<boolean> {
    for (let iteration = 0; iteration < count; iteration++) {
      updateAtoms(this.#dictionary, this.#rows, this.#price);
      const sum = updateCoefficients(this.#dictionary, this.#adjacency, rings);
      this.#iterations++;
      if (await this.#monitor.tick(part, 1000 * Math.sqrt(sum / this.#scale))) return true;
    }
    return false;
  }
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
