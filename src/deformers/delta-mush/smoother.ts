// SPDX-License-Identifier: MIT
// Laplacian smoothing of values on a surface, p steps:
//   implicit  x ← (I + Λ D⁻¹L)⁻¹ x,  explicit  x ← (I − Λ D⁻¹L) x,
// with L a Laplacian whose rows sum to zero, D its diagonal and Λ a strength per point. Rows of the smoothing sum to one, so constants are preserved.
// D⁻¹L is not symmetric; multiplied by Λ⁻¹D the implicit step is: (Λ⁻¹D + L) x = Λ⁻¹D b, one factorization for all steps and columns.
// Points with Λ = 0, or with an empty row of L, are held: they keep their values, and their contribution to neighbours is part of the right-hand side,
//   (Λ⁻¹D + L)_ff x_f = Λ⁻¹D b_f − L_fh b_h,  the last term being the same in all p steps.

import type { SparsePattern } from '../../core/algebra/analyze-sparse.ts';
import { factorSparse, type SparseFactor } from '../../core/algebra/sparse-ldlt.ts';
import { makeSparseSymmetric, type SparseSymmetric } from '../../core/algebra/sparse-matrix.ts';
import { InputError, UsageError } from '../../core/model/errors.ts';
import type { SparseRows } from './power-columns.ts';

/** Points with a smaller strength are held: a step would move them by less than this ratio of the distance to their neighbours. */
const HELD_STRENGTH = 1e-9;

/** 'implicit' steps solve a linear system and allow any strength; 'explicit' steps average neighbours. */
export type SmoothMethod = 'implicit' | 'explicit';

/** Options of makeSmoother. */
export interface SmootherOptions {
  /** Steps, at least 1. */
  iterations: number;
  /** Strength of a step: one for all points, or one per point; at most 1 for explicit steps. */
  lambda: number | ArrayLike<number>;
  /** 'implicit' allows any strength; few large steps replace many small ones. */
  method: SmoothMethod;
  /** A smoother of the same Laplacian: its elimination order is reused if the same points are held. */
  like?: Smoother;
}

/** The linear system of one implicit step: x ← system⁻¹ (scale x + addend). */
export interface ImplicitSmoothing {
  factor: SparseFactor;
  /** size: Λ⁻¹D, and 1 for held points */
  scale: Float64Array;
  /** size: 1 for held points */
  isHeld: Uint8Array;
  /** Whether held points have free neighbours, so that makeAddend is not zero. */
  hasHeld: boolean;
  /** size x columns, row-major: the contribution of held points to the right-hand sides */
  makeAddend(values: Float64Array, columns: number): Float64Array;
}

/** Smooths values on a surface. */
export interface Smoother {
  readonly size: number;
  readonly iterations: number;
  /** Data for the kernels (smooth-with.ts): one of the two. */
  readonly implicit?: ImplicitSmoothing;
  /** I − Λ D⁻¹L */
  readonly explicit?: SparseRows;
  /**
   * Smooths columns in place.
   * @param values size x columns, row-major
   */
  smoothInto(values: Float64Array, columns: number): void;
}

/** Makes a smoother; throws on invalid strengths. */
export function makeSmoother(laplacian: SparseSymmetric, options: SmootherOptions): Smoother {
  const { size } = laplacian;
  const { iterations, method } = options;
  if (!(Number.isInteger(iterations) && iterations >= 1))
    throw new UsageError('smoothing', `iterations must be a whole number of at least 1, got ${iterations}`);
  const strengths = listStrengths(options.lambda, size);
  const diagonal = diagonalOf(laplacian);
  const isHeld = Uint8Array.from(diagonal, (d, i) => (d > 0 && strengths[i] >= HELD_STRENGTH ? 0 : 1));
  if (method === 'implicit') {
    const known = options.like?.implicit;
    const isAlike = known?.isHeld.length === size && known.isHeld.every((held, i) => held === isHeld[i]);
    const pattern = isAlike ? known.factor.pattern : undefined;
    return makeImplicit(laplacian, diagonal, strengths, isHeld, iterations, pattern);
  }
  const tooStrong = strengths.findIndex((s) => s > 1);
  if (tooStrong >= 0)
    throw new InputError('smoothing', `strengths of explicit steps must be at most 1, got ${strengths[tooStrong]}`);
  return makeExplicit(laplacian, diagonal, strengths, isHeld, iterations);
}

function listStrengths(lambda: number | ArrayLike<number>, size: number): Float64Array {
  const strengths = typeof lambda === 'number' ? new Float64Array(size).fill(lambda) : Float64Array.from(lambda);
  if (strengths.length !== size)
    throw new InputError('smoothing', `the map has ${strengths.length} strengths for ${size} points`);
  const bad = strengths.findIndex((s) => !(s >= 0 && s < Number.POSITIVE_INFINITY));
  if (bad >= 0) throw new InputError('smoothing', `strengths must be at least 0, point ${bad} has ${strengths[bad]}`);
  return strengths;
}

