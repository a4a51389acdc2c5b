// SPDX-License-Identifier: MIT
import { SYM4_11, SYM4_SIZE, translateSym4 } from '../../core/math/sym4.ts';
import type { MultiWeights } from '../../core/model/deformed/direct-delta-mush.ts';
import { MAX_COORDINATE } from '../../core/model/mesh/coordinate-limit.ts';
import {
  countField,
  FLOATS,
  FLOATS_OR_SHORTS,
  fail,
  floatsField,
  hasField,
  integersField,
  type PrimitiveExtension,
} from '../layout/index.ts';
import { SQUARES, VECTOR } from './pack-direct-delta-mush.ts';

/** Names of the fields of the rows, which differ between extensions. */
export interface RowFields {
  starts: string;
  counts: string;
  centers: string;
  scales: string;
  /** Weights of entries that have no columns, where an extension allows it. */
  weights?: string;
}

export interface DecodedRows {
  /** Rows relative to their centers; bone indices are joints of the skin. */
  rows: MultiWeights;
  /** rowCount x 3 */
  centers: Float32Array;
}

/** Decoded size of an entry in bytes: ten numbers and an index. */
const ENTRY_BYTES = 8 * SYM4_SIZE + 4;
/** Tolerance on the sum of the weights of a stored row. */
const SUM_TOLERANCE = 1e-4;
/** Largest size of a weight. Weights may be negative, but cancel to one. */
const MAX_WEIGHT = 1e6;

/**
 * Decodes rows of multi-weights: weights in descending order, with a sum of one. Throws a FormatError if a row is invalid.
 * @param rowName name of a row in messages
 */
export function decodeMultiWeights(
  source: PrimitiveExtension,
  rowCount: number,
  fields: RowFields,
  rowName: 'vertex' | 'virtual bone',
): DecodedRows {
  const { where, jointCount, budget } = source;
  const joints = integersField(source, 'joints', countField(source, 'joints'));
  const entryCount = joints.length;
  const starts = integersField(source, fields.starts, rowCount);
  const counts = integersField(source, fields.counts, rowCount);
  const total = checkRows(source, { starts, counts, bones: joints }, jointCount, rowName);
  budget(total * ENTRY_BYTES);
  const alone = fields.weights !== undefined && !hasField(source, 'columns') ? fields.weights : undefined;
  const isAlone = alone !== undefined && hasField(source, alone);
  // variant 5 has no centers: any point serves
  const hasCenters = !isAlone || hasField(source, fields.centers);
  const centers = hasCenters
    ? floatsField(source, fields.centers, 'VEC3', FLOATS, rowCount)
    : new Float32Array(3 * rowCount);
  for (let c = 0; c < centers.length; c++)
    if (Math.abs(centers[c]) > MAX_COORDINATE)
      fail('value', `${where}: the center of ${rowName} ${Math.floor(c / 3)} is too large`);
  const columns = isAlone
    ? columnsOf(floatsField(source, alone, 'SCALAR', FLOATS_OR_SHORTS, entryCount))
    : floatsField(source, 'columns', 'VEC4', FLOATS_OR_SHORTS, entryCount);
  const scales = hasField(source, fields.scales)
    ? floatsField(source, fields.scales, 'SCALAR', FLOATS, rowCount)
    : undefined;
  const squares = hasField(source, 'squares')
    ? floatsField(source, 'squares', 'VEC2', FLOATS_OR_SHORTS, 3 * entryCount)
    : undefined;
  const stored = { starts, counts, joints, columns, scales, squares };
  return { rows: sortRows(stored, total, where, rowName), centers };
}

/** The arrays of rows. */
interface StoredRows {
  starts: ArrayLike<number>;
  counts: ArrayLike<number>;
  joints: ArrayLike<number>;
  columns: Float32Array;
  scales: Float32Array | undefined;
  squares: Float32Array | undefined;
}

