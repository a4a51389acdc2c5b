// SPDX-License-Identifier: MIT

import type { Document, Skin as GltfSkin } from '@gltf-transform/core';
import { invertAffine } from '../../../../core/math/mat4.ts';
import type { SkinnedModel } from '../../../../core/model/asset.ts';
import { InputError } from '../../../../core/model/errors.ts';
import { boneCountOf } from '../../../../core/model/skin/skeleton.ts';
import { maxInfluencesOf } from '../../../../core/model/skin/skin.ts';
import { fail } from '../../../../deformers/layout/index.ts';
import { packInfluences } from '../../../../deformers/linear-blend/index.ts';
import { addAccessor } from '../../document/add-accessor.ts';
import type { GltfShape } from '../place-gltf-shapes.ts';
import { makeGltfJoints } from './make-gltf-joints.ts';

/**
 * Binds shapes to the bones of a model, which are children of a node called "ossify", and adds its motions. Changed in place.
 * @param tolerance of key reduction, as in makeGltfJoints
 */
export function addGltfSkin(document: Document, shapes: GltfShape[], model: SkinnedModel, tolerance: number): void {
  const { skeleton, skin } = model;
  const gltfSkin = makeSkin(document, model, tolerance);
  const setCount = Math.ceil(maxInfluencesOf(skin) / 4);
  for (const { node, pieces } of shapes) {
    node.setSkin(gltfSkin);
    for (const { primitive, vertexStart, vertexCount } of pieces) {
      const { joints, weights } = packInfluences(skin, boneCountOf(skeleton), vertexStart, vertexCount, setCount);
      for (let set = 0; set < setCount; set++) {
        primitive.setAttribute(`JOINTS_${set}`, addAccessor(document, 4, joints[set]));
        primitive.setAttribute(`WEIGHTS_${set}`, addAccessor(document, 4, weights[set]));
      }
    }
  }
}

/** Adds the bones, their motion and the skin that binds to them. */
function makeSkin(document: Document, model: SkinnedModel, tolerance: number): GltfSkin {
  const { skeleton } = model;
  const top = document.createNode('ossify');
  const scene = document.getRoot().getDefaultScene() ?? fail('index', 'the document has no default scene');
  scene.addChild(top);
  const joints = makeGltfJoints(document, top, model, tolerance);
  const inverses = new Float64Array(joints.length * 16);
  const skin = document.createSkin('ossify').setSkeleton(top);
  joints.forEach((joint, j) => {
    if (!invertAffine(skeleton.bindMatrices, inverses, j * 16, j * 16))
      throw new InputError('writeGlb', `the bind matrix of bone ${j} ("${skeleton.names[j]}") cannot be inverted`);
    skin.addJoint(joint);
  });
  return skin.setInverseBindMatrices(addAccessor(document, 16, Float32Array.from(inverses)));
}
