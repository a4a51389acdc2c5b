// SPDX-License-Identifier: MIT
import type { DdmSettings, DdmVariant, MultiWeights } from '../../core/model/deformed/direct-delta-mush.ts';
import {
  bindMatrixField,
  fail,
  integerField,
  objectField,
  type PrimitiveExtension,
  versionedFields,
} from '../layout/index.ts';
import { decodeMultiWeights, shiftRowsToOrigin } from './decode-multi-weights.ts';
import { DDM_EXTENSION, DDM_EXTENSION_VERSIONS } from './pack-direct-delta-mush.ts';

export interface DecodedDdm {
  variant: DdmVariant;
  settings: DdmSettings;
  /** 16 numbers, column-major: from the primitive's vertices to the space of the multi-weights */
  bindMatrix: Float64Array;
  /** A row per vertex, relative to the origin; bone indices are joints of the skin. */
  multiWeights: MultiWeights;
}

const FIELDS = { starts: 'starts', counts: 'counts', centers: 'centers', scales: 'scales', weights: 'weights' };

/**
 * Decodes OSSIFY_direct_delta_mush of a primitive. All lengths are checked before memory is allocated. Throws a FormatError if the data is
 * invalid, with the code 'version' for other versions, which a reader may ignore.
 */
export function decodeDirectDeltaMush(source: PrimitiveExtension): DecodedDdm {
  const { where, json, vertexCount } = source;
  const fields = versionedFields(
    DDM_EXTENSION,
    Math.max(...DDM_EXTENSION_VERSIONS),
    where,
    json,
    'the plain skin is used',
  );
  const variant = integerField(fields.variant, `${where}: variant`);
  if (variant > 5) fail('value', `${where}: the variant must be 0 to 5, got ${variant}`);
  if (variant < 4 && fields.weights !== undefined && fields.columns === undefined)
    fail('mismatch', `${where}: variant ${variant} needs columns, and there are only weights`);
  const settings = readSettings(fields.settings, where);
  const bindMatrix = bindMatrixField(source);
  const { rows, centers } = decodeMultiWeights(source, vertexCount, FIELDS, 'vertex');
  shiftRowsToOrigin(rows, centers);
  return { variant: variant as DdmVariant, settings, bindMatrix, multiWeights: rows };
}

function readSettings(value: unknown, where: string): DdmSettings {
  const fields = value === undefined ? {} : objectField(value, `${where}: settings`);
  const number = (name: string): number => (Number.isFinite(fields[name]) ? (fields[name] as number) : 0);
  return {
    iterations: number('iterations'),
    lambda: number('lambda'),
    kappa: number('kappa'),
    alpha: number('alpha'),
  };
}
