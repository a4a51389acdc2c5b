// SPDX-License-Identifier: MIT
import {
  LIGHT_KINDS,
  type LightKind,
  type LightTrack,
  lightWidthOf,
  MAX_TERMS,
  type SkinLight,
  TERM_SIZE,
  UNSHADOWED_SIZE,
} from '../../core/model/deformed/skin-light.ts';
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
  numbersField,
  type PrimitiveExtension,
  TYPE_SIZE,
  versionedFields,
} from '../layout/index.ts';
import { LIGHT_ELEMENT, LIGHT_EXTENSION, LIGHT_EXTENSION_VERSION } from './pack-skin-light.ts';

/** Kinds of numbers of vertex colours in glTF. */
const COLOR_TYPES = [Float32Array, Uint8Array, Uint16Array];

/**
 * Decodes OSSIFY_skin_light of a primitive: its components for the primitive's vertices, and a track per animation of the file. All lengths are checked before
 * memory is allocated. Throws a FormatError if the data is invalid, with the code 'version' for other versions, which a reader may ignore.
 */
export function decodeSkinLight(source: PrimitiveExtension, animationNames: readonly string[]): SkinLight {
  const { where, json } = source;
  const version = LIGHT_EXTENSION_VERSION;
  const fields = versionedFields(LIGHT_EXTENSION, version, where, json, 'the mean light is used');
  const kind = fields.kind as LightKind;
  choiceField(kind, LIGHT_KINDS, `${where}: kind`);
  const rank = integerField(fields.rank, `${where}: rank`, 1);
  const environment = kind === 'transfer' ? singlesField(fields.environment, `${where}: environment`, 27) : undefined;
  const open = fields.version === 1 ? {} : decodeUnshadowed(fields, kind, where);
  const basis = decodeBasis(source, rank, lightWidthOf({ kind, ...open }));
  const colors = hasField(source, 'colors') ? decodeColors(source) : undefined;
  const tracks = decodeTracks(source, fields, rank, animationNames);
  return { kind, rank, basis, ...open, ...(environment ? { environment } : {}), ...(colors ? { colors } : {}), tracks };
}

/** What the light is relative to; nothing if it does not depend on normals. */
function decodeUnshadowed(fields: JsonObject, kind: LightKind, where: string): Pick<SkinLight, 'terms' | 'unshadowed'> {
  if (kind === 'transfer') {
    if (fields.unshadowed === undefined) return {};
    return { unshadowed: singlesField(fields.unshadowed, `${where}: unshadowed`, UNSHADOWED_SIZE) };
  }
  if (fields.terms === undefined) return {};
  const list = listField(fields, 'terms');
  if (list.length < 1 || list.length > MAX_TERMS)
    fail('value', `${where}: terms must hold 1 to ${MAX_TERMS} terms, got ${list.length}`);
  const terms = new Float32Array(list.length * TERM_SIZE);
  for (const [t, { harmonics, direction, color }] of list.entries()) {
    const at = `${where}: terms[${t}]`;
    terms.set(singlesField(harmonics, `${at}.harmonics`, 27), t * TERM_SIZE);
    terms.set(singlesField(direction, `${at}.direction`, 3), t * TERM_SIZE + 27);
    terms.set(singlesField(color, `${at}.color`, 3), t * TERM_SIZE + 30);
  }
  return { terms };
}

/** Numbers that are finite in single precision too. */
function singlesField(value: unknown, where: string, length: number): Float32Array {
  const numbers = Float32Array.from(numbersField(value, where, length));
  if (!numbers.every(Number.isFinite)) fail('value', `${where} has a number that is too large`);
  return numbers;
}

/** rank x vertexCount x channels; short numbers are relative to the component's scale */
function decodeBasis(source: PrimitiveExtension, rank: number, channels: number): Float32Array {
  const stride = source.vertexCount * channels;
  const count = rank * stride;
  const values = floatsField(source, 'basis', 'VEC4', FLOATS_OR_SHORTS, Math.ceil(count / LIGHT_ELEMENT));
  const scales = hasField(source, 'scales') ? floatsField(source, 'scales', 'SCALAR', FLOATS, rank) : undefined;
  source.budget(4 * count);
  const basis = new Float32Array(count);
  for (let c = 0; c < count; c++) {
    basis[c] = (scales ? scales[Math.floor(c / stride)] : 1) * values[c];
    if (!Number.isFinite(basis[c])) fail('value', `${source.where}: basis has a number that is too large`);
  }
  return basis;
}

/** vertexCount x 3, without alpha */
function decodeColors(source: PrimitiveExtension): Float32Array {
  const { vertexCount } = source;
  const type = source.arrays.colors?.type === 'VEC4' ? 'VEC4' : 'VEC3';
  const values = floatsField(source, 'colors', type, COLOR_TYPES, vertexCount);
  source.budget(12 * vertexCount);
  const size = TYPE_SIZE[type];
  return Float32Array.from({ length: 3 * vertexCount }, (_, c) => values[size * Math.floor(c / 3) + (c % 3)]);
}

/** A track per animation; it is empty if the extension has none for it. */
function decodeTracks(
  source: PrimitiveExtension,
  fields: JsonObject,
  rank: number,
  animationNames: readonly string[],
): LightTrack[] {
  const { where, budget } = source;
  const keyCount = countField(source, 'times');
  const times = floatsField(source, 'times', 'SCALAR', FLOATS, keyCount);
  const values = floatsField(source, 'values', 'SCALAR', FLOATS_OR_SHORTS, rank * keyCount);
  budget(8 * times.length + 4 * values.length);
  const tracks = animationNames.map(
    (name): LightTrack => ({ name, times: new Float64Array(0), values: new Float32Array(0) }),
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
    if (animation >= tracks.length)
      fail('index', `${where}: tracks[${n}] is of animation ${animation}, and the file has ${tracks.length}`);
    if (seen.has(animation)) fail('index', `${where}: two tracks are of animation ${animation}`);
    seen.add(animation);
    const own = Float64Array.from(times.subarray(at, at + keys));
    if (own.some((time, k) => k > 0 && time <= own[k - 1]))
      fail('value', `${where}: the times of animation ${animation} do not rise`);
    tracks[animation] = {
      name: animationNames[animation],
      times: own,
      values: values.slice(at * rank, (at + keys) * rank),
    };
    at += keys;
  }
  return tracks;
}
