// SPDX-License-Identifier: MIT
import { SparseSimplex } from '../../../core/algebra/sparse-simplex.ts';
import type { ErrorQuadratics } from './error-quadratics.ts';

/** Minimum pivot relative to the diagonal: H is singular if bones move alike. */
const PIVOT_FLOOR = 1e-12;
/** Rounding error of H relative to s: its entries are differences of numbers of that size. */
const ROUNDING = 1e-14;
const SMALLEST = 1e-300;
/** Minimum error reduction of a bone, relative to s (a few millionths of the size of the model). */
const MIN_GAIN = 1e-11;

/** A search for the best few bones of points, on their error quadratics. */
export interface QuadraticSearch {
  readonly search: SparseSimplex;
  /** Starts the search for a point, with an empty support. */
  enter(point: number): void;
}

/** @param influences maximum number of bones of a point */
export function makeQuadraticSearch(quadratics: ErrorQuadratics, influences: number): QuadraticSearch {
  const { boneCount: m } = quadratics;
  const search = new SparseSimplex(influences, m, { ridge: 0, pivotFloor: PIVOT_FLOOR, solve: 'active-set' });
  const values = new Float64Array((search.maxMembers + 1) * m);
  const slots = Array.from({ length: search.maxMembers + 1 }, (_, slot) => values.subarray(slot * m, (slot + 1) * m));
  const diagonal = new Float64Array(m);
  let point = 0;
  const problem = {
    values,
    rowAt: (bone: number, slot: number): number => {
      quadratics.rowInto(point, bone, slots[slot]);
      return slot * m;
    },
    diagonalAt: (bone: number): number => diagonal[bone],
  };
  return {
    search,
    enter(next) {
      point = next;
      quadratics.diagonalInto(point, diagonal);
      const square = quadratics.squareOf(point);
      search.enter(problem, m, ROUNDING * square + SMALLEST, MIN_GAIN * square);
    },
  };
}
