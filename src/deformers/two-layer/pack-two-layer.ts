// SPDX-License-Identifier: MIT
// OSSIFY_two_layer_skin, version 1: a stored two-layer model. docs/formats/extensions/OSSIFY_two_layer_skin.md is the specification.
//
// First layer, kind 'ddm': rows of OSSIFY_direct_delta_mush, one per virtual bone, relative to that bone's stored center; kind 'linear': plain weights of
// joints, by virtual bone, packed like the second layer. Second layer: plain weights of virtual bones, by vertex; vertices of a UV seam share a row. Short
// weights are multiples of 1/65535 with a sum of exactly one.
import { SYM4_11, SYM4_SIZE, translateSym4 } from '../../core/math/sym4.ts';
import type { MultiWeights } from '../../core/model/deformed/direct-delta-mush.ts';
import type { TwoLayer } from '../../core/model/deformed/two-layer.ts';
import type { Skin } from '../../core/model/skin/skin.ts';
import { type PackedDdm, packDdm } from '../direct-delta-mush/index.ts';
import type { PackedField } from '../layout/index.ts';

export const TWO_LAYER_EXTENSION = 'OSSIFY_two_layer_skin';
export const TWO_LAYER_EXTENSION_VERSION = 1;
/** The supported kinds of first layer. */
export const TWO_LAYER_KIND = 'ddm';
export const LINEAR_TWO_LAYER_KIND = 'linear';

/** The short number for a weight of one. */
const SHORT = 65535;

/** Fields of the first layer, by their names in OSSIFY_direct_delta_mush. */
export const LAYER_FIELDS = {
  starts: 'boneStarts',
  counts: 'boneCounts',
  centers: 'boneCenters',
  scales: 'boneScales',
  joints: 'joints',
  columns: 'columns',
  squares: 'squares',
} as const;

/** Fields of a first layer of plain weights, and of the second layer. */
export const LINEAR_FIELDS = {
  starts: 'boneStarts',
  counts: 'boneCounts',
  bones: 'joints',
  weights: 'boneWeights',
} as const;
export const SKIN_FIELDS = { starts: 'starts', counts: 'counts', bones: 'bones', weights: 'weights' } as const;
/** Fields that are indices of accessors. */
export const TWO_LAYER_FIELDS = [...Object.values(LAYER_FIELDS), LINEAR_FIELDS.weights, ...Object.values(SKIN_FIELDS)];

/** How the arrays of the first layer are stored. The order of `squares` and `scales` differs from that of OSSIFY_direct_delta_mush. */
export const LAYER_LAYOUT: readonly PackedField<PackedDdm>[] = [
  { name: 'starts', field: LAYER_FIELDS.starts, size: 1 },
  { name: 'counts', field: LAYER_FIELDS.counts, size: 1 },
  { name: 'centers', field: LAYER_FIELDS.centers, size: 3 },
  { name: 'joints', size: 1 },
  { name: 'columns', size: 4, isFraction: true },
  { name: 'squares', size: 2, isFraction: true },
  { name: 'scales', field: LAYER_FIELDS.scales, size: 1 },
];

/** The second layer of a primitive, as stored in accessors. */
export interface PackedVirtualSkin {
  /** vertexCount: the first weight of each vertex */
  starts: Uint32Array;
  /** vertexCount: number of weights of each vertex */
  counts: Uint8Array | Uint16Array;
  /** weightCount: indices into the list of virtual bones */
  bones: Uint8Array | Uint16Array;
  /** weightCount, in descending order per vertex */
  weights: Float32Array | Uint16Array;
}

/** How the arrays of the second layer are stored. */
export const SKIN_LAYOUT: readonly PackedField<PackedVirtualSkin>[] = [
  { name: 'starts', size: 1 },
  { name: 'counts', size: 1 },
  { name: 'bones', size: 1 },
  { name: 'weights', size: 1, isFraction: true },
];

/** How the arrays of a first layer of plain weights are stored. */
export const LINEAR_LAYOUT: readonly PackedField<PackedVirtualSkin>[] = SKIN_LAYOUT.map((stored) => ({
  ...stored,
  field: LINEAR_FIELDS[stored.name],
}));

/**
 * Packs virtual bones, in the order of the list.
 * @param list indices of virtual bones
 * @param jointOf the joint of a master bone
 */
