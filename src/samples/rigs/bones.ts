// SPDX-License-Identifier: MIT

import { compose, multiply } from '../../core/math/mat4.ts';
import { multiplyQuaternions, quaternionFromAxisAngle } from '../../core/math/quaternion.ts';
import { type Clip, makeTimes } from '../../core/model/clip/clip.ts';
import { type Motion, poseOf } from '../../core/model/clip/motion.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import type { Skeleton } from '../../core/model/skin/skeleton.ts';
import type { Skin } from '../../core/model/skin/skin.ts';
import { makeLinearBlend } from '../../deformers/linear-blend/index.ts';
import { SAMPLE_FPS } from '../sample.ts';

export type Vector = readonly [number, number, number];

/** A bone of a sample: its joint and its parent. */
export interface BonePlan {
  name: string;
  /** Index of the parent in the list, -1 for the root. */
  parent: number;
  /** Its joint, in model space. */
  head: Vector;
}

/** The motion of a bone in a frame, about the axes of the model at rest; angles in radians, applied x first, then y, then z. */
export interface BoneTurn {
  x?: number;
  y?: number;
  z?: number;
  /** Translation of the joint, metres, in the parent's axes. */
  shift?: Vector;
}

/** A skeleton whose bone frames are parallel to the model's axes at rest. */
export function makePlanSkeleton(plan: BonePlan[]): Skeleton {
  const bindMatrices = new Float64Array(plan.length * 16);
  plan.forEach((bone, j) => {
    compose(bone.head, [0, 0, 0, 1], [1, 1, 1], bindMatrices, 0, 0, 0, j * 16);
  });
  return { names: plan.map((b) => b.name), parents: Int32Array.from(plan, (b) => b.parent), bindMatrices };
}

/** Rest-to-posed matrices of all frames, by forward kinematics. */
export function makePlanMotion(
  name: string,
  plan: BonePlan[],
  frames: number,
  turnOf: (j: number, k: number) => BoneTurn,
): Motion {
  const boneCount = plan.length;
  const matrices = new Float64Array(frames * boneCount * 16);
  const worlds = new Float64Array(boneCount * 16);
  const q = new Float64Array(4),
    axis = new Float64Array(4),
    unbind = new Float64Array(16);
  for (let k = 0; k < frames; k++) {
    for (let j = 0; j < boneCount; j++) {
      const { parent, head } = plan[j];
      const turn = turnOf(j, k);
      const from: Vector = parent < 0 ? [0, 0, 0] : plan[parent].head;
      const shift: Vector = turn.shift ?? [0, 0, 0];
      quaternionFromAxisAngle([1, 0, 0], turn.x ?? 0, q);
      quaternionFromAxisAngle([0, 1, 0], turn.y ?? 0, axis);
      multiplyQuaternions(axis, q, q);
      quaternionFromAxisAngle([0, 0, 1], turn.z ?? 0, axis);
      multiplyQuaternions(axis, q, q);
      const offset = [head[0] - from[0] + shift[0], head[1] - from[1] + shift[1], head[2] - from[2] + shift[2]];
      compose(offset, q, [1, 1, 1], worlds, 0, 0, 0, j * 16);
      if (parent >= 0) multiply(worlds, worlds, worlds, parent * 16, j * 16, j * 16);
      compose([-head[0], -head[1], -head[2]], [0, 0, 0, 1], [1, 1, 1], unbind);
      multiply(worlds, unbind, matrices, j * 16, 0, (k * boneCount + j) * 16);
    }
  }
  return { name, times: makeTimes(frames, SAMPLE_FPS), matrices };
}

/**
 * The clip of linear blend skinning with a ground truth.
 * @param soften changes a frame afterwards; receives positions and normals (vertexCount x 3 each)
 */
export function makeBlendClip(
  mesh: Mesh,
  skin: Skin,
  motion: Motion,
  soften?: (k: number, positions: Float32Array, normals: Float32Array) => void,
): Clip {
  const frames = motion.times.length;
  const stride = mesh.positions.length;
  const positions = new Float32Array(frames * stride);
  const normals = soften && new Float32Array(stride);
  const deformer = makeLinearBlend(mesh, skin, motion.matrices.length / (16 * frames));
  for (let k = 0; k < frames; k++) {
    const frame = positions.subarray(k * stride, (k + 1) * stride);
    deformer.deformInto({ bones: poseOf(motion, k) }, frame, normals);
    if (soften && normals) soften(k, frame, normals);
  }
  return { kind: 'clip', name: motion.name, mesh, positions, times: motion.times };
}
