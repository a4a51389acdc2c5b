// SPDX-License-Identifier: MIT

import { vertexNormalsInto } from '../../core/mesh/geometry/vertex-normals.ts';
import { weldVertices } from '../../core/mesh/topology/weld.ts';
import { type Clip, checkClip, frameCountOf, frameOf } from '../../core/model/clip/clip.ts';
import { boneCountOfMotion, poseOf } from '../../core/model/clip/motion.ts';
import { InputError } from '../../core/model/errors.ts';
import { checkSkeleton } from '../../core/model/skin/skeleton.ts';
import { makeJointRotations } from '../../deformers/helper-bones/index.ts';
import { fitHelpers, type HelperGoal } from './fit-goal.ts';
import { type FittedSet, fitSet } from './fit-set.ts';
import {
  type ClipInput,
  type ConvertRigResult,
  type ConvertRun,
  checkAround,
  type HelperSettings,
} from './helper-input.ts';
import type { TrainingSet } from './sample/shape-set.ts';

/**
 * Converts a clip with a known skeleton animation: its frames are the training poses, since there is no deformer for further poses. Controllers do not use joints
 * that are constant in the clip.
 */
export async function convertClip(
  { compute, monitor }: ConvertRun,
  input: ClipInput,
  { fit }: Pick<HelperSettings, 'fit'>,
  goal?: HelperGoal,
): Promise<ConvertRigResult> {
  const { clip, skeleton, edited } = input;
  checkClip(clip);
  checkSkeleton(skeleton);
  checkAround(fit, skeleton);
  const source = { name: clip.name, mesh: clip.mesh, skeleton };
  const problem = { source, set: makeClipSet(input), edited, normalsOf: () => listClipNormals(clip) };
  const fitted = await fitHelpers(
    (helpers, own, from?: FittedSet) => fitSet({ compute, monitor: own }, problem, { ...fit, helpers }, from?.search),
    { helpers: fit.helpers, goal, monitor },
  );
  return { ...fitted, evaluations: 0, idle: [], rotations: [] };
}

/** The frames of a clip as training poses. */
function makeClipSet({ clip, skeleton, motion, inputs }: ClipInput): TrainingSet {
  const jointCount = skeleton.names.length;
  const frameCount = frameCountOf(clip);
  if (frameCount === 0) throw new InputError('convert', 'the clip has no frames');
  if (motion.times.length !== frameCount || boneCountOfMotion(motion) !== jointCount)
    throw new InputError(
      'convert',
      `the motion has ${motion.times.length} poses of ${boneCountOfMotion(motion)} bones, expected ${frameCount} of ${jointCount}`,
    );
  const rotations = new Float64Array(frameCount * jointCount * 4);
  const reader = makeJointRotations(skeleton);
  for (let k = 0; k < frameCount; k++)
    for (let j = 0; j < jointCount; j++) reader.rotationInto(poseOf(motion, k), j, rotations, (k * jointCount + j) * 4);
  // the root moves everything: controllers may not use it
  skeleton.parents.forEach((parent, j) => {
    if (parent >= 0) return;
    for (let k = 0; k < frameCount; k++) rotations.set([0, 0, 0, 1], (k * jointCount + j) * 4);
  });
  return {
    frameCount,
    moved: new Int32Array(frameCount).fill(-1),
    rotations,
    bones: motion.matrices,
    positions: clip.positions,
    weights: new Float64Array(frameCount).fill(1),
    idle: [],
    times: motion.times,
    inputs,
  };
}

/** Area-weighted normals of every frame. */
function listClipNormals(clip: Clip): Float32Array {
  const weld = weldVertices(clip.mesh.positions);
  const stride = clip.mesh.positions.length;
  const normals = new Float32Array(clip.positions.length);
  for (let k = 0; k < frameCountOf(clip); k++)
    vertexNormalsInto(frameOf(clip, k), clip.mesh.triangles, normals.subarray(k * stride, (k + 1) * stride), weld);
  return normals;
}