export function packVirtualLayer(
  model: Pick<TwoLayer, 'virtualBones' | 'centers'>,
  list: readonly number[],
  jointOf: (bone: number) => number,
  quantize = false,
): PackedDdm {
  const { virtualBones: from, centers } = model;
  const rowStart = new Uint32Array(list.length + 1);
  list.forEach((k, n) => {
    rowStart[n + 1] = rowStart[n] + from.rowStart[k + 1] - from.rowStart[k];
  });
  const rows: MultiWeights = {
    rowStart,
    boneIndices: new Uint32Array(rowStart[list.length]),
    omegas: new Float64Array(rowStart[list.length] * SYM4_SIZE),
  };
  let fits = true;
  list.forEach((k, n) => {
    for (let e = from.rowStart[k], to = rowStart[n]; e < from.rowStart[k + 1]; e++, to++) {
      rows.boneIndices[to] = from.boneIndices[e];
      const o = to * SYM4_SIZE;
      rows.omegas.set(from.omegas.subarray(e * SYM4_SIZE, (e + 1) * SYM4_SIZE), o);
      if (Math.abs(rows.omegas[o + SYM4_11]) > 1) fits = false;
      translateSym4(rows.omegas, o, centers[3 * k], centers[3 * k + 1], centers[3 * k + 2]);
    }
  });
  // a fitted weight may exceed one, which short numbers cannot store
  return packDdm(rows, 0, list.length, jointOf, { quantize: quantize && fits });
}

/**
 * Packs virtual bones of plain weights, in the order of the list; the fields `bones` are joints.
 * @param list indices of virtual bones
 * @param jointOf the joint of a master bone
 */
export function packLinearLayer(
  { rowStart, boneIndices, weights }: Skin,
  list: readonly number[],
  jointOf: (bone: number) => number,
  quantize = false,
): PackedVirtualSkin {
  const starts = new Uint32Array(list.length + 1);
  const entries: number[] = [];
  list.forEach((k, n) => {
    for (let e = rowStart[k]; e < rowStart[k + 1]; e++) entries.push(e);
    starts[n + 1] = entries.length;
  });
  const own: Skin = {
    rowStart: starts,
    boneIndices: Uint32Array.from(entries, (e) => boneIndices[e]),
    weights: Float32Array.from(entries, (e) => weights[e]),
  };
  return packVirtualSkin(own, 0, list.length, jointOf, quantize);
}

/**
 * Packs the weights of vertices, starting with vertexStart.
 * @param placeOf the index of a virtual bone in the packed list
 */
export function packVirtualSkin(
  skin: Skin,
  vertexStart: number,
  vertexCount: number,
  placeOf: (virtualBone: number) => number,
  quantize = false,
): PackedVirtualSkin {
  const { rowStart, boneIndices } = skin;
  const room = rowStart[vertexStart + vertexCount] - rowStart[vertexStart];
  const starts = new Uint32Array(vertexCount);
  const counts = new Uint16Array(vertexCount);
  const bones = new Uint16Array(room);
  const weights = quantize ? new Uint16Array(room) : new Float32Array(room);
  const known = new Map<string, number>();
  let used = 0;
  for (let n = 0; n < vertexCount; n++) {
    const [from, to] = [rowStart[vertexStart + n], rowStart[vertexStart + n + 1]];
    const row = skin.weights.subarray(from, to);
    const key = `${boneIndices.subarray(from, to).join()} ${row.join()}`;
    const same = known.get(key);
    if (same !== undefined) {
      starts[n] = starts[same];
      counts[n] = counts[same];
      continue;
    }
    known.set(key, n);
    starts[n] = used;
    const numbers = quantize ? toShorts(row) : row;
    for (let e = 0; e < row.length; e++) {
      // weights descend: all after the first that rounds to zero are zero
      if (numbers[e] === 0) break;
      bones[used] = placeOf(boneIndices[from + e]);
      weights[used++] = numbers[e];
    }
    counts[n] = used - starts[n];
  }
  const own = bones.slice(0, used);
  return {
    starts,
    counts: counts.every((count) => count < 256) ? Uint8Array.from(counts) : counts,
    bones: own.every((bone) => bone < 256) ? Uint8Array.from(own) : own,
    weights: weights.slice(0, used),
  };
}

/** Integers with the sum SHORT: rounded down; the rest is distributed to the largest remainders, the first of equal ones. The order stays descending. */
function toShorts(row: Float32Array): Uint16Array {
  const total = row.reduce((sum, weight) => sum + weight, 0);
  const exact = Array.from(row, (weight) => (weight / total) * SHORT);
  const parts = Uint16Array.from(exact, Math.floor);
  const left = SHORT - parts.reduce((sum, part) => sum + part, 0);
  const order = [...exact.keys()].sort((a, b) => exact[b] - parts[b] - (exact[a] - parts[a]) || a - b);
  for (let n = 0; n < left; n++) parts[order[n % order.length]]++;
  return parts.sort((a, b) => b - a);
}
