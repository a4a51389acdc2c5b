// SPDX-License-Identifier: MIT

import type { Mesh } from '../mesh/mesh.ts';
import type { Skeleton } from '../skin/skeleton.ts';
import type { Skin } from '../skin/skin.ts';
import type { DirectDeltaMush } from './direct-delta-mush.ts';
import type { HelperBones } from './helper-bones.ts';
import type { SkinCorrection } from './skin-correction.ts';
import type { LinearTwoLayer, TwoLayer } from './two-layer.ts';

/** A mesh that follows bones by linear blend skinning. */
export interface LinearBlendSkin {
  /** Discriminator. */
  kind: 'skin';
  /** The rest shape. */
  mesh: Mesh;
  /** The bones, which poses move. */
  skeleton: Skeleton;
  /** Weights of bones, by vertex. */
  skin: Skin;
}

/** A mesh that follows rigid bones by blended dual quaternions. */
export interface DualQuaternionSkin {
  /** Discriminator. */
  kind: 'dual-quaternion';
  /** The rest shape. */
  mesh: Mesh;
  /** The bones, which poses move. */
  skeleton: Skeleton;
  /** Weights of bones, by vertex. */
  skin: Skin;
}

/** A mesh that follows rigid bones by blended rotations about one center per vertex. */
export interface CentersOfRotationSkin {
  /** Discriminator. */
  kind: 'centers-of-rotation';
  /** The rest shape. */
  mesh: Mesh;
  /** The bones, which poses move. */
  skeleton: Skeleton;
  /** Weights of bones, by vertex. */
  skin: Skin;
  /** vertexCount x 3: the center of rotation of each vertex, rest pose, file units */
  centers: ArrayLike<number>;
}

/** Linear blend skinning of a displaced rest shape. Poses have the coefficients of the displacements. */
export interface CorrectedSkin {
  /** Discriminator. */
  kind: 'corrected-skin';
  /** The rest shape. */
  mesh: Mesh;
  /** The bones, which poses move. */
  skeleton: Skeleton;
  /** Weights of bones, by vertex. */
  skin: Skin;
  /** Displacements of the rest shape. */
  correction: SkinCorrection;
}

/**
 * Every model that computes a shape from bone transforms. `kind` is the discriminator; makeDeformer evaluates them on the CPU and
 * createGpuDeformer on the GPU.
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
