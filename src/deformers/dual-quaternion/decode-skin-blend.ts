// SPDX-License-Identifier: MIT

import { BLEND_KINDS, type BlendKind, type SkinBlend } from '../../core/model/deformed/skin-blend.ts';
import { makeSkin } from '../../core/model/skin/skin.ts';
import {
  choiceField,
  fail,
  floatsField,
  hasField,
  integerField,
  integersField,
  type JsonObject,
  type PrimitiveExtension,
  versionedFields,
  WEIGHTS,
} from '../layout/index.ts';
import { BLEND_EXTENSION, BLEND_EXTENSION_VERSION } from './pack-skin-blend.ts';

/** Maximum number of weights per vertex. */
const MAX_INFLUENCES = 64;

/**
 * Decodes OSSIFY_skin_blend of a primitive; bones are joints of its skin. All lengths are checked before memory is allocated. Throws a FormatError if the data is invalid, with
 * the code 'version' for other versions, which a reader may ignore.
 */
export function decodeSkinBlend(source: PrimitiveExtension): SkinBlend {
  const { where, json } = source;
  const version = BLEND_EXTENSION_VERSION;
  const fields = versionedFields(BLEND_EXTENSION, version, where, json, 'the plain skin is used');
  const blend = (fields.blend ?? 'linear') as BlendKind;
  choiceField(blend, BLEND_KINDS, `${where}: blend`);
  const skin = hasField(source, 'joints')
    ? decodeWeights(source, fields, 'joints', 'weights', 'influences')
    : undefined;
  const normalSkin = hasField(source, 'normalJoints')
    ? decodeWeights(source, fields, 'normalJoints', 'normalWeights', 'normalInfluences')
    : undefined;
  return { blend, ...(skin ? { skin } : {}), ...(normalSkin ? { normalSkin } : {}) };
}

function decodeWeights(source: PrimitiveExtension, fields: JsonObject, ...names: [string, string, string]) {
  const [jointsName, weightsName, countName] = names;
  const { where, vertexCount, jointCount, budget } = source;
  const influences = integerField(fields[countName], `${where}: ${countName}`, 1);
  if (influences > MAX_INFLUENCES) fail('value', `${where}: ${countName} must be at most ${MAX_INFLUENCES}`);
  const count = influences * vertexCount;
  const joints = integersField(source, jointsName, count);
  const weights = floatsField(source, weightsName, 'SCALAR', WEIGHTS, count);
  budget(12 * count);
  for (let i = 0; i < vertexCount; i++) {
    let sum = 0;
    for (let e = i * influences; e < (i + 1) * influences; e++) {
      if (joints[e] >= jointCount) fail('index', `${where}: ${jointsName} names joint ${joints[e]} of ${jointCount}`);
      if (weights[e] < 0) fail('value', `${where}: ${weightsName} has a negative weight`);
      sum += weights[e];
    }
    if (!(sum > 0)) fail('value', `${where}: vertex ${i} has no positive weight in ${weightsName}`);
  }
  return makeSkin(Uint32Array.from(joints), Float64Array.from(weights), influences);
}
