// SPDX-License-Identifier: MIT
import type { GLTF } from '@gltf-transform/core';
import {
  CORRECTION_EXTENSION,
  CORRECTION_EXTENSION_VERSION,
  unpackComponentsInto,
} from '../extension/skin-correction.ts';
import { determinant3, transformDirection } from '../math/mat4.ts';
import type { Mesh } from '../model/mesh.ts';
import { type CorrectionTrack, NORMAL_RULES, type NormalRule, type SkinCorrection } from '../model/skin-correction.ts';
import { checkDecodedBytes } from './check-gltf.ts';
import { choiceField, fail, integerField, type JsonObject, listField, objectField } from './gltf-fields.ts';
import type { GltfPiece } from './list-gltf-pieces.ts';
import type { GltfAccessors } from './make-gltf-accessors.ts';
import { countOf, FLOAT, makeAccessorField, NUMBERS } from './read-gltf-direct-delta-mush.ts';
import { labelOf } from './read-gltf-geometry.ts';

/** The extension of one piece, checked but for the values inside its buffers. */
interface FoundCorrection {
  piece: number;
  where: string;
  rank: number;
  normalRank: number;
  rule?: NormalRule;
  tracks: { animation: number; keys: number }[];
  /** Accessor indices. */
  accessors: Record<'basis' | 'times' | 'values', number> &
    Partial<Record<'scales' | 'normalBasis' | 'normalScales' | 'normalValues', number>>;
}

/**
 * Reads the corrections of all pieces into one of the asset's mesh; a piece without is not corrected. Versions of the future are left alone, with a
 * note: there is a plain skin beside them.
 * @param byteLength of the file: a basis for very many small pieces must not grow without end
 */
export function readGltfCorrection(
  json: GLTF.IGLTF,
  pieces: GltfPiece[],
  restMatrices: readonly Float64Array[],
  accessors: GltfAccessors,
  mesh: Mesh,
  byteLength: number,
  log?: (message: string) => void,
): SkinCorrection | undefined {
  const found = listFound(json, pieces, log);
  if (found.length === 0) return undefined;
  const [first] = found;
  for (const one of found) {
    const isAlike =
      one.rank === first.rank &&
      one.normalRank === first.normalRank &&
      one.rule === first.rule &&
      (['times', 'values', 'normalValues'] as const).every((name) => one.accessors[name] === first.accessors[name]);
    if (!isAlike)
      fail(
        'unsupported',
        `the primitives have different coefficients of ${CORRECTION_EXTENSION}; one set for all is read`,
      );
  }
  const { rank, normalRank, rule } = first;
  const size = mesh.positions.length;
  const normalCount = rule ? normalRank || rank : 0;
  checkDecodedBytes(4 * size * (rank + normalCount), byteLength);
  const basis = new Float32Array(rank * size);
  const normalBasis = new Float32Array(normalCount * size);
  for (const { piece, where, accessors: own } of found) {
    const { vertexStart, vertexCount } = pieces[piece];
    const m = restMatrices[piece];
    const floats = (index: number | undefined, what: string): Float32Array | undefined => {
      if (index === undefined) return undefined;
      const values = accessors.floats(index);
      if (!values.every(Number.isFinite)) fail('value', `${where}: ${what} holds a number that is not finite`);
      return values;
    };
    unpackComponentsInto(floats(own.basis, 'basis')!, floats(own.scales, 'scales'), rank, basis, vertexStart);
    turnInto(basis, rank, vertexStart, vertexCount, m);
    if (own.normalBasis === undefined) continue;
    const scale = Math.cbrt(Math.abs(determinant3(m))) || 1;
    const scales = floats(own.normalScales, 'normalScales');
    unpackComponentsInto(floats(own.normalBasis, 'normalBasis')!, scales, normalCount, normalBasis, vertexStart);
    turnInto(
      normalBasis,
      normalCount,
      vertexStart,
      vertexCount,
      m.map((x) => x / scale),
    );
  }
  return {
    rank,
    basis,
    normalRank,
    ...(rule ? { normals: { rule, basis: normalBasis } } : {}),
    tracks: readTracks(json, first, accessors),
  };
}

function listFound(json: GLTF.IGLTF, pieces: GltfPiece[], log?: (message: string) => void): FoundCorrection[] {
  const found: FoundCorrection[] = [];
  const versions = new Set<number>();
  pieces.forEach((piece, p) => {
    const value = json.meshes![piece.mesh].primitives[piece.primitive].extensions?.[CORRECTION_EXTENSION];
    if (value === undefined || piece.skin === undefined) return;
    const where = `${CORRECTION_EXTENSION} of mesh ${labelOf(json, piece)}`;
    const def = objectField(value, where);
    const version = integerField(def.version, `${where}: version`, 1);
    if (version === CORRECTION_EXTENSION_VERSION) found.push(readFound(json, piece, p, def, where));
    else versions.add(version);
  });
  for (const version of versions)
    log?.(`${CORRECTION_EXTENSION} of version ${version} is not read; the plain skin is used`);
  return found;
}

