// SPDX-License-Identifier: MIT
import type { DirectDeltaMush } from './direct-delta-mush.ts';
import type { HelperBones } from './helper-bones.ts';
import type { Mesh } from './mesh.ts';
import type { Skeleton } from './skeleton.ts';
import type { Skin } from './skin.ts';
import type { SkinCorrection } from './skin-correction.ts';
import type { LinearTwoLayer, TwoLayer } from './two-layer.ts';

/** A mesh that follows bones by linear blend skinning. */
export interface LinearBlendSkin {
  kind: 'skin';
  mesh: Mesh;
  skeleton: Skeleton;
  skin: Skin;
}

/** A mesh that follows rigid bones by blended dual quaternions. */
export interface DualQuaternionSkin {
  kind: 'dual-quaternion';
  mesh: Mesh;
  skeleton: Skeleton;
  skin: Skin;
}

/** A mesh that follows rigid bones by blended rotations about one center per vertex. */
export interface CentersOfRotationSkin {
  kind: 'centers-of-rotation';
  mesh: Mesh;
  skeleton: Skeleton;
  skin: Skin;
  /** vertexCount x 3, file units */
  centers: ArrayLike<number>;
}

/** Linear blend skinning of a rest shape that is displaced first. Poses carry the coefficients. */
export interface CorrectedSkin {
  kind: 'corrected-skin';
  mesh: Mesh;
  skeleton: Skeleton;
  skin: Skin;
  correction: SkinCorrection;
}

/**
 * Every model that turns bone transforms into a shape. `kind` tells them apart; deform/make-deformer.ts evaluates them on the CPU and
 * gpu/create-gpu-deformer.ts on the GPU.
 */
export type DeformedModel =
  | LinearBlendSkin
  | DualQuaternionSkin
  | CentersOfRotationSkin
  | CorrectedSkin
  | DirectDeltaMush
  | TwoLayer
  | LinearTwoLayer
  | HelperBones;
