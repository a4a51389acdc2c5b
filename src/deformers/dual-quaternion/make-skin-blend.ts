// SPDX-License-Identifier: MIT
import type { Deformer } from '../../core/model/deformed/deformer.ts';
import { linearFormOf, withLinearForm } from '../../core/model/deformed/linear-form.ts';
import type { SkinBlend } from '../../core/model/deformed/skin-blend.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import type { Skin } from '../../core/model/skin/skin.ts';
import { makeLinearBlend } from '../linear-blend/index.ts';
import { makeDualQuaternion } from './dual-quaternion.ts';

/**
 * The deformer of a skin with a blend: positions by the plain weights or by those of the blend, linearly or by dual quaternions; normals with them, or by linear
 * blending with weights of their own. The mesh and the skins are kept, not copied.
 */
export function makeSkinBlend(mesh: Mesh, plain: Skin, boneCount: number, blend?: SkinBlend): Deformer {
  const skin = blend?.skin ?? plain;
  const make = blend?.blend === 'dual-quaternion' ? makeDualQuaternion : makeLinearBlend;
  const deformer = make(mesh, skin, boneCount);
  const normalSkin = blend?.normalSkin;
  if (!normalSkin) return deformer;
  const turner = makeLinearBlend(mesh, normalSkin, boneCount);
  const unused = new Float32Array(mesh.positions.length);
  const turned: Deformer = {
    ...deformer,
    deformInto(pose, positions, normals) {
      deformer.deformInto(pose, positions);
      if (normals) turner.deformInto(pose, unused, normals);
    },
  };
  return withLinearForm(turned, linearFormOf(deformer));
}
