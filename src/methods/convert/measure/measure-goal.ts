// SPDX-License-Identifier: MIT
// Maximum vertex errors that decide the number of helpers.

import type { Compute } from '../../../core/kernels/compute.ts';
import { makeIdentities } from '../../../core/math/mat4.ts';
import { type Clip, frameCountOf, frameOf } from '../../../core/model/clip/clip.ts';
import { type Motion, poseOf } from '../../../core/model/clip/motion.ts';
import type { Deformer } from '../../../core/model/deformed/deformer.ts';
import type { HelperBones } from '../../../core/model/deformed/helper-bones.ts';
import type { RigSource } from '../../../core/model/skin/rig-source.ts';
import { makeHelperBones } from '../../../deformers/helper-bones/index.ts';
import type { JointRange } from '../../../fit/poses/index.ts';
import { listRotations } from '../convert-rig.ts';
import { SourceProbe } from '../sample/source-probe.ts';
import { measureConversion } from './measure-conversion.ts';

/** Maximum frames of motions, and number of random poses, to measure. */
const GOAL_FRAMES = 120;
const GOAL_POSES = 100;

/** The maximum distance of a model from its source, file units: in motions, or in random poses if there are none. */
export function measureGoal(
  compute: Compute,
  model: HelperBones,
  source: RigSource,
  motions: readonly Motion[],
  ranges?: readonly JointRange[],
): Promise<number> {
  return motions.length > 0 ? measureMotions(model, source, motions) : measureRandom(compute, model, source, ranges);
}

/** The maximum distance of a model from its source over motions. */
async function measureMotions(model: HelperBones, source: RigSource, motions: readonly Motion[]): Promise<number> {
  const total = motions.reduce((sum, { times }) => sum + times.length, 0);
  const step = Math.max(1, Math.ceil(total / GOAL_FRAMES));
  const positions = new Float32Array(source.mesh.positions.length);
  const deformer = makeHelperBones(model);
  let max = 0;
  for (const motion of motions)
    for (let k = 0; k < motion.times.length; k += step) {
      source.deformer.deformInto({ bones: poseOf(motion, k) }, positions);
      max = Math.max(max, measureFar(deformer, poseOf(motion, k), positions));
    }
  return max;
}

/** The maximum distance of a model from a clip in its frames, file units. */
export async function measureClipGoal(model: HelperBones, clip: Clip, motion: Motion): Promise<number> {
  const deformer = makeHelperBones(model);
  let max = 0;
  for (let k = 0; k < frameCountOf(clip); k++)
    max = Math.max(max, measureFar(deformer, poseOf(motion, k), frameOf(clip, k)));
  return max;
}

function measureFar(deformer: Deformer, pose: Float64Array, expected: Float32Array): number {
  const bones = makeIdentities(deformer.boneCount);
  bones.set(pose);
  const found = new Float32Array(expected.length);
  deformer.deformInto({ bones }, found);
  let far = 0;
  for (let c = 0; c < found.length; c += 3)
    far = Math.max(
      far,
      Math.hypot(found[c] - expected[c], found[c + 1] - expected[c + 1], found[c + 2] - expected[c + 2]),
    );
  return far;
}

function measureRandom(
  compute: Compute,
  model: HelperBones,
  source: RigSource,
  ranges?: readonly JointRange[],
): Promise<number> {
  return compute.scope(async (memory) => {
    const probe = new SourceProbe(source, memory);
    const options = { poses: GOAL_POSES, seed: 0 };
    const [{ max }] = await measureConversion(probe, [makeHelperBones(model)], listRotations(source, ranges), options);
    return max;
  });
}
