// SPDX-License-Identifier: MIT

import type { Accessor, Document, TypedArray } from '@gltf-transform/core';
import {
  CORRECTION_EXTENSION,
  CORRECTION_EXTENSION_VERSION,
  type PackedComponents,
  packCoefficients,
  packComponents,
} from '../extension/pack-skin-correction.ts';
import { keyTimesOf } from '../keys/make-joint-motions.ts';
import { joinArrays } from '../math/join-arrays.ts';
import { InputError } from '../model/errors.ts';
import type { CorrectionTrack, SkinCorrection } from '../model/skin-correction.ts';
import { addAccessor } from './add-accessor.ts';
import { addGltfKeys } from './add-gltf-animation.ts';
import { GltfCorrectionExtension } from './gltf-primitive-extensions.ts';
import type { GltfShape } from './place-gltf-shapes.ts';

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

/**
 * Adds a correction as morph targets with animated weights, which every player supports: glTF applies them at rest, before the skin. Normals must have no
 * coefficients of their own, because a target has only one weight. Changed in place.
 */
export function addGltfCorrectionMorphs(
  document: Document,
  shapes: readonly GltfShape[],
  correction: SkinCorrection,
): void {
  const { rank, normalRank, normals, basis, tracks } = correction;
  if (rank === 0) return;
  if (normalRank > 0)
    throw new InputError(
      'writeGlb',
      'normals of morph targets share the weights of positions; correct them with shared ones',
    );
  for (const { mesh, pieces } of shapes) {
    for (const { primitive, vertexStart, vertexCount } of pieces) {
      const { values } = packComponents(basis, rank, vertexStart, vertexCount);
      const turned = normals && primitive.getAttribute('NORMAL');
      const own = turned && packComponents(normals.basis, rank, vertexStart, vertexCount).values;
      const length = 3 * vertexCount;
      for (let r = 0; r < rank; r++) {
        const target = document.createPrimitiveTarget(`correction ${r}`);
        target.setAttribute('POSITION', addAccessor(document, 3, values.slice(r * length, (r + 1) * length)));
        if (own) target.setAttribute('NORMAL', addAccessor(document, 3, own.slice(r * length, (r + 1) * length)));
        primitive.addTarget(target);
      }
    }
    mesh.setWeights(new Array<number>(rank).fill(0));
    mesh.setExtras({ ...mesh.getExtras(), targetNames: Array.from({ length: rank }, (_, r) => `correction ${r}`) });
  }
  const animations = document.getRoot().listAnimations();
  const nodes = shapes.map(({ node }) => node);
  tracks.forEach((track, n) => {
    const times = keyTimesOf(track.times, track.name);
    addGltfKeys(document, animations[n], nodes, 'weights', times, Float32Array.from(track.values));
  });
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
