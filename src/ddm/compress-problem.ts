// SPDX-License-Identifier: MIT
import type { Mesh } from '../model/mesh.ts';
import type { Skeleton } from '../model/skeleton.ts';
import type { CompressPoints } from './compress-points.ts';
import type { Responses } from './compress-responses.ts';
import type { Joints } from './continuous-joints.ts';
import type { BoneMaker } from './virtual-bones.ts';

/** What a compression of one model shares, whatever the number of virtual bones. */
export interface CompressProblem {
  mesh: Mesh;
  skeleton: Skeleton;
  points: CompressPoints;
  joints: Joints;
  /** Responses in the paper's linear space (Eq. 11a): distances of K-means, and the linear objective. */
  linear: Responses;
  maker: BoneMaker;
}
