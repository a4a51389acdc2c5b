// SPDX-License-Identifier: MIT

import { makeIdentities } from '../../core/math/mat4.ts';
import type { Deformer } from '../../core/model/deformed/deformer.ts';
import { checkShapeDrivenSkin, type ShapeDrivenSkin } from '../../core/model/deformed/shape-drivers.ts';
import { InputError } from '../../core/model/errors.ts';
import { makeLinearBlend } from '../linear-blend/index.ts';
import { makeMorphBlend } from '../rig-sources/index.ts';
import { makeShapeDriver } from './make-shape-driver.ts';

/**
 * A face of driven bones, posed by the weights of its shapes: pose.morphs has one weight per shape, in the order of drivers.shapes. If driven bones follow joints, the joints are read from the
 * bones of the pose (none: the bind pose). Shapes that remain as morph targets are added before the skin, as glTF does.
 * @example
 * ```ts
 * import { makeShapeDriven } from 'ossify/deform';
 *
 * const driven = makeShapeDriven(face);
 * driven.deformInto({ bones: new Float64Array(0), morphs: shapeWeights }, positions);
 * ```
 */
export function makeShapeDriven(model: ShapeDrivenSkin): Deformer {
  checkShapeDrivenSkin(model);
  const { mesh, skeleton, skin, drivers, kept } = model;
  const driver = makeShapeDriver(drivers, skeleton);
  const bones = new Float64Array(16 * driver.boneCount);
  const identities = makeIdentities(driver.boneCount);
  const places = (kept?.targets ?? []).map(({ name }) => drivers.shapes.indexOf(name));
  const morphs = new Float32Array(places.length);
  const inner = kept
    ? makeMorphBlend(mesh, kept, (shaped) => makeLinearBlend(shaped, skin, driver.boneCount))
    : makeLinearBlend(mesh, skin, driver.boneCount);
  const rest = new Float32Array(driver.shapeCount);
  return {
    vertexCount: mesh.positions.length / 3,
    boneCount: driver.boneCount,
    deformInto(pose, positions, normals) {
      const weights = pose.morphs ?? rest;
      if (weights.length !== driver.shapeCount)
        throw new InputError('shape drivers', `the pose has ${weights.length} weights, expected ${driver.shapeCount}`);
      if (pose.bones.length === bones.length) bones.set(pose.bones);
      else bones.set(identities);
      driver.poseInto(weights, bones);
      for (let n = 0; n < places.length; n++) morphs[n] = weights[places[n]];
      inner.deformInto({ bones, morphs }, positions, normals);
    },
  };
}