function diagonalOf({ size, columnStart, rowIndices, values }: SparseSymmetric): Float64Array {
  const diagonal = new Float64Array(size);
  for (let j = 0; j < size; j++) {
    for (let e = columnStart[j]; e < columnStart[j + 1]; e++) if (rowIndices[e] === j) diagonal[j] = values[e];
  }
  return diagonal;
}

function makeImplicit(
  laplacian: SparseSymmetric,
  diagonal: Float64Array,
  strengths: Float64Array,
  isHeld: Uint8Array,
  iterations: number,
  pattern: SparsePattern | undefined,
): Smoother {
  const { size, columnStart, rowIndices, values } = laplacian;
  const scale = diagonal.map((d, i) => (isHeld[i] ? 1 : d / strengths[i]));
  const rows: number[] = [];
  const columns: number[] = [];
  const entries: number[] = [];
  /** Edges from a free point to a held one: free, held, -weight. */
  const spokes: [number, number, number][] = [];
  for (let j = 0; j < size; j++) {
    rows.push(j);
    columns.push(j);
    entries.push(isHeld[j] ? 1 : scale[j] + diagonal[j]);
    for (let e = columnStart[j]; e < columnStart[j + 1]; e++) {
      const i = rowIndices[e];
      if (i === j) continue;
      if (isHeld[i] || isHeld[j]) {
        if (isHeld[i] !== isHeld[j]) spokes.push(isHeld[i] ? [j, i, values[e]] : [i, j, values[e]]);
        continue;
      }
      rows.push(i);
      columns.push(j);
      entries.push(values[e]);
    }
  }
  const factor = factorSparse(makeSparseSymmetric(size, rows, columns, entries), { pattern });
  const makeAddend = (given: Float64Array, count: number): Float64Array => {
    const addend = new Float64Array(size * count);
    for (const [free, held, value] of spokes) {
      for (let c = 0; c < count; c++) addend[free * count + c] -= value * given[held * count + c];
    }
    return addend;
  };
  const hasHeld = spokes.length > 0;
  return {
    size,
    iterations,
    implicit: { factor, scale, isHeld, hasHeld, makeAddend },
    smoothInto(given, count) {
      const addend = hasHeld ? makeAddend(given, count) : undefined;
      for (let n = 0; n < iterations; n++) {
        for (let i = 0, o = 0; i < size; i++) {
          const s = scale[i];
          for (let c = 0; c < count; c++, o++) given[o] *= s;
        }
        if (addend) for (let o = 0; o < addend.length; o++) given[o] += addend[o];
        factor.solveInto(given, given, count);
      }
    },
  };
}

function makeExplicit(
  laplacian: SparseSymmetric,
  diagonal: Float64Array,
  strengths: Float64Array,
  isHeld: Uint8Array,
  iterations: number,
): Smoother {
  const { size, columnStart, rowIndices, values } = laplacian;
  // rows of I − Λ D⁻¹L: count, then place
  const steps = diagonal.map((d, i) => (isHeld[i] ? 0 : strengths[i] / d));
  const rowStart = new Uint32Array(size + 1);
  const isUsed = (i: number, j: number): boolean => i === j || steps[i] > 0;
  const visit = (see: (i: number, j: number, value: number) => void): void => {
    for (let j = 0; j < size; j++) {
      for (let e = columnStart[j]; e < columnStart[j + 1]; e++) {
        const i = rowIndices[e];
        if (isUsed(i, j)) see(i, j, values[e]);
        if (i !== j && isUsed(j, i)) see(j, i, values[e]);
      }
    }
  };
  visit((i) => {
    rowStart[i + 1]++;
  });
  for (let i = 0; i < size; i++) rowStart[i + 1] += rowStart[i];
  const explicit: SparseRows = {
    size,
    rowStart,
    columnIndices: new Uint32Array(rowStart[size]),
    values: new Float64Array(rowStart[size]),
  };
  const cursor = rowStart.slice(0, size);
  visit((i, j, value) => {
    explicit.columnIndices[cursor[i]] = j;
    explicit.values[cursor[i]++] = (i === j ? 1 : 0) - steps[i] * value;
  });
  return {
    size,
    iterations,
    explicit,
    smoothInto(given, count) {
      let from: Float64Array = given;
      let to: Float64Array = new Float64Array(size * count);
      for (let n = 0; n < iterations; n++) {
        to.fill(0);
        for (let i = 0; i < size; i++) {
          for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
            const b = explicit.values[e];
            const o = explicit.columnIndices[e] * count;
            for (let c = 0; c < count; c++) to[i * count + c] += b * from[o + c];
          }
        }
        [from, to] = [to, from];
      }
      if (from !== given) given.set(from);
    },
  };
}
