// SPDX-License-Identifier: MIT

import type { Compute } from '../../../core/kernels/compute.ts';
import { type Smoother, smoothWith } from '../../../deformers/delta-mush/index.ts';
import type { PointBinding } from './bind-points.ts';

/** Columns per batch: 15 MB with 12,000 points, and enough for blocks of eight on several threads. */
const COLUMNS_AT_ONCE = 160;

/** Smoothed values per (point, bone), compressed rows: bones in ascending order within a row. */
export interface SmoothedRows {
  /** Numbers per entry; the last is the weight. */
  width: number;
  /** pointCount + 1 */
  rowStart: Uint32Array;
  /** entryCount bone indices */
  boneIndices: Uint32Array;
  /** entryCount x width */
  values: Float64Array;
  /** pointCount x width: sums over all bones, including dropped entries */
  sums: Float64Array;
}

export interface SmoothBindingOptions {
  /** Entries with a weight up to this are dropped and added to the strongest entry of their point, so that sums stay exact. */
  keep: number;
  /** Number of points with rows, the first ones. Default: all. */
  rowCount?: number;
  /** Compute for the smoothing. Default: the loops of the smoother. */
  compute?: Compute;
  /** Called with the fraction that is done, 0 to 1, before every batch; may throw to stop. */
  onBatch?: (part: number) => Promise<void>;
}

interface BoneColumn {
  bone: number;
  points: Uint32Array;
  /** points x width */
  values: Float64Array;
}

/**
 * Σₖ Aᵢₖ wₖⱼ bₖ for every point i and bone j, A the smoothing, w the binding: in batches of columns, bone by bone; bones without weights are skipped.
 * @param basis pointCount x width: b, its last column all ones
 */
export async function smoothBinding(
  binding: PointBinding,
  basis: Float64Array,
  width: number,
  smoother: Smoother,
  options: SmoothBindingOptions,
): Promise<SmoothedRows> {
  const { size } = smoother;
  const { rowCount = size } = options;
  const bones = listBones(binding);
  const perBatch = Math.max(1, Math.floor(COLUMNS_AT_ONCE / width));
  const kept: BoneColumn[] = [];
  for (let first = 0; first < bones.length; first += perBatch) {
    await options.onBatch?.(first / bones.length);
    const batch = bones.slice(first, first + perBatch);
    const columns = batch.length * width;
    const values = new Float64Array(size * columns);
    fillProducts(binding, basis, width, batch, values);
    await smoothWith(options.compute, smoother, values, columns);
    batch.forEach((bone, n) => {
      kept.push(keepColumn(bone, { values, columns, at: n * width, width, rowCount }, options.keep));
    });
  }
  const sums = basis.slice();
  // weights sum to one at every point, so the sum over bones is the smoothed basis itself
  await smoothWith(options.compute, smoother, sums, width);
  const rows = gatherRows(kept, rowCount, width, rowCount < size ? sums.slice(0, rowCount * width) : sums);
  settleRows(rows);
  return rows;
}

function listBones(binding: PointBinding): number[] {
  return [...new Set(binding.boneIndices)].sort((a, b) => a - b);
}

function fillProducts(
  binding: PointBinding,
  basis: Float64Array,
  width: number,
  batch: number[],
  values: Float64Array,
): void {
  const columns = batch.length * width;
  const place = new Map(batch.map((bone, n) => [bone, n * width]));
  for (let k = 0; k + 1 < binding.rowStart.length; k++) {
    for (let e = binding.rowStart[k]; e < binding.rowStart[k + 1]; e++) {
      const at = place.get(binding.boneIndices[e]);
      if (at === undefined) continue;
      const o = k * columns + at;
      for (let c = 0; c < width; c++) values[o + c] = binding.weights[e] * basis[k * width + c];
    }
  }
}

/** Columns at to at + width of a batch: size x columns. */
interface BatchColumns {
  values: Float64Array;
  columns: number;
  at: number;
  width: number;
  /** Rows from here on are left out. */
  rowCount: number;
}

function keepColumn(bone: number, { values, columns, at, width, rowCount }: BatchColumns, keep: number): BoneColumn {
  const weightAt = at + width - 1;
  let count = 0;
  for (let i = 0; i < rowCount; i++) if (values[i * columns + weightAt] > keep) count++;
  const points = new Uint32Array(count);
  const out = new Float64Array(count * width);
  let n = 0;
  for (let i = 0; i < rowCount; i++) {
    const o = i * columns;
    if (!(values[o + weightAt] > keep)) continue;
    points[n] = i;
    for (let c = 0; c < width; c++) out[n * width + c] = values[o + at + c];
    n++;
  }
  return { bone, points, values: out };
}

/** Converts columns per bone, in ascending order, to rows per point. */
function gatherRows(kept: BoneColumn[], size: number, width: number, sums: Float64Array): SmoothedRows {
  const rowStart = new Uint32Array(size + 1);
  for (const { points } of kept) for (let n = 0; n < points.length; n++) rowStart[points[n] + 1]++;
  for (let i = 0; i < size; i++) rowStart[i + 1] += rowStart[i];
  const boneIndices = new Uint32Array(rowStart[size]);
  const values = new Float64Array(rowStart[size] * width);
  const cursor = rowStart.slice(0, size);
  for (const column of kept) {
    for (let n = 0; n < column.points.length; n++) {
      const e = cursor[column.points[n]]++;
      boneIndices[e] = column.bone;
      for (let c = 0; c < width; c++) values[e * width + c] = column.values[n * width + c];
    }
  }
  return { width, rowStart, boneIndices, values, sums };
}

/** Adds the dropped entries of a row to its strongest entry. */
function settleRows({ width, rowStart, values, sums }: SmoothedRows): void {
  const left = new Float64Array(width);
  for (let i = 0; i + 1 < rowStart.length; i++) {
    let strongest = rowStart[i];
    for (let c = 0; c < width; c++) left[c] = sums[i * width + c];
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
      if (values[e * width + width - 1] > values[strongest * width + width - 1]) strongest = e;
      for (let c = 0; c < width; c++) left[c] -= values[e * width + c];
    }
    for (let c = 0; c < width; c++) values[strongest * width + c] += left[c];
  }
}
