// SPDX-License-Identifier: MIT

import { createDdmRuntime } from '../deform/ddm-runtime.ts';
import { listPoseTimes, type PoseTimes } from '../deform/list-pose-times.ts';
import { playPoses, sameAnimation } from '../deform/play-poses.ts';
import { sampleAnimation } from '../deform/sample-animation.ts';
import { type ErrorReport, measureError } from '../metric/measure-error.ts';
import type { Asset } from '../model/asset.ts';
import type { Clip } from '../model/clip.ts';
import type { DirectDeltaMush } from '../model/direct-delta-mush.ts';
import { InputError } from '../model/errors.ts';
import { joinClips } from '../model/join-clips.ts';
import { poseOf } from '../model/motion.ts';
import { type DropError, measureDrop } from './measure-drop.ts';

export interface MeasuredMush {
  /** The file's Direct Delta Mush, by the run-time, against the model in double. */
  error: ErrorReport;
  /** The file's plain skin against variant 0 in double. */
  plain: ErrorReport;
  /** The input's own skin against the model in double. */
  lbs: ErrorReport;
  /** What dropping small entries did, at a few poses. */
  drop: DropError;
  frames: number;
}

/** Maximum frames to measure, over all animations. */
const MAX_FRAMES = 60;
const MAX_DROP_POSES = 6;

/**
 * Measures a Direct Delta Mush file at the poses of the animations of its input.
 * @param asset the written file
 * @param full the model with all entries
 */
export async function measureMush(
  asset: Asset,
  input: Asset,
  { model, full }: { model: DirectDeltaMush; full: DirectDeltaMush },
  threads: number,
): Promise<MeasuredMush> {
  if (!asset.ddm) throw new InputError('the written file', 'lost its multi-weights');
  const poses = listPoseTimes(input, MAX_FRAMES);
  const bake = (one: Asset) => playPoses(one, input, poses);
  const up = { up: input.up };
  const reference = bake({ ...input, ddm: model });
  const error = measureError(reference, await playClip(asset, input, poses, threads), up);
  const full0 = model.variant === 0 ? reference : bake({ ...input, ddm: { ...model, variant: 0 } });
  const plain = measureError(full0, bake({ ...asset, ddm: undefined }), up);
  const lbs = measureError(reference, bake({ ...input, ddm: undefined }), up);
  const dropPoses = listPoseTimes(input, MAX_DROP_POSES).flatMap(({ animation, times }) => {
    const { motion } = sampleAnimation(input, animation, times);
    return [...times.keys()].map((k) => poseOf(motion, k));
  });
  const drop = measureDrop(full, model, dropPoses);
  return { error, plain, lbs, drop, frames: reference.times.length };
}

/** Plays frames by the run-time, on threads. It has no morph targets: files with those are played by the reference implementation. */
async function playClip(asset: Asset, input: Asset, poses: PoseTimes[], threads: number): Promise<Clip> {
  if (asset.morphs) return playPoses(asset, input, poses);
  const runtime = await createDdmRuntime(asset.ddm!, { threads, normals: false });
  try {
    const clips: Clip[] = [];
    for (const pose of poses) {
      const { motion } = sampleAnimation(asset, sameAnimation(asset, input, pose), pose.times);
      const stride = asset.mesh.positions.length;
      const positions = new Float32Array(pose.times.length * stride);
      for (let k = 0; k < pose.times.length; k++)
        positions.set((await runtime.deform({ bones: poseOf(motion, k) })).positions, k * stride);
      clips.push({
        kind: 'clip',
        name: pose.animation?.name ?? asset.name,
        mesh: asset.mesh,
        positions,
        times: pose.times,
      });
    }
    return joinClips(clips);
  } finally {
    runtime.dispose();
  }
}
