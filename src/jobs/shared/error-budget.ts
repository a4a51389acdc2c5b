// SPDX-License-Identifier: MIT
// Divides an error limit between solving, key reduction and rounding.
import { UsageError } from '../../core/model/errors.ts';

/** Tolerance of key reduction, relative to the error. Independent errors add as squares, so a tenth adds half a percent. */
const KEYS_OF_ERROR = 0.1;
/** Minimum tolerance of key reduction, relative to the box diagonal; it is not visible. */
const KEYS_OF_DIAGONAL = 1e-4;
/** Displacement of a vertex by rounding to 32-bit floats, or to quantized numbers, relative to the box diagonal, with a margin. */
const ROUNDING = 1e-6;
const QUANTIZED_ROUNDING = 1e-4;
/** Maximum ratio of the limit that is reserved for rounding. */
const MAX_ROUNDING = 0.01;

/** Maximum displacement of a vertex by key reduction, for a result with this RMSE; all lengths in file units. */
export function keyTolerance(rmse: number, diagonal: number): number {
  return Math.max(KEYS_OF_ERROR * rmse, KEYS_OF_DIAGONAL * diagonal);
}

/** The same with an error limit. */
export function keyToleranceOfLimit(limit: number): number {
  return KEYS_OF_ERROR * limit;
}

/** Error limit of the solver, so that the file meets its limit after key reduction and rounding. */
export function solverLimit(limit: number, diagonal: number, { keys = 0, isQuantized = false } = {}): number {
  if (keys >= limit) throw new UsageError('--keys', 'must be a smaller length than --max-error');
  const left = limit - keys;
  return left - Math.min((isQuantized ? QUANTIZED_ROUNDING : ROUNDING) * diagonal, MAX_ROUNDING * left);
}
