// SPDX-License-Identifier: MIT
import type { Compute } from '../../core/kernels/compute.ts';
import { powerColumns } from './power-columns.ts';
import { smoothColumns } from './smooth-columns.ts';
import type { Smoother } from './smoother.ts';

/**
 * Smooths columns in place by kernels, on threads, or without a compute by the smoother itself. The results agree up to rounding.
 * @param values size x columns, row-major
 */
export async function smoothWith(
  compute: Compute | undefined,
  smoother: Smoother,
  values: Float64Array,
  columns: number,
): Promise<void> {
  const { implicit, explicit, iterations } = smoother;
  if (compute && implicit) {
    const addend = implicit.hasHeld ? implicit.makeAddend(values, columns) : undefined;
    await smoothColumns(compute, implicit.factor, implicit.scale, values, iterations, { addend });
  } else if (compute && explicit) {
    await powerColumns(compute, explicit, values, iterations);
  } else {
    smoother.smoothInto(values, columns);
  }
}