function readFound(json: GLTF.IGLTF, piece: GltfPiece, p: number, def: JsonObject, where: string): FoundCorrection {
  const rank = integerField(def.rank, `${where}: rank`, 1);
  const normalRank = def.normalRank === undefined ? 0 : integerField(def.normalRank, `${where}: normalRank`, 1);
  if (def.normalRule !== undefined) choiceField(def.normalRule, NORMAL_RULES, `${where}: normalRule`);
  else if (normalRank > 0) fail('syntax', `${where}: normalRank is said, and normalRule is not`);
  const rule = def.normalRule as NormalRule | undefined;
  const keyCount = countOf(json, def.times, `${where}: times`);
  const tracks = listField(def, 'tracks').map((track, n) => ({
    animation: integerField(track.animation, `${where}: tracks[${n}].animation`),
    keys: integerField(track.keys, `${where}: tracks[${n}].keys`),
  }));
  const animationCount = json.animations?.length ?? 0;
  const seen = new Set<number>();
  for (const { animation } of tracks) {
    if (animation >= animationCount || seen.has(animation))
      fail(
        'index',
        `${where}: a track is of animation ${animation}, which the file does not have or another track is of`,
      );
    seen.add(animation);
  }
  if (tracks.reduce((sum, { keys }) => sum + keys, 0) !== keyCount)
    fail('mismatch', `${where}: the keys of its tracks are not the ${keyCount} times`);
  const accessor = makeAccessorField(json, def, where);
  const optional = (name: string, type: string, components: number[], count: number): number | undefined =>
    def[name] === undefined ? undefined : accessor(name, type, components, count);
  const normalCount = normalRank || rank;
  return {
    piece: p,
    where,
    rank,
    normalRank,
    rule,
    tracks,
    accessors: {
      basis: accessor('basis', 'VEC3', NUMBERS, rank * piece.vertexCount),
      scales: optional('scales', 'SCALAR', FLOAT, rank),
      times: accessor('times', 'SCALAR', FLOAT, keyCount),
      values: accessor('values', 'SCALAR', NUMBERS, rank * keyCount),
      ...(rule
        ? {
            normalBasis: accessor('normalBasis', 'VEC3', NUMBERS, normalCount * piece.vertexCount),
            normalScales: optional('normalScales', 'SCALAR', FLOAT, normalCount),
          }
        : {}),
      ...(normalRank > 0 ? { normalValues: accessor('normalValues', 'SCALAR', NUMBERS, normalRank * keyCount) } : {}),
    },
  };
}

/** A track per animation of the file; without keys where it has none. */
function readTracks(json: GLTF.IGLTF, found: FoundCorrection, accessors: GltfAccessors): CorrectionTrack[] {
  const { rank, normalRank, where } = found;
  const times = accessors.floats(found.accessors.times);
  const values = accessors.floats(found.accessors.values);
  const { normalValues: normalIndex } = found.accessors;
  const normalValues = normalIndex === undefined ? new Float32Array(0) : accessors.floats(normalIndex);
  if (!values.every(Number.isFinite) || !normalValues.every(Number.isFinite))
    fail('value', `${where}: a coefficient is not finite`);
  const tracks = (json.animations ?? []).map(
    ({ name }, n): CorrectionTrack => ({
      name: name || `animation ${n}`,
      times: new Float64Array(0),
      values: new Float32Array(0),
      normalValues: new Float32Array(0),
    }),
  );
  let at = 0;
  for (const { animation, keys } of found.tracks) {
    const own = Float64Array.from(times.subarray(at, at + keys));
    for (let k = 0; k < keys; k++)
      if (!Number.isFinite(own[k]) || (k > 0 && own[k] <= own[k - 1]))
        fail('value', `${where}: the times of animation ${animation} do not rise`);
    tracks[animation] = {
      ...tracks[animation],
      times: own,
      values: values.slice(at * rank, (at + keys) * rank),
      normalValues: normalValues.slice(at * normalRank, (at + keys) * normalRank),
    };
    at += keys;
  }
  return tracks;
}

/** Turns the components of some vertices by the 3x3 part of a matrix, in place. */
function turnInto(basis: Float32Array, rank: number, vertexStart: number, vertexCount: number, m: Float64Array): void {
  const stride = basis.length / rank;
  for (let r = 0; r < rank; r++) {
    const from = r * stride + 3 * vertexStart;
    for (let c = from; c < from + 3 * vertexCount; c += 3) transformDirection(m, basis, basis, 0, c, c);
  }
}
