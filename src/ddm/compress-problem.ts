// SPDX-License-Identifier: MIT
import type { Mesh } from '../model/mesh.ts';
import type { Skeleton } from '../model/skeleton.ts';
import type { CompressPoints } from './compress-points.ts';
import type { Responses } from './compress-responses.ts';
import type { Joints } from './continuous-joints.ts';
import type { BoneMaker } from './virtual-bones.ts';

/** The part of a compression that does not depend on the number of virtual bones. */
export interface CompressProblem {
  mesh: Mesh;
  skeleton: Skeleton;
  points: CompressPoints;
  joints: Joints;
  /** Responses in the paper's linear space (Eq. 11a): for the distances of K-means and the linear objective. */
  linear: Responses;
  maker: BoneMaker;
}
