// SPDX-License-Identifier: MIT
// The dense product of two matrices in double precision.
import type { Compute } from '../compute.ts';
import { callOf, type KernelCall, kernel, type Resident } from '../kernel.ts';
import { multiplyTrajectories } from './trajectories.ts';

/** Approximate number of multiplications per chunk: about 50 µs. */
const CHUNK_WORK = 1e5;

/**
 * out = A B.
 * @param a rows x inner
 * @param b inner x columns; columns a multiple of four
 * @param out rows x columns
 */
export async function multiplyInto(
  compute: Compute,
  a: Resident<Float64Array>,
  b: Resident<Float64Array>,
  out: Resident<Float64Array>,
  columns: number,
): Promise<void> {
  await compute.runAll([callMultiply(a, b, out, columns)]);
}

/** The same as a call for runAll. */
export function callMultiply(
  a: Resident<Float64Array>,
  b: Resident<Float64Array>,
  out: Resident<Float64Array>,
  columns: number,
): KernelCall {
  if (columns % 4 !== 0) throw new Error(`multiplyInto: columns must be a multiple of four, got ${columns}`);
  const rows = out.length / columns;
  const inner = b.length / columns;
  const chunkSize = 4 * Math.max(1, Math.ceil(CHUNK_WORK / (4 * inner * columns)));
  return callOf(multiplyKernel, { a, b, out, rows, inner, columns, chunkSize }, Math.ceil(rows / chunkSize));
}

export const multiplyKernel = kernel(
  'multiply',
  {
    /** rows x inner */
    a: 'f64',
    /** inner x columns */
    b: 'f64',
    /** rows x columns, filled */
    out: 'f64',
    rows: 'int',
    inner: 'int',
    columns: 'int',
    chunkSize: 'int',
  },
  ({ a, b, out, rows, inner, columns, chunkSize }, chunk) => {
    const begin = chunk * chunkSize;
    multiplyTrajectories(a, b, out.subarray(begin * columns), begin, Math.min(rows, begin + chunkSize), inner, columns);
  },
);
