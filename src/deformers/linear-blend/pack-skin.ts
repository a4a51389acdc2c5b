// SPDX-License-Identifier: MIT
import { InputError } from '../../core/model/errors.ts';
import { ENTRY_WORDS, NO_VERTEX, orderLanes, type PackedRows, putRow, SLICE } from '../layout/index.ts';
import { alignEntries, NO_ENTRY } from './align-entries.ts';

/** Maximum number of bones: indices have 16 bits. */
export const MAX_BONES = 65536;
const PER_ROW = 4;

/** Compressed rows of plain weights, and the rest data of each vertex. */
export interface SkinSource {
  boneCount: number;
  /** vertexCount x 3 */
  positions: ArrayLike<number>;
  /** vertexCount x 3; zeros if absent */
  normals?: ArrayLike<number>;
  /** vertexCount x 3: centers of rotation; positions are then stored relative to them */
  centers?: ArrayLike<number>;
  rowStart: Uint32Array;
  boneIndices: Uint32Array;
  /** entryCount weights, every `step`-th number from `first` */
  weights: ArrayLike<number>;
  first?: number;
  step?: number;
  /** Keep the first weight of a vertex first, for kernels that blend rotations. */
  keepsFirst?: boolean;
}

/**
 * Packs plain weights, four per row: two words of bones (16 bits each) and four of weights, in columns shared by neighbouring lanes; missing weights are zero.
 * Rest rows: x y z vertex | normal, spare | center, spare (with centers only).
 */
export function packSkin(source: SkinSource): PackedRows {
  const { boneCount, positions, normals, centers, rowStart, boneIndices, weights, first = 0, step = 1 } = source;
  const vertexCount = rowStart.length - 1;
  if (boneCount > MAX_BONES) throw new InputError('pack skin', `at most ${MAX_BONES} bones, got ${boneCount}`);
  if (positions.length !== 3 * vertexCount)
    throw new InputError('pack skin', `${positions.length / 3} positions for ${vertexCount} rows of weights`);
  const order = orderLanes(rowStart, PER_ROW, false);
  const aligned = alignEntries(order, rowStart, boneIndices, PER_ROW, source.keepsFirst ?? false);
  const restRows = centers ? 3 : 2;
  const rest = new Uint32Array(order.vertexOfLane.length * restRows * 4);
  const floats = new Float32Array(rest.buffer);
  const entries = new Uint32Array(order.rowCount * ENTRY_WORDS.weights.words * SLICE);
  const words = new Uint32Array(6);
  const wordFloats = new Float32Array(words.buffer);
  for (let n = 0; n < order.vertexOfLane.length; n++) {
    const i = order.vertexOfLane[n];
    const slice = Math.floor(n / SLICE);
    const lane = n % SLICE;
    const at = (row: number): number => ((slice * restRows + row) * SLICE + lane) * 4;
    rest[at(0) + 3] = i;
    if (i === NO_VERTEX) continue;
    for (let c = 0; c < 3; c++) {
      floats[at(0) + c] = positions[3 * i + c] - (centers ? centers[3 * i + c] : 0);
      if (normals) floats[at(1) + c] = normals[3 * i + c];
      if (centers) floats[at(2) + c] = centers[3 * i + c];
    }
    for (let row = 0; row < order.slices[2 * slice + 1]; row++) {
      for (let c = 0; c < PER_ROW; c++) {
        const o = ((order.slices[2 * slice] + row) * PER_ROW + c) * SLICE + lane;
        const bone = aligned.boneAt[o];
        const entry = aligned.entryAt[o];
        if (c % 2 === 0) words[c >> 1] = bone;
        else words[c >> 1] |= bone << 16;
        wordFloats[2 + c] = entry === NO_ENTRY ? 0 : weights[first + step * (rowStart[i] + entry)];
      }
      putRow(entries, 'weights', order.slices[2 * slice] + row, lane, words);
    }
  }
  return { layout: 'weights', vertexCount, boneCount, order, restRows, rest, entries };
}
