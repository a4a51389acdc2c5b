// SPDX-License-Identifier: MIT
// OSSIFY_skin_correction in a document: added by writers, read for the bones of a rig.
import type { Accessor, Document, TypedArray } from '@gltf-transform/core';
import { keyTimesOf } from '../../../core/keyframes/make-joint-motions.ts';
import { joinArrays } from '../../../core/math/join-arrays.ts';
import { determinant3, transformDirections } from '../../../core/math/mat4.ts';
import type { CorrectionTrack, SkinCorrection } from '../../../core/model/deformed/skin-correction.ts';
import {
  CORRECTION_EXTENSION,
  CORRECTION_EXTENSION_VERSION,
  CORRECTION_FIELDS,
  decodeSkinCorrection,
  type PackedComponents,
  packCoefficients,
  packComponents,
} from '../../../deformers/corrections/index.ts';
import { fail } from '../../../deformers/layout/index.ts';
import { decodeGltfPieces, type RiggedPieces } from '../codecs/decode-gltf-pieces.ts';
import { addAccessor } from '../document/add-accessor.ts';
import { animationNamesOf } from '../document/gltf-graph.ts';
import type { GltfPiece } from '../document/pieces/list-gltf-pieces.ts';
import { addGltfKeys } from '../write/add-gltf-animation.ts';
import type { GltfShape } from '../write/place-gltf-shapes.ts';
import { makeArraysExtension } from './gltf-arrays-extension.ts';

export const GltfCorrectionExtension = makeArraysExtension(CORRECTION_EXTENSION, 'SkinCorrection', CORRECTION_FIELDS);

/**
 * Adds a correction to shapes as OSSIFY_skin_correction. Its tracks must be in the order of the animations. Primitives share the accessors of the
 * coefficients. Changed in place.
 */
export function addGltfCorrection(
  document: Document,
  shapes: readonly GltfShape[],
  correction: SkinCorrection,
  quantize: boolean,
): void {
  const { rank, normalRank, normals, tracks } = correction;
  if (rank === 0) return;
  const extension = document.createExtension(GltfCorrectionExtension);
  const accessorOf = (size: number, values: TypedArray): Accessor =>
    addAccessor(document, size, values, values instanceof Int16Array);
  holdAnimations(document, shapes, correction);
  const times = accessorOf(
    1,
    joinTracks(tracks, (track) => keyTimesOf(track.times, track.name)),
  );
  const values = accessorOf(
    1,
    packCoefficients(
      joinTracks(tracks, (track) => track.values),
      quantize,
    ),
  );
  const normalValues =
    normalRank > 0 &&
    accessorOf(
      1,
      packCoefficients(
        joinTracks(tracks, (track) => track.normalValues),
        quantize,
      ),
    );
  const facts = {
    version: CORRECTION_EXTENSION_VERSION,
    rank,
    tracks: tracks.map((track, n) => ({ animation: n, keys: track.times.length })),
    ...(normals ? { normalRule: normals.rule, ...(normalRank > 0 ? { normalRank } : {}) } : {}),
  };
  for (const { primitive, vertexStart, vertexCount } of shapes.flatMap(({ pieces }) => pieces)) {
    const property = extension.createArrays().setFacts(facts);
    const put = (prefix: string, packed: PackedComponents): void => {
      property.setAccessor(prefix ? `${prefix}Basis` : 'basis', accessorOf(3, packed.values));
      if (packed.scales) property.setAccessor(prefix ? `${prefix}Scales` : 'scales', accessorOf(1, packed.scales));
    };
    put('', packComponents(correction.basis, rank, vertexStart, vertexCount, quantize));
    if (normals) put('normal', packComponents(normals.basis, normalRank || rank, vertexStart, vertexCount, quantize));
    property.setAccessor('times', times).setAccessor('values', values);
    if (normalValues) property.setAccessor('normalValues', normalValues);
    primitive.setExtension(CORRECTION_EXTENSION, property);
  }
}

/** Adds a constant channel to every animation in which no bone moves: animations without channels are not written. */
function holdAnimations(document: Document, shapes: readonly GltfShape[], { tracks }: SkinCorrection): void {
  const joint = shapes[0].node.getSkin()?.listJoints()[0];
  for (const [n, animation] of document.getRoot().listAnimations().entries()) {
    if (animation.listChannels().length > 0 || !joint || !tracks[n]) continue;
    const times = keyTimesOf(tracks[n].times, tracks[n].name);
    const still = new Float32Array(3 * times.length);
    for (let k = 0; k < times.length; k++) still.set(joint.getTranslation(), 3 * k);
    addGltfKeys(document, animation, [joint], 'translation', times, still);
  }
}

/** Concatenates numbers of all tracks. */
function joinTracks(
  tracks: readonly CorrectionTrack[],
  numbersOf: (track: CorrectionTrack) => Float32Array,
): Float32Array<ArrayBuffer> {
  return joinArrays([new Float32Array(0), ...tracks.map(numbersOf)]) as Float32Array<ArrayBuffer>;
}

/** Fields that all pieces must share. */
const SHARED = ['times', 'values', 'normalValues'];

/** Reads OSSIFY_skin_correction of all pieces into one correction of the asset's mesh; pieces without it are not corrected. */
export function readGltfCorrection(rigged: RiggedPieces): SkinCorrection | undefined {
  const { document, pieces, restMatrices, mesh, budget } = rigged;
  const names = animationNamesOf(document);
  const decoded = decodeGltfPieces(rigged, CORRECTION_EXTENSION, (source, _, property) => ({
    ...decodeSkinCorrection(source, names),
    shared: SHARED.map((name) => property.getAccessor(name)),
  }));
  if (decoded.size === 0) return undefined;
  const [first] = decoded.values();
  const { rank, normalRank, tracks } = first;
  for (const one of decoded.values()) {
    const isAlike =
      one.rank === rank &&
      one.normalRank === normalRank &&
      one.normals?.rule === first.normals?.rule &&
      one.shared.every((accessor, n) => accessor === first.shared[n]);
    if (!isAlike)
      fail(
        'unsupported',
        `the primitives have different coefficients of ${CORRECTION_EXTENSION}; one set for all is read`,
      );
  }
  const size = mesh.positions.length;
  const normalCount = first.normals ? normalRank || rank : 0;
  budget(4 * size * (rank + normalCount));
  const basis = new Float32Array(rank * size);
  const normalBasis = new Float32Array(normalCount * size);
  for (const [p, own] of decoded) {
    const m = restMatrices[p];
    turnInto(own.basis, rank, pieces[p], m, basis);
    const scale = Math.cbrt(Math.abs(determinant3(m))) || 1;
    const turn = m.map((x) => x / scale);
    if (own.normals) turnInto(own.normals.basis, normalCount, pieces[p], turn, normalBasis);
  }
  const normals = first.normals && { rule: first.normals.rule, basis: normalBasis };
  return { rank, basis, normalRank, ...(normals ? { normals } : {}), tracks };
}

/** Transforms the components of a piece to the space of the mesh, by the 3x3 part of a matrix. */
function turnInto(
  from: Float32Array,
  rank: number,
  { vertexStart, vertexCount }: GltfPiece,
  m: Float64Array,
  basis: Float32Array,
): void {
  const stride = basis.length / rank;
  for (let r = 0; r < rank; r++) {
    const [own, start] = [r * 3 * vertexCount, r * stride + 3 * vertexStart];
    transformDirections(m, from, basis, own, start, vertexCount);
  }
}
