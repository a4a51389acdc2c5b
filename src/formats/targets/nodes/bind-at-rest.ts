// SPDX-License-Identifier: MIT
import { decomposeAffine } from '../../../core/math/decompose-affine.ts';
import { determinant3, IDENTITY, isCloseMatrix, multiply } from '../../../core/math/mat4.ts';

import { worldsOfNodes } from '../../../core/model/skin/worlds-of-nodes.ts';
import type { Scene, SceneShape } from '../../gltf/index.ts';
import { matrixOf, moveShapeBy, type Similarity } from './similarity.ts';

/** Matrices closer than this are one, relative to their largest number. */
const SAME_PLACE = 1e-4;
/** Difference from one of a scale that is left as it is. */
const SAME_SCALE = 1e-6;

/**
 * Moves the vertices of skinned meshes to where they are drawn at rest: then the inverse bind matrices are those of the rest pose, and neither the mesh nor a bone
 * needs a scale. Where the file's pose is another than the bind pose, only the common scale is moved. What is drawn does not change.
 */
export function bindAtRest(scene: Scene): Scene {
  const worlds = worldsOfNodes(scene.nodes);
  let isChanged = false;
  const shapes = scene.shapes.map((shape) => {
    const move = placeOf(shape, worlds);
    if (!move) return shape;
    isChanged = true;
    return moveShapeBy(shape, move);
  });
  return isChanged ? { ...scene, shapes } : scene;
}

/** Where a skinned mesh is drawn at rest, relative to its vertices; undefined if it is there already. */
function placeOf({ skin }: SceneShape, worlds: Float64Array): Similarity | undefined {
  if (!skin || skin.joints.length === 0) return undefined;
  const first = new Float64Array(16);
  const other = new Float64Array(16);
  multiply(worlds, skin.inverseBinds, first, 16 * skin.joints[0], 0);
  let isOne = true;
  let smallest = Infinity;
  let largest = 0;
  skin.joints.forEach((joint, j) => {
    multiply(worlds, skin.inverseBinds, other, 16 * joint, 16 * j);
    isOne &&= isCloseMatrix(first, other, SAME_PLACE);
    const scale = Math.cbrt(determinant3(other));
    smallest = Math.min(smallest, scale);
    largest = Math.max(largest, scale);
  });
  const scale = Math.cbrt(determinant3(first));
  if (!(smallest > 0) || largest > (1 + SAME_PLACE) * smallest) return undefined;
  const { translation, rotation } = decomposeAffine(first);
  const whole: Similarity = { translation: [...translation], rotation: [...rotation], scale };
  const isSimilar = isCloseMatrix(first, matrixOf(whole), SAME_PLACE);
  if (isOne && isSimilar) return isCloseMatrix(Float64Array.from(IDENTITY), first, SAME_SCALE) ? undefined : whole;
  if (Math.abs(scale - 1) <= SAME_SCALE) return undefined;
  return { translation: [0, 0, 0], rotation: [0, 0, 0, 1], scale };
}
