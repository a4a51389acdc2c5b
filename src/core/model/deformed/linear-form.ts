// SPDX-License-Identifier: MIT
import type { Mesh } from '../mesh/mesh.ts';
import type { Skin } from '../skin/skin.ts';
import type { Deformer } from './deformer.ts';

/**
 * Positions that are linear blend skinning of the matrices of a pose, or of matrices that are computed from them: kernels evaluate many poses of them at
 * once, with the floats of deformInto.
 */
export interface LinearForm {
  /** The rest shape. */
  mesh: Mesh;
  skin: Skin;
  /** Number of matrices that are blended. */
  boneCount: number;
  /**
   * Fills the matrices that are blended from those of a pose. Default: those of the pose.
   * @param out boneCount x 16
   */
  bonesInto?(bones: Float64Array, out: Float64Array): void;
}

/** By deformer. No field of the deformer: an object that is made of another deformer and deforms in its own way has no form. */
const forms = new WeakMap<Deformer, LinearForm>();

/** Notes the form of a deformer, and returns the deformer. */
export function withLinearForm(deformer: Deformer, form: LinearForm | undefined): Deformer {
  if (form) forms.set(deformer, form);
  return deformer;
}

/** The form of a deformer; undefined for others than linear blend skinning. */
export function linearFormOf(deformer: Deformer): LinearForm | undefined {
  return forms.get(deformer);
}
