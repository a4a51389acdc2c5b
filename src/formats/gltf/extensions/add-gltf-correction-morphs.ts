// SPDX-License-Identifier: MIT

import type { Document, Node } from '@gltf-transform/core';
import { keyTimesOf } from '../../../core/keyframes/make-joint-motions.ts';
import type { SkinCorrection } from '../../../core/model/deformed/skin-correction.ts';
import { InputError } from '../../../core/model/errors.ts';
import { fail } from '../../../deformers/layout/index.ts';
import { addAccessor } from '../document/add-accessor.ts';
import { attributeOf, skinOf } from '../document/gltf-graph.ts';
import { floatsOf } from '../document/read-accessor.ts';
import { addGltfKeys } from '../write/add-gltf-animation.ts';
import type { GltfShape } from '../write/place-gltf-shapes.ts';

/**
 * Adds a correction as morph targets with animated weights, which every player supports: glTF applies them at rest, before the skin. Weights are in
 * [0, 1], since Blender and other players clamp them to this range: the lowest coefficient of a component becomes weight 0, and its shape is added to
 * the positions and normals of the mesh. The default weights restore the rest shape. Normals must have no coefficients of their own, because a target
 * has only one weight. Changed in place.
 */
export function addGltfCorrectionMorphs(document: Document, shapes: GltfShape[], correction: SkinCorrection): void {
  const { rank, normalRank, normals, basis, tracks } = correction;
  if (rank === 0) return;
  if (normalRank > 0)
    throw new InputError(
      'writeGlb',
      'normals of morph targets share the weights of positions; correct them with shared ones',
    );
  const { lows, spans } = measureRanges(correction);
  const vertexTotal = basis.length / (3 * rank);
  const names = Array.from({ length: rank }, (_, r) => `correction ${r}`);
  for (const { mesh, pieces } of shapes) {
    for (const { primitive, vertexStart, vertexCount } of pieces) {
      const targets = names.map((name) => document.createPrimitiveTarget(name));
      const put = (semantic: 'POSITION' | 'NORMAL', from: Float32Array): void => {
        const stored = floatsOf(attributeOf(primitive, semantic));
        const base = Float64Array.from(stored);
        for (let r = 0; r < rank; r++)
          for (let c = 0; c < 3 * vertexCount; c++) base[c] += lows[r] * from[3 * (r * vertexTotal + vertexStart) + c];
        // The normals of the mesh have unit length in glTF. Differences of a vertex are divided by the same length, which keeps all directions.
        const lengths = semantic === 'NORMAL' ? lengthsOf(base) : new Float64Array(vertexCount).fill(1);
        primitive.setAttribute(
          semantic,
          addAccessor(
            document,
            3,
            Float32Array.from(base, (x, c) => x / lengths[Math.floor(c / 3)]),
          ),
        );
        targets.forEach((target, r) => {
          const values = new Float32Array(3 * vertexCount);
          for (let c = 0; c < values.length; c++)
            values[c] = (spans[r] * from[3 * (r * vertexTotal + vertexStart) + c]) / lengths[Math.floor(c / 3)];
          target.setAttribute(semantic, addAccessor(document, 3, values));
        });
      };
      put('POSITION', basis);
      if (normals && primitive.getAttribute('NORMAL')) put('NORMAL', normals.basis);
      for (const target of targets) primitive.addTarget(target);
    }
    mesh.setWeights(names.map((_, r) => Math.min(1, Math.max(0, -lows[r] / spans[r]))));
    mesh.setExtras({ ...mesh.getExtras(), targetNames: names });
  }
  if (shapes.length === 1) shapes[0].node = moveToSkeleton(shapes[0]);
  const animations = document.getRoot().listAnimations();
  const nodes = shapes.map(({ node }) => node);
  tracks.forEach((track, n) => {
    const weights = Float32Array.from(track.values, (x, c) =>
      Math.min(1, Math.max(0, (x - lows[c % rank]) / spans[c % rank])),
    );
    addGltfKeys(document, animations[n], nodes, 'weights', keyTimesOf(track.times, track.name), weights);
  });
}

/** The lowest coefficient of each component over all tracks, and the distance from it to the highest. */
function measureRanges({ rank, tracks }: SkinCorrection): { lows: Float64Array; spans: Float64Array } {
  // At least zero to one, so that zero coefficients, the rest shape, have a weight in the range.
  const lows = new Float64Array(rank);
  const highs = new Float64Array(rank);
  for (const { values } of tracks)
    for (let c = 0; c < values.length; c++) {
      lows[c % rank] = Math.min(lows[c % rank], values[c]);
      highs[c % rank] = Math.max(highs[c % rank], values[c]);
    }
  const spans = highs.map((high, r) => high - lows[r] || 1);
  return { lows, spans };
}

function lengthsOf(vectors: Float64Array): Float64Array {
  const lengths = new Float64Array(vectors.length / 3);
  for (let i = 0; i < lengths.length; i++)
    lengths[i] = Math.hypot(vectors[3 * i], vectors[3 * i + 1], vectors[3 * i + 2]) || 1;
  return lengths;
}

/**
 * Moves mesh and skin to the node above the joints, and removes the node of the shape. Blender cannot move an animated node below its armature: it
 * would leave an empty object and add a second one. The name of the shape becomes that of its mesh.
 */
function moveToSkeleton({ node, mesh }: GltfShape): Node {
  const skin = skinOf(node);
  if (!mesh.getName()) mesh.setName(node.getName());
  const top = skin.getSkeleton() ?? fail('index', 'the skin has no skeleton');
  top.setMesh(mesh).setSkin(skin);
  node.dispose();
  return top;
}
