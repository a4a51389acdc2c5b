// SPDX-License-Identifier: MIT
import {
  type CorrectionTrack,
  NORMAL_RULES,
  type NormalRule,
  type SkinCorrection,
} from '../../core/model/deformed/skin-correction.ts';
import {
  choiceField,
  countField,
  FLOATS,
  FLOATS_OR_SHORTS,
  fail,
  floatsField,
  hasField,
  integerField,
  type JsonObject,
  listField,
  type PrimitiveExtension,
  versionedFields,
} from '../layout/index.ts';
import { CORRECTION_EXTENSION, CORRECTION_EXTENSION_VERSION } from './pack-skin-correction.ts';

/**
 * Decodes OSSIFY_skin_correction of a primitive: its components for the primitive's vertices, and a track per animation of the file. All
 * lengths are checked before memory is allocated. Throws a FormatError if the data is invalid, with the code 'version' for other versions,
 * which a reader may ignore.
 */
export function decodeSkinCorrection(source: PrimitiveExtension, animationNames: readonly string[]): SkinCorrection {
  const { where, json } = source;
  const version = CORRECTION_EXTENSION_VERSION;
  const fields = versionedFields(CORRECTION_EXTENSION, version, where, json, 'the plain skin is used');
  const rank = integerField(fields.rank, `${where}: rank`, 1);
  const normalRank = fields.normalRank === undefined ? 0 : integerField(fields.normalRank, `${where}: normalRank`, 1);
  const rule = fields.normalRule as NormalRule | undefined;
  if (rule !== undefined) choiceField(rule, NORMAL_RULES, `${where}: normalRule`);
  else if (normalRank > 0) fail('syntax', `${where}: normalRank is given without normalRule`);
  const basis = decodeComponents(source, 'basis', 'scales', rank);
  const normals = rule && {
    rule,
    basis: decodeComponents(source, 'normalBasis', 'normalScales', normalRank || rank),
  };
  const tracks = decodeTracks(source, fields, rank, normalRank, animationNames);
  return { rank, basis, normalRank, ...(normals ? { normals } : {}), tracks };
}

/** rank x vertexCount x 3; short numbers are relative to the component's scale */
function decodeComponents(source: PrimitiveExtension, name: string, scalesName: string, rank: number): Float32Array {
  const count = rank * source.vertexCount;
  const values = floatsField(source, name, 'VEC3', FLOATS_OR_SHORTS, count);
  const scales = hasField(source, scalesName) ? floatsField(source, scalesName, 'SCALAR', FLOATS, rank) : undefined;
  source.budget(12 * count);
  const basis = new Float32Array(3 * count);
  for (let r = 0; r < rank; r++) {
    const scale = scales ? scales[r] : 1;
    const end = (r + 1) * 3 * source.vertexCount;
    for (let c = r * 3 * source.vertexCount; c < end; c++) {
      basis[c] = scale * values[c];
      if (!Number.isFinite(basis[c])) fail('value', `${source.where}: ${name} has a number that is too large`);
    }
  }
  return basis;
}

/** A track per animation; it is empty if the extension has none for it. */
function decodeTracks(
  source: PrimitiveExtension,
  fields: JsonObject,
  rank: number,
  normalRank: number,
  animationNames: readonly string[],
): CorrectionTrack[] {
  const { where, budget } = source;
  const keyCount = countField(source, 'times');
  const times = floatsField(source, 'times', 'SCALAR', FLOATS, keyCount);
  const values = floatsField(source, 'values', 'SCALAR', FLOATS_OR_SHORTS, rank * keyCount);
  const normalValues =
    normalRank > 0
      ? floatsField(source, 'normalValues', 'SCALAR', FLOATS_OR_SHORTS, normalRank * keyCount)
      : new Float32Array(0);
  budget(8 * times.length + 4 * (values.length + normalValues.length));
  const tracks = animationNames.map(
    (name): CorrectionTrack => ({
      name,
      times: new Float64Array(0),
      values: new Float32Array(0),
      normalValues: new Float32Array(0),
    }),
  );
  const defs = listField(fields, 'tracks').map((track, n) => ({
    animation: integerField(track.animation, `${where}: tracks[${n}].animation`),
    keys: integerField(track.keys, `${where}: tracks[${n}].keys`),
  }));
  if (defs.reduce((sum, { keys }) => sum + keys, 0) !== keyCount)
    fail('mismatch', `${where}: the tracks do not have ${keyCount} keys in all, as times has`);
  const seen = new Set<number>();
  let at = 0;
  for (const [n, { animation, keys }] of defs.entries()) {
    if (animation >= tracks.length || seen.has(animation))
      fail(
        'index',
        `${where}: tracks[${n}] is of animation ${animation}, which the file does not have or another track is of`,
      );
    seen.add(animation);
    const end = at + keys;
    const own = Float64Array.from(times.subarray(at, end));
    for (let k = 1; k < keys; k++)
      if (own[k] <= own[k - 1]) fail('value', `${where}: the times of animation ${animation} do not rise`);
    tracks[animation] = {
      name: animationNames[animation],
      times: own,
      values: values.slice(at * rank, end * rank),
      normalValues: normalValues.slice(at * normalRank, end * normalRank),
    };
    at = end;
  }
  return tracks;
}
