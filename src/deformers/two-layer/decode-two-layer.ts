// SPDX-License-Identifier: MIT
import type { MultiWeights } from '../../core/model/deformed/direct-delta-mush.ts';
import { quoteName } from '../../core/model/plain-text.ts';
import type { Skin } from '../../core/model/skin/skin.ts';
import { checkRows, decodeMultiWeights } from '../direct-delta-mush/index.ts';
import {
  bindMatrixField,
  countField,
  fail,
  floatsField,
  hasField,
  integersField,
  type PrimitiveExtension,
  stringField,
  versionedFields,
  WEIGHTS,
} from '../layout/index.ts';
import {
  LAYER_FIELDS,
  LINEAR_FIELDS,
  LINEAR_TWO_LAYER_KIND,
  SKIN_FIELDS,
  TWO_LAYER_EXTENSION,
  TWO_LAYER_EXTENSION_VERSION,
  TWO_LAYER_KIND,
} from './pack-two-layer.ts';

/** The first layer: virtual bones on the joints of the skin. */
export type DecodedVirtualBones =
  | {
      kind: 'two-layer';
      /** 16 numbers, column-major: from the primitive's vertices to the space of the virtual bones */
      bindMatrix: Float64Array;
      /** A row per virtual bone, relative to its center; bone indices are joints of the skin. */
      rows: MultiWeights;
      /** virtualBoneCount x 3 */
      centers: Float64Array;
    }
  | {
      kind: 'linear-two-layer';
      /** A row per virtual bone; bone indices are joints of the skin. */
      rows: Skin;
    };

/** Decoded size of a weight in bytes: a number and an index. */
const WEIGHT_BYTES = 8;
/** Tolerance on the sum of the weights of a stored row. */
const SUM_TOLERANCE = 1e-4;

/** Returns the kind of first layer of OSSIFY_two_layer_skin. Other versions and kinds throw an error of code 'version', which a reader may ignore. */
export function readTwoLayerKind({ where, json }: PrimitiveExtension): DecodedVirtualBones['kind'] {
  const version = TWO_LAYER_EXTENSION_VERSION;
  const fields = versionedFields(TWO_LAYER_EXTENSION, version, where, json, 'the plain skin is used');
  const kind = stringField(fields.kind, `${where}: kind`);
  if (kind === LINEAR_TWO_LAYER_KIND) return 'linear-two-layer';
  if (kind === TWO_LAYER_KIND) return 'two-layer';
  return fail('version', `${TWO_LAYER_EXTENSION} of kind ${quoteName(kind)} is not read; the plain skin is used`);
}

/**
 * Decodes the first layer of OSSIFY_two_layer_skin of a primitive. All lengths are checked before memory is allocated. Throws a FormatError if
 * the data is invalid, with the code 'version' for other versions and kinds, which a reader may ignore.
 */
export function decodeVirtualBones(source: PrimitiveExtension): DecodedVirtualBones {
  if (readTwoLayerKind(source) === 'linear-two-layer') {
    const rowCount = countField(source, LINEAR_FIELDS.starts);
    const rows = decodeWeights(source, rowCount, LINEAR_FIELDS, source.jointCount, 'virtual bone', 'joint');
    return { kind: 'linear-two-layer', rows };
  }
  const bindMatrix = bindMatrixField(source);
  if (!hasField(source, LAYER_FIELDS.squares)) countField(source, LAYER_FIELDS.squares);
  const rowCount = countField(source, LAYER_FIELDS.starts);
  const { rows, centers } = decodeMultiWeights(source, rowCount, LAYER_FIELDS, 'virtual bone');
  return { kind: 'two-layer', bindMatrix, rows, centers: Float64Array.from(centers) };
}

/** Decodes the second layer: the weights of virtual bones, by vertex, in descending order, with a sum of one. Throws a FormatError if they are invalid. */
export function decodeVirtualSkin(source: PrimitiveExtension, virtualBoneCount: number): Skin {
  return decodeWeights(source, source.vertexCount, SKIN_FIELDS, virtualBoneCount, 'vertex', 'virtual bone');
}

function decodeWeights(
  source: PrimitiveExtension,
  rowCount: number,
  fields: Record<keyof typeof SKIN_FIELDS, string>,
  boneCount: number,
  rowName: 'vertex' | 'virtual bone',
  boneName: 'joint' | 'virtual bone',
): Skin {
  const { where, budget } = source;
  const bones = integersField(source, fields.bones, countField(source, fields.bones));
  const starts = integersField(source, fields.starts, rowCount);
  const counts = integersField(source, fields.counts, rowCount);
  const total = checkRows(source, { starts, counts, bones }, boneCount, rowName, boneName);
  budget(total * WEIGHT_BYTES);
  const weights = floatsField(source, fields.weights, 'SCALAR', WEIGHTS, bones.length);
  const skin: Skin = {
    rowStart: new Uint32Array(rowCount + 1),
    boneIndices: new Uint32Array(total),
    weights: new Float32Array(total),
  };
  const order: number[] = [];
  let used = 0;
  for (let i = 0; i < rowCount; i++) {
    order.length = 0;
    let sum = 0;
    for (let e = starts[i]; e < starts[i] + counts[i]; e++) {
      if (weights[e] < 0) fail('value', `${where}: ${rowName} ${i} has the weight ${weights[e]}`);
      order.push(e);
      sum += weights[e];
    }
    if (!(Math.abs(sum - 1) <= SUM_TOLERANCE))
      fail('value', `${where}: the weights of ${rowName} ${i} sum to ${sum}, not to one`);
    order.sort((a, b) => weights[b] - weights[a] || a - b);
    for (const e of order) {
      skin.boneIndices[used] = bones[e];
      skin.weights[used++] = weights[e] / sum;
    }
    skin.rowStart[i + 1] = used;
  }
  return skin;
}
