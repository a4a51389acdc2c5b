// SPDX-License-Identifier: MIT
import type { DeformedModel } from '../model/deformed-model.ts';
import type { Deformer } from '../model/deformer.ts';
import { makeCentersOfRotation } from './centers-of-rotation.ts';
import { makeCorrected } from './corrected.ts';
import { makeDualQuaternion } from './dual-quaternion.ts';
import { makeLinearTwoLayer } from './linear-two-layer.ts';
import { makeDdm } from './make-ddm.ts';
import { makeHelperBones } from './make-helper-bones.ts';
import { makeLinearBlend } from './make-linear-blend.ts';
import { makeTwoLayer } from './make-two-layer.ts';

/**
 * Makes the CPU deformer of any model. The model's arrays are kept, not copied.
 * @example
 * ```ts
 * import { frameCountOf, poseOf } from 'ossify';
 * import { makeDeformer } from 'ossify/deform';
 *
 * const deformer = makeDeformer(model);
 * const posed = new Float32Array(3 * deformer.vertexCount);
 * for (let k = 0; k < frameCountOf(clip); k++) deformer.deformInto({ bones: poseOf(model.motions[0], k) }, posed);
 * ```
 */
export function makeDeformer(model: DeformedModel): Deformer {
  switch (model.kind) {
    case 'skin':
      return makeLinearBlend(model.mesh, model.skin, model.skeleton.names.length);
    case 'dual-quaternion':
      return makeDualQuaternion(model.mesh, model.skin, model.skeleton.names.length);
    case 'centers-of-rotation':
      return makeCentersOfRotation(model.mesh, model.skin, model.skeleton.names.length, model.centers);
    case 'corrected-skin':
      return makeCorrected(model.mesh, model.skin, model.skeleton.names.length, model.correction);
    case 'direct-delta-mush':
      return makeDdm(model);
    case 'two-layer':
      return makeTwoLayer(model);
    case 'linear-two-layer':
      return makeLinearTwoLayer(model);
    case 'helper-bones':
      return makeHelperBones(model);
  }
}
