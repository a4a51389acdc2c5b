// SPDX-License-Identifier: MIT
// The dense product of two matrices in double precision.
import type { Compute, KernelCall, Resident, ResidentArray } from '../compute.ts';
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
  const size = 4 * Math.max(1, Math.ceil(CHUNK_WORK / (4 * inner * columns)));
  return { kernel: 'multiply', args: [a, b, out, rows, inner, columns, size], chunkCount: Math.ceil(rows / size) };
}

/** args: A, B, out, rows, inner, columns, rows per chunk */
export function multiplyReference(args: readonly (ResidentArray | number)[], chunk: number): void {
  const [a, b, out] = args as Float64Array[];
  const [rows, inner, columns, size] = args.slice(3) as number[];
  const begin = chunk * size;
  multiplyTrajectories(a, b, out.subarray(begin * columns), begin, Math.min(rows, begin + size), inner, columns);
}
