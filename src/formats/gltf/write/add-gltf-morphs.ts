// SPDX-License-Identifier: MIT

import type { Document } from '@gltf-transform/core';
import { keyTimesOf } from '../../../core/keyframes/make-joint-motions.ts';
import type { Motion } from '../../../core/model/clip/motion.ts';
import type { SkinnedMorphs } from '../../../core/model/deformed/morphs.ts';
import { addAccessor } from '../document/add-accessor.ts';
import { addGltfKeys } from './add-gltf-animation.ts';
import type { GltfShape } from './place-gltf-shapes.ts';

/** Adds morph targets to skinned shapes, stored sparsely, and their weights to the animations of the motions. Changed in place. */
export function addGltfMorphs(
  document: Document,
  shapes: GltfShape[],
  { morphs, weights }: SkinnedMorphs,
  motions: Motion[],
): void {
  const root = document.getRoot();
  for (const { primitive, vertexStart, vertexCount } of shapes.flatMap((shape) => shape.pieces)) {
    for (const target of morphs.targets) {
      const deltas = new Float32Array(3 * vertexCount);
      const from = Math.max(vertexStart, target.vertexStart);
      const to = Math.min(vertexStart + vertexCount, target.vertexStart + target.vertexCount);
      if (to > from) {
        const shown = target.positions.subarray(3 * (from - target.vertexStart), 3 * (to - target.vertexStart));
        deltas.set(shown, 3 * (from - vertexStart));
      }
      const accessor = addAccessor(document, 3, deltas).setSparse(isSparse(deltas));
      primitive.addTarget(document.createPrimitiveTarget(target.name).setAttribute('POSITION', accessor));
    }
  }
  for (const { mesh } of shapes) {
    mesh.setWeights(morphs.targets.map(() => 0));
    mesh.setExtras({ ...mesh.getExtras(), targetNames: morphs.targets.map(({ name }) => name) });
  }
  motions.forEach(({ name, times }, n) => {
    const animation = root.listAnimations().find((known) => known.getName() === name) ?? document.createAnimation(name);
    const nodes = shapes.map(({ node }) => node);
    addGltfKeys(document, animation, nodes, 'weights', keyTimesOf(times, name), weights[n].slice());
  });
}

/** Whether indices and values of the vertices that move take fewer bytes than all values. A sparse accessor cannot be empty. */
function isSparse(deltas: Float32Array): boolean {
  let moved = 0;
  for (let c = 0; c < deltas.length; c += 3) {
    if (deltas[c] !== 0 || deltas[c + 1] !== 0 || deltas[c + 2] !== 0) moved++;
  }
  return moved > 0 && moved * 16 < deltas.length * 4;
}
