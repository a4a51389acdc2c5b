// SPDX-License-Identifier: MIT
// Springs of joints. A joint that rotates little, or about one axis, is not determined in some directions by the error (core/kernels/joints/joint-system.ts). Two springs regularize each joint towards an anchor (the blend of its two bones):
// one relative to its own block of the system, and one absolute, such that a displacement of all joints by REACH of the size costs a
// given ratio of the error. The absolute spring keeps joints in the body: the relative cost of a distant center that approximates a translation is small.
// A third spring acts along the axes of hinges, where the error is almost flat: without it, its minimum is often at the surface or in the other leg.

import type { SpringStrengths } from '../../../core/kernels/joints/joint-system.ts';
import type { SkinFit } from '../../../fit/skin/index.ts';

export interface JointSprings {
  /** boneCount x 3: the anchor of each joint, solver space */
  anchors: Float64Array;
  /** Relative to the mean diagonal of the joint's own block. */
  relative: number;
  /** Cost of a displacement of all joints by REACH of the size, relative to the error. */
  absolute: number;
  /** Whether a spring acts along the axes of hinges. */
  hinges: boolean;
  /** boneCount: factors of the absolute spring; a large factor pins a joint to its anchor. */
  factors: Float64Array;
  /** Box diagonal of the rest pose, solver units. */
  size: number;
  /** boneCount x 9: filled with each joint's own block of the system, without springs */
  blocks: Float64Array;
}

/** Reference displacement of the absolute spring, relative to the size. */
const REACH = 0.05;
/** Minimum spring relative to the number of points and frames, so that the system is never singular. */
const MIN_SPRING = 1e-9;

/** The strengths of springs for the present error of a fit. */
export function measureStrengths({ error, boneCount, trajectories }: SkinFit, springs: JointSprings): SpringStrengths {
  return {
    relative: springs.relative,
    stiff: (springs.absolute * error) / (boneCount * (REACH * springs.size) ** 2),
    least: MIN_SPRING * trajectories.vertexCount * trajectories.frameCount,
    hinges: springs.hinges,
  };
}
