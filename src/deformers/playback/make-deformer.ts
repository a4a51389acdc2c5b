// SPDX-License-Identifier: MIT
import type { DeformedModel } from '../../core/model/deformed/deformed-model.ts';
import type { Deformer } from '../../core/model/deformed/deformer.ts';
import { makeCentersOfRotation } from '../centers-of-rotation/index.ts';
import { makeCorrected } from '../corrections/index.ts';
import { makeDdm } from '../direct-delta-mush/index.ts';
import { makeDualQuaternion } from '../dual-quaternion/index.ts';
import { makeHelperBones } from '../helper-bones/index.ts';
import { makeLinearBlend } from '../linear-blend/index.ts';
import { makeLinearTwoLayer, makeTwoLayer } from '../two-layer/index.ts';

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
