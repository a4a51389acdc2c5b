// SPDX-License-Identifier: MIT
// OSSIFY_skin_light in a document: added by writers, read for the bones of a rig.
import type { Accessor, Document, Material, Primitive } from '@gltf-transform/core';
import { KHRMaterialsUnlit } from '@gltf-transform/extensions';
import { keyTimesOf } from '../../../core/keyframes/make-joint-motions.ts';
import { joinArrays } from '../../../core/math/join-arrays.ts';
import {
  checkSkinLight,
  lightColorsOf,
  lightWidthOf,
  meanLightOf,
  needsNormals,
  type SkinLight,
} from '../../../core/model/deformed/skin-light.ts';
import { InputError } from '../../../core/model/errors.ts';
import { packCoefficients } from '../../../deformers/corrections/index.ts';
import { fail } from '../../../deformers/layout/index.ts';
import {
  decodeSkinLight,
  LIGHT_ELEMENT,
  LIGHT_EXTENSION,
  LIGHT_EXTENSION_VERSION,
  LIGHT_FIELDS,
  packLightBasis,
  packUnshadowedLight,
} from '../../../deformers/light/index.ts';
import { decodeGltfPieces, type RiggedPieces } from '../codecs/decode-gltf-pieces.ts';
import { addAccessor, disposeUnused } from '../document/add-accessor.ts';
import { animationNamesOf } from '../document/gltf-graph.ts';
import { type GltfPiece, vertexCountOfPieces } from '../document/pieces/list-gltf-pieces.ts';
import { floatsOf } from '../document/read-accessor.ts';
import { listOwnPrimitives } from '../write/put-gltf-shape.ts';
import { type GltfArrays, makeArraysExtension } from './gltf-arrays-extension.ts';

export const GltfLightExtension = makeArraysExtension(LIGHT_EXTENSION, 'SkinLight', LIGHT_FIELDS);

/**
 * Adds a light to pieces as OSSIFY_skin_light, and its mean over time times the vertex colours as COLOR_0, which other viewers show. A light that the file has is
 * replaced. Materials under transfer and prelit light become unlit, since the light is in the colours. A light without tracks and with means is stored as COLOR_0 alone.
 * Changed in place.
 */
export function addGltfLight(
  document: Document,
  pieces: readonly GltfPiece[],
  light: SkinLight,
  quantize: boolean,
): void {
  checkSkinLight(light, vertexCountOfPieces(pieces));
  checkRelative(light, pieces);
  const { kind, rank, basis, mean, tracks } = light;
  const isStill = tracks.length === 0 && mean !== undefined;
  const channels = lightWidthOf(light);
  const extension = isStill ? undefined : document.createExtension(GltfLightExtension);
  const shared = extension && addTracks(document, light, quantize);
  const facts = factsOf(light);
  const lists = pieces.map(({ vertexStart, vertexCount }) => {
    const packed = packLightBasis(basis, rank, vertexStart * channels, vertexCount * channels, quantize);
    return { ...packed, means: meanColorsOf(light, vertexStart, vertexCount) };
  });
  const replaced = new Set<Accessor>();
  const primitives = listOwnPrimitives(
    document,
    pieces,
    lists.map(({ means, values }) => [means, Float32Array.from(values)]),
  );
  for (const [p, primitive] of primitives.entries()) {
    if (primitives.indexOf(primitive) < p) continue;
    const own = removeLight(primitive, replaced);
    const { scales, means, values } = lists[p];
    primitive.setAttribute('COLOR_0', addColors(document, means, own));
    if (!extension || !shared) continue;
    const property = extension
      .createArrays()
      .setFacts(facts)
      .setAccessor('basis', addAccessor(document, LIGHT_ELEMENT, values, scales !== undefined))
      .setAccessor('scales', scales ? addAccessor(document, 1, scales) : null)
      .setAccessor('times', shared.times)
      .setAccessor('values', shared.values)
      .setAccessor('colors', own);
    primitive.setExtension(LIGHT_EXTENSION, property);
  }
  if (kind !== 'occlusion') makeUnlit(document, primitives);
  disposeUnused(document, replaced);
}

/** Throws if a light that depends on normals lacks its means, or the file its normals. */
function checkRelative(light: SkinLight, pieces: readonly GltfPiece[]): void {
  if (!needsNormals(light)) return;
  if (!light.mean) throw new InputError('writeGlb', 'the light has no mean colours; compute it with light');
  if (pieces.some(({ primitive }) => !primitive.getAttribute('NORMAL')))
    throw new InputError('writeGlb', 'the light depends on normals and the file has none; write normals first');
}

/** Adds the times and coefficients of all tracks, which primitives share. */
function addTracks(document: Document, { tracks }: SkinLight, quantize: boolean): Record<'times' | 'values', Accessor> {
  const none = new Float32Array(0);
  const times = joinArrays([none, ...tracks.map((track) => keyTimesOf(track.times, track.name))]);
  const values = joinArrays([none, ...tracks.map((track) => track.values)]) as Float32Array;
  return {
    times: addAccessor(document, 1, times as Float32Array<ArrayBuffer>),
    values: addAccessor(document, 1, packCoefficients(values, quantize), quantize),
  };
}

/** The JSON of the extension without its accessors. */
function factsOf(light: SkinLight): Record<string, unknown> {
  const { kind, rank, environment, tracks } = light;
  return {
    ...{ version: needsNormals(light) ? LIGHT_EXTENSION_VERSION : 1, kind, rank, ...packUnshadowedLight(light) },
    tracks: tracks.map(({ times }, n) => ({ animation: n, keys: times.length })).filter(({ keys }) => keys > 0),
    ...(environment ? { environment: Array.from(environment) } : {}),
  };
}

