// SPDX-License-Identifier: MIT

import type { Document, TypedArray } from '@gltf-transform/core';
import { keyTimesOf } from '../../../core/keyframes/make-joint-motions.ts';
import { joinArrays } from '../../../core/math/join-arrays.ts';
import type { DrivenShapes } from '../../../core/model/deformed/shape-drivers.ts';
import { packShapeDrivers, SHAPE_EXTENSION, SHAPE_EXTENSION_VERSION } from '../../../deformers/shape-drivers/index.ts';
import { addAccessor } from '../document/add-accessor.ts';
import type { GltfShape } from '../write/place-gltf-shapes.ts';
import { GltfShapeExtension } from './gltf-primitive-extensions.ts';

/**
 * Adds drivers to skinned shapes as OSSIFY_shape_drivers, and the weights of the shapes in the animations, by name. Primitives share the accessors. The bones
 * of the drivers are the joints of the skin, in order. Changed in place.
 */
export function addGltfShapeDrivers(
  document: Document,
  shapes: readonly GltfShape[],
  { drivers, tracks }: DrivenShapes,
): void {
  const extension = document.createExtension(GltfShapeExtension);
  const packed = packShapeDrivers(drivers);
  const names = document
    .getRoot()
    .listAnimations()
    .map((animation) => animation.getName());
  const played = tracks.filter(({ name, times }) => names.includes(name) && times.length > 0);
  const facts = {
    version: SHAPE_EXTENSION_VERSION,
    form: drivers.form,
    shapes: drivers.shapes,
    ...(played.length > 0
      ? { tracks: played.map(({ name, times }) => ({ animation: names.indexOf(name), keys: times.length })) }
      : {}),
  };
  const arrays: Record<string, TypedArray> = { ...packed };
  if (played.length > 0) {
    arrays.times = joinArrays(played.map((track) => keyTimesOf(track.times, track.name))) as Float32Array<ArrayBuffer>;
    arrays.weights = joinArrays(played.map(({ weights }) => weights)) as Float32Array<ArrayBuffer>;
  }
  const accessors = Object.entries(arrays)
    .filter(([, values]) => values.length > 0)
    .map(([name, values]) => [name, addAccessor(document, 1, values)] as const);
  for (const { primitive } of shapes.flatMap(({ pieces }) => pieces)) {
    const property = extension.createArrays().setFacts(facts);
    for (const [name, accessor] of accessors) property.setAccessor(name, accessor);
    primitive.setExtension(SHAPE_EXTENSION, property);
  }
}
