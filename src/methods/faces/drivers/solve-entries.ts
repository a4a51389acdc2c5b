// SPDX-License-Identifier: MIT
// The values of chosen entries: least squares on their support. For M = I every coordinate of every shape is solved alone. Otherwise shapes are coupled,
//   error = Σₛₜ Mₛₜ (X dₛ − δₛ)·(X dₜ − δₜ),
// and one shape at a time is solved for the residuals of the others (Gauss–Seidel): G dₛ = bₛ + Σ_{t≠s} (Mₛₜ/Mₛₛ)(bₜ − G dₜ) on the support of s. Each step is the exact minimum over its
// shape, so the error never rises.

import { factorCholesky, solveCholesky } from '../../../core/algebra/dense-cholesky.ts';
import type { DriverSystem } from './driver-system.ts';

/** Sweeps over coupled shapes. */
const SWEEPS = 8;

/** Fills entries, (3 shapeCount) x n; those outside the support become zero. */
export function solveEntries(
  system: DriverSystem,
  support: Uint8Array,
  metric: Float64Array,
  entries: Float64Array,
): void {
  const { gram, right, isUsable, shapeCount } = system;
  const n = isUsable.length;
  const isCoupled = metric.some((value, e) => value !== 0 && e % (shapeCount + 1) !== 0);
  const rows: SupportRow[] = [];
  for (let row = 0; row < 3 * shapeCount; row++)
    rows.push(factorRow(gram, n, support.subarray(row * n, (row + 1) * n)));
  const residuals = new Float64Array(right.length);
  const wanted = new Float64Array(n);
  for (let row = 0; row < rows.length; row++) {
    const own = entries.subarray(row * n, (row + 1) * n);
    for (let a = 0; a < n; a++) if (!support[row * n + a]) own[a] = 0;
    if (isCoupled) residualInto(system, rows[row], own, row * n, residuals);
  }
  for (let sweep = 0; sweep < (isCoupled ? SWEEPS : 1); sweep++) {
    for (let row = 0; row < rows.length; row++) {
      const own = entries.subarray(row * n, (row + 1) * n);
      wanted.set(right.subarray(row * n, (row + 1) * n));
      const s = Math.floor(row / 3);
      for (let t = 0; isCoupled && t < shapeCount; t++) {
        const ratio = metric[s * shapeCount + t] / metric[s * shapeCount + s];
        if (t === s || ratio === 0) continue;
        const o = (3 * t + (row % 3)) * n;
        for (let a = 0; a < n; a++) wanted[a] += ratio * residuals[o + a];
      }
      solveRow(rows[row], wanted, own);
      if (isCoupled) residualInto(system, rows[row], own, row * n, residuals);
    }
  }
}

interface SupportRow {
  members: Uint32Array;
  factor: Float64Array;
  scratch: Float64Array;
}

function factorRow(gram: Float64Array, n: number, support: Uint8Array): SupportRow {
  const members = Uint32Array.from(support.keys()).filter((a) => support[a]);
  const size = members.length;
  const factor = new Float64Array(size * size);
  let largest = 0;
  for (let x = 0; x < size; x++) {
    for (let y = 0; y <= x; y++) factor[x * size + y] = gram[members[x] * n + members[y]];
    largest = Math.max(largest, factor[x * size + x]);
  }
  if (size > 0) factorCholesky(factor, size, 1e-14 * largest + 1e-300);
  return { members, factor, scratch: new Float64Array(size) };
}

function solveRow({ members, factor, scratch }: SupportRow, wanted: Float64Array, out: Float64Array): void {
  for (let x = 0; x < members.length; x++) scratch[x] = wanted[members[x]];
  solveCholesky(factor, members.length, scratch);
  for (let x = 0; x < members.length; x++) out[members[x]] = scratch[x];
}

/** b − G d of one row. */
function residualInto(
  { gram, right }: DriverSystem,
  { members }: SupportRow,
  own: Float64Array,
  o: number,
  residuals: Float64Array,
): void {
  const n = own.length;
  for (let a = 0; a < n; a++) residuals[o + a] = right[o + a];
  for (const e of members) for (let a = 0; a < n; a++) residuals[o + a] -= gram[e * n + a] * own[e];
}
