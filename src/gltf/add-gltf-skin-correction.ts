// SPDX-License-Identifier: MIT

import type { Accessor, Document, TypedArray } from '@gltf-transform/core';
import {
  CORRECTION_EXTENSION,
  CORRECTION_EXTENSION_VERSION,
  type PackedComponents,
  packCoefficients,
  packComponents,
} from '../extension/skin-correction.ts';
import { InputError } from '../model/errors.ts';
import type { SkinCorrection } from '../model/skin-correction.ts';
import { keyTimesOf } from './add-gltf-animation.ts';
import { addAccessor } from './build-gltf-document.ts';
import { GltfSkinCorrectionExtension } from './gltf-skin-correction.ts';
import type { GltfShape } from './place-gltf-shapes.ts';

/**
 * Adds a correction to shapes whose animations are those of its tracks, in order, as OSSIFY_skin_correction. Primitives share the accessors of the
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
  const extension = document.createExtension(GltfSkinCorrectionExtension);
  const buffer = document.getRoot().listBuffers()[0];
  const accessorOf = (size: number, values: TypedArray): Accessor =>
    addAccessor(document, buffer, size, values).setNormalized(values instanceof Int16Array);
  holdAnimations(document, shapes, correction);
  const times = accessorOf(1, join(tracks.map((track) => keyTimesOf(track.times, track.name))));
  const values = accessorOf(1, packCoefficients(join(tracks.map((track) => track.values)), quantize));
  const normalValues =
    normalRank > 0 && accessorOf(1, packCoefficients(join(tracks.map((track) => track.normalValues)), quantize));
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
 * Adds a correction as morph targets with animated weights, which every player shows: glTF applies them at rest, before the skin. Normals must have no
 * coefficients of their own: a target has one weight for all that it moves. Changed in place.
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
  const buffer = document.getRoot().listBuffers()[0];
  for (const { mesh, pieces } of shapes) {
    for (const { primitive, vertexStart, vertexCount } of pieces) {
      const { values } = packComponents(basis, rank, vertexStart, vertexCount);
      const turned = normals && primitive.getAttribute('NORMAL');
      const own = turned && packComponents(normals.basis, rank, vertexStart, vertexCount).values;
      const length = 3 * vertexCount;
      for (let r = 0; r < rank; r++) {
        const target = document.createPrimitiveTarget(`correction ${r}`);
        target.setAttribute('POSITION', addAccessor(document, buffer, 3, values.slice(r * length, (r + 1) * length)));
        if (own)
          target.setAttribute('NORMAL', addAccessor(document, buffer, 3, own.slice(r * length, (r + 1) * length)));
        primitive.addTarget(target);
      }
    }
    mesh.setWeights(new Array<number>(rank).fill(0));
    mesh.setExtras({ ...mesh.getExtras(), targetNames: Array.from({ length: rank }, (_, r) => `correction ${r}`) });
  }
  const animations = document.getRoot().listAnimations();
  tracks.forEach((track, n) => {
    const sampler = document
      .createAnimationSampler()
      .setInterpolation('LINEAR')
      .setInput(addAccessor(document, buffer, 1, keyTimesOf(track.times, track.name) as Float32Array<ArrayBuffer>))
      .setOutput(addAccessor(document, buffer, 1, Float32Array.from(track.values)));
    const animation = animations[n].addSampler(sampler);
    for (const { node } of shapes)
      animation.addChannel(
        document.createAnimationChannel().setTargetNode(node).setTargetPath('weights').setSampler(sampler),
      );
  });
}

/** An animation in which no bone moves has no channel, and files leave it out: one that keeps a node where it is holds its place, and its length. */
function holdAnimations(document: Document, shapes: readonly GltfShape[], { tracks }: SkinCorrection): void {
  const buffer = document.getRoot().listBuffers()[0];
  const joint = shapes[0].node.getSkin()?.listJoints()[0];
  document
    .getRoot()
    .listAnimations()
    .forEach((animation, n) => {
      if (animation.listChannels().length > 0 || !joint || !tracks[n]) return;
      const times = keyTimesOf(tracks[n].times, tracks[n].name) as Float32Array<ArrayBuffer>;
      const still = new Float32Array(3 * times.length);
      for (let k = 0; k < times.length; k++) still.set(joint.getTranslation(), 3 * k);
      const sampler = document
        .createAnimationSampler()
        .setInput(addAccessor(document, buffer, 1, times))
        .setOutput(addAccessor(document, buffer, 3, still));
      animation
        .addSampler(sampler)
        .addChannel(
          document.createAnimationChannel().setTargetNode(joint).setTargetPath('translation').setSampler(sampler),
        );
    });
}

function join(parts: readonly Float32Array[]): Float32Array<ArrayBuffer> {
  const out = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