/**
 * Removes the light that a primitive has. Returns its vertex colours without light, if it has any.
 * @param replaced gets the accessors that the primitive used for it
 */
function removeLight(primitive: Primitive, replaced: Set<Accessor>): Accessor | null {
  const before = primitive.getExtension<GltfArrays>(LIGHT_EXTENSION);
  const plain = primitive.getAttribute('COLOR_0');
  const own = before ? before.getAccessor('colors') : plain;
  for (const [, accessor] of before?.listFields() ?? []) replaced.add(accessor);
  if (plain) replaced.add(plain);
  before?.dispose();
  return own;
}

/** vertexCount x 3: the mean light of some vertices */
function meanColorsOf(light: SkinLight, vertexStart: number, vertexCount: number): Float32Array {
  const { rank, basis, mean: known } = light;
  if (known) return known.slice(3 * vertexStart, 3 * (vertexStart + vertexCount));
  const channels = lightWidthOf(light);
  const stride = basis.length / rank;
  const mean = meanLightOf(light);
  const tints = lightColorsOf(light);
  const out = new Float32Array(3 * vertexCount);
  for (let i = 0; i < vertexCount; i++)
    for (let c = 0; c < 3; c++) {
      let sum = 0;
      for (let r = 0; r < rank; r++)
        for (let n = 0; n < channels; n++)
          sum += mean[r] * basis[r * stride + (vertexStart + i) * channels + n] * tints[3 * n + c];
      out[3 * i + c] = sum;
    }
  return out;
}

/** Vertex colours times the mean light, in the range of glTF; alpha is kept. */
function addColors(document: Document, means: Float32Array, own: Accessor | null): Accessor {
  const size = own?.getElementSize() ?? 3;
  const base = own && floatsOf(own);
  const colors = new Float32Array((means.length / 3) * size);
  for (let c = 0; c < colors.length; c++) {
    const channel = c % size;
    const factor = channel < 3 ? means[3 * Math.floor(c / size) + channel] : 1;
    colors[c] = Math.min(1, Math.max(0, factor * (base ? base[c] : 1)));
  }
  return addAccessor(document, size, colors);
}

function makeUnlit(document: Document, primitives: readonly Primitive[]): void {
  const extension = document.createExtension(KHRMaterialsUnlit);
  let added: Material | undefined;
  for (const primitive of primitives) {
    let material = primitive.getMaterial();
    if (!material) {
      added ??= document.createMaterial('light');
      material = added;
      primitive.setMaterial(material);
    }
    if (!material.getExtension('KHR_materials_unlit'))
      material.setExtension('KHR_materials_unlit', extension.createUnlit());
  }
}

/** Fields that all pieces must share. */
const SHARED = ['times', 'values'];

/** Reads OSSIFY_skin_light of all pieces into one light of the asset's mesh. If a piece has none, the light is ignored, with a warning. */
export function readGltfLight(rigged: RiggedPieces): SkinLight | undefined {
  const { document, pieces, mesh, budget, log } = rigged;
  const names = animationNamesOf(document);
  const decoded = decodeGltfPieces(
    rigged,
    LIGHT_EXTENSION,
    (source, _, property) => ({
      ...decodeSkinLight(source, names),
      shared: SHARED.map((name) => property.getAccessor(name)),
    }),
    false,
  );
  if (decoded.size === 0) return undefined;
  if (decoded.size < pieces.length) {
    log?.(`only ${decoded.size} of ${pieces.length} primitives have ${LIGHT_EXTENSION}; it is ignored`);
    return undefined;
  }
  const [first] = decoded.values();
  const { kind, rank, environment, tracks, shared, terms, unshadowed } = first;
  for (const one of decoded.values()) {
    if (one.kind !== kind || one.rank !== rank || one.shared.some((accessor, n) => accessor !== shared[n]))
      fail('unsupported', `the primitives have different coefficients of ${LIGHT_EXTENSION}; one set for all is read`);
    if (!isEqual(one.terms, terms) || !isEqual(one.unshadowed, unshadowed))
      fail('unsupported', `the primitives have different unshadowed light in ${LIGHT_EXTENSION}; one for all is read`);
  }
  if (needsNormals(first) && !mesh.normals)
    fail('mismatch', `${LIGHT_EXTENSION} depends on normals, and the mesh has none`);
  const vertexCount = mesh.positions.length / 3;
  const channels = lightWidthOf(first);
  const hasColors = [...decoded.values()].some(({ colors }) => colors);
  budget(4 * vertexCount * (rank * channels + (hasColors ? 3 : 0)));
  const basis = new Float32Array(rank * vertexCount * channels);
  const colors = hasColors ? new Float32Array(3 * vertexCount).fill(1) : undefined;
  for (const [p, own] of decoded) {
    const { vertexStart, vertexCount: count } = pieces[p];
    for (let r = 0; r < rank; r++) {
      const row = own.basis.subarray(r * count * channels, (r + 1) * count * channels);
      basis.set(row, (r * vertexCount + vertexStart) * channels);
    }
    if (own.colors) colors?.set(own.colors, 3 * vertexStart);
  }
  return {
    ...{ kind, rank, basis },
    ...(terms ? { terms } : {}),
    ...(unshadowed ? { unshadowed } : {}),
    ...(environment ? { environment } : {}),
    ...(colors ? { colors } : {}),
    tracks,
  };
}

function isEqual(a: Float32Array | undefined, b: Float32Array | undefined): boolean {
  return a === b || (a !== undefined && b?.length === a.length && a.every((x, n) => x === b[n]));
}