/** Rows with weights in descending order that sum to one. */
function sortRows(stored: StoredRows, total: number, where: string, rowName: string): MultiWeights {
  const { starts, counts, joints, columns, scales, squares } = stored;
  const rowCount = starts.length;
  const rowStart = new Uint32Array(rowCount + 1);
  const boneIndices = new Uint32Array(total);
  const omegas = new Float64Array(total * SYM4_SIZE);
  const order: number[] = [];
  let used = 0;
  for (let i = 0; i < rowCount; i++) {
    order.length = 0;
    let sum = 0;
    for (let e = starts[i]; e < starts[i] + counts[i]; e++) {
      order.push(e);
      sum += columns[4 * e + 3];
    }
    if (!(Math.abs(sum - 1) <= SUM_TOLERANCE))
      fail('value', `${where}: the weights of ${rowName} ${i} sum to ${sum}, not to one`);
    order.sort((a, b) => columns[4 * b + 3] - columns[4 * a + 3] || a - b);
    const scale = scales ? scales[i] : 1;
    for (const e of order) {
      const o = used * SYM4_SIZE;
      for (let c = 0; c < 6; c++) omegas[o + SQUARES[c]] = squares ? (squares[6 * e + c] * scale * scale) / sum : 0;
      for (let c = 0; c < 3; c++) omegas[o + VECTOR[c]] = (columns[4 * e + c] * scale) / sum;
      omegas[o + SYM4_11] = columns[4 * e + 3] / sum;
      if (!isInRange(omegas, o)) fail('value', `${where}: ${rowName} ${i} has a number that is too large`);
      boneIndices[used++] = joints[e];
    }
    rowStart[i + 1] = used;
  }
  return { rowStart, boneIndices, omegas };
}

/** Weights as columns without moments: relative to the center, those of the whole patch of a vertex are zero. */
function columnsOf(weights: Float32Array): Float32Array {
  const columns = new Float32Array(4 * weights.length);
  for (let e = 0; e < weights.length; e++) columns[4 * e + 3] = weights[e];
  return columns;
}

/** Whether the numbers of an entry are those of points that coordinates can describe. */
function isInRange(omegas: Float64Array, o: number): boolean {
  for (let c = 0; c < 6; c++) if (!(Math.abs(omegas[o + SQUARES[c]]) <= MAX_COORDINATE ** 2)) return false;
  for (let c = 0; c < 3; c++) if (!(Math.abs(omegas[o + VECTOR[c]]) <= MAX_COORDINATE)) return false;
  return Math.abs(omegas[o + SYM4_11]) <= MAX_WEIGHT;
}

/** Checks joints and the ranges of rows, and returns the sum of their entries. */
export function checkRows(
  { where }: PrimitiveExtension,
  { starts, counts, bones }: Record<'starts' | 'counts' | 'bones', ArrayLike<number>>,
  boneCount: number,
  rowName: 'vertex' | 'virtual bone',
  boneName: 'joint' | 'virtual bone' = 'joint',
): number {
  for (let e = 0; e < bones.length; e++)
    if (bones[e] >= boneCount)
      fail('index', `${where}: an entry names ${boneName} ${bones[e]}, but there are ${boneCount}`);
  const what = boneName === 'joint' ? 'entries' : 'weights';
  let total = 0;
  for (let i = 0; i < starts.length; i++) {
    const end = starts[i] + counts[i];
    if (counts[i] === 0 || end > bones.length)
      fail('length', `${where}: ${rowName} ${i} has the ${what} ${starts[i]} to ${end} of ${bones.length}`);
    if (counts[i] > boneCount)
      fail('length', `${where}: ${rowName} ${i} has ${counts[i]} ${what} for ${boneCount} ${boneName}s`);
    total += counts[i];
  }
  return total;
}

/** Converts rows from coordinates relative to their centers to the origin, in place. */
export function shiftRowsToOrigin({ rowStart, omegas }: MultiWeights, centers: Float32Array): void {
  for (let i = 0; i + 1 < rowStart.length; i++)
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++)
      translateSym4(omegas, e * SYM4_SIZE, centers[3 * i], centers[3 * i + 1], centers[3 * i + 2]);
}
