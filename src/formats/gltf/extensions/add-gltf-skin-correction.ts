// SPDX-License-Identifier: MIT

import type { Accessor, Document, TypedArray } from '@gltf-transform/core';
import { keyTimesOf } from '../../../core/keyframes/make-joint-motions.ts';
import { joinArrays } from '../../../core/math/join-arrays.ts';
import type { CorrectionTrack, SkinCorrection } from '../../../core/model/deformed/skin-correction.ts';
import {
  CORRECTION_EXTENSION,
  CORRECTION_EXTENSION_VERSION,
  type PackedComponents,
  packCoefficients,
  packComponents,
} from '../../../deformers/corrections/index.ts';
import { addAccessor } from '../document/add-accessor.ts';
import { addGltfKeys } from '../write/add-gltf-animation.ts';
import type { GltfShape } from '../write/place-gltf-shapes.ts';
import { GltfCorrectionExtension } from './gltf-primitive-extensions.ts';

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
