// SPDX-License-Identifier: MIT
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import type { Skeleton } from '../../core/model/skin/skeleton.ts';
import type { CompressPoints } from './compress-points.ts';
import type { Responses } from './compress-responses.ts';
import type { Joints } from './examples/continuous-joints.ts';
import type { BoneMaker } from './virtual-bones/virtual-bones.ts';

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
