// SPDX-License-Identifier: MIT
// Bones as children of bones that they nearly follow: their keys are then nearly constant, which compresses better. The motion is the same.

import { multiply } from '../../../core/math/mat4.ts';
import { quaternionFromMatrix } from '../../../core/math/quaternion.ts';
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import type { SkinnedModel } from '../../../core/model/asset.ts';
import { chooseReferences, type ReferenceNode, stepPowerOf } from '../../../formats/compact-skin/index.ts';

/** Distance of vertices from their bone, relative to the diagonal of the model: makes lengths of rotations. Not tuned. */
const REACH = 0.1;
/** Deviation of a matrix from a rotation that is still rigid. */
const RIGID = 1e-5;

/**
 * Gives rigid bones without parents a hierarchy. Other models are returned unchanged.
 * @param step displacement that keys are rounded to, file units
 */
export function relateBones(model: SkinnedModel, step: number): SkinnedModel {
  const { skeleton, motions, skin, mesh } = model;
  const boneCount = skeleton.names.length;
  if (boneCount < 2 || motions.length === 0 || skeleton.parents.some((parent) => parent >= 0)) return model;
  const keyCount = motions.reduce((sum, { times }) => sum + times.length, 0);
  const reach = REACH * measureBounds(mesh.positions).diagonal;
  const nodes: ReferenceNode[] = [];
  const world = new Float64Array(16);
  const rest = new Float64Array(4);
  for (let j = 0; j < boneCount; j++) {
    const translations = new Float64Array(3 * keyCount);
    const rotations = new Float64Array(4 * keyCount);
    let k = 0;
    for (const { matrices, times } of motions)
      for (let n = 0; n < times.length; n++, k++) {
        multiply(matrices, skeleton.bindMatrices, world, 16 * (n * boneCount + j), 16 * j);
        if (!isRigid(world)) return model;
        translations.set(world.subarray(12, 15), 3 * k);
        quaternionFromMatrix(world, rotations, 0, 4 * k);
      }
    quaternionFromMatrix(skeleton.bindMatrices, rest, 16 * j);
    nodes.push({
      ...{ parent: -1, reference: -1, restRotation: rest.slice() },
      restTranslation: skeleton.bindMatrices.slice(16 * j + 12, 16 * j + 15),
      translation: { size: 3, stepPower: stepPowerOf(step), values: translations, order: 0 },
      rotation: { size: 4, stepPower: stepPowerOf(step / reach), values: rotations, order: 0 },
    });
  }
  const { ordered, places } = chooseReferences(nodes, keyCount, 1);
  const placeOf = new Uint32Array(boneCount);
  places.forEach((j, place) => {
    placeOf[j] = place;
  });
  const pick = (matrices: Float64Array, frames: number): Float64Array => {
    const out = new Float64Array(matrices.length);
    for (let k = 0; k < frames; k++)
      places.forEach((j, place) => {
        const from = 16 * (k * boneCount + j);
        out.set(matrices.subarray(from, from + 16), 16 * (k * boneCount + place));
      });
    return out;
  };
  return {
    ...model,
    skeleton: {
      ...skeleton,
      names: places.map((j) => skeleton.names[j]),
      parents: Int32Array.from(ordered, ({ reference }) => reference),
      bindMatrices: pick(skeleton.bindMatrices, 1),
    },
    skin: { ...skin, boneIndices: skin.boneIndices.map((j) => placeOf[j]) },
    motions: motions.map((motion) => ({ ...motion, matrices: pick(motion.matrices, motion.times.length) })),
  };
}

function isRigid(m: Float64Array): boolean {
  for (let a = 0; a < 3; a++)
    for (let b = 0; b <= a; b++) {
      const product = m[4 * a] * m[4 * b] + m[4 * a + 1] * m[4 * b + 1] + m[4 * a + 2] * m[4 * b + 2];
      if (Math.abs(product - (a === b ? 1 : 0)) > RIGID) return false;
    }
  return true;
}
