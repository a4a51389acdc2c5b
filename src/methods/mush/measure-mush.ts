// SPDX-License-Identifier: MIT

import type { Asset } from '../../core/model/asset.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import { joinClips } from '../../core/model/clip/join-clips.ts';
import { poseOf } from '../../core/model/clip/motion.ts';
import type { DirectDeltaMush } from '../../core/model/deformed/direct-delta-mush.ts';
import { InputError } from '../../core/model/errors.ts';
import { createDdmRuntime } from '../../deformers/direct-delta-mush/index.ts';
import {
  listPoseTimes,
  type PoseTimes,
  playPoses,
  playPosesWith,
  sameAnimation,
  sampleAnimation,
} from '../../deformers/playback/index.ts';
import { type ErrorReport, LOCAL_MEASURE_HOST, type MeasureRun, shareProgress } from '../../measure/index.ts';
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
  { threads, host = LOCAL_MEASURE_HOST, onProgress }: MeasureRun & { threads: number },
): Promise<MeasuredMush> {
  if (!asset.ddm) throw new InputError('the written file', 'lost its multi-weights');
  const poses = listPoseTimes(input, MAX_FRAMES);
  const { up } = input;
  const isFull = model.variant === 0;
  const [tellModel, tellFull, tellPlain, tellOwn, ...tellErrors] = shareProgress(
    onProgress,
    isFull ? [8, 0, 1, 1, 1, 1, 1] : [8, 8, 1, 1, 1, 1, 1],
  );
  const bake = (one: Asset, tell: (fraction: number) => void) => playPosesWith(host.bake, one, input, poses, tell);
  const reference = await bake({ ...input, ddm: model }, tellModel);
  const full0 = isFull ? reference : await bake({ ...input, ddm: { ...model, variant: 0 } }, tellFull);
  const played = await playClip(asset, input, poses, threads);
  const skinned = await bake({ ...asset, ddm: undefined }, tellPlain);
  const own = await bake({ ...input, ddm: undefined }, tellOwn);
  const [error, plain, lbs] = await Promise.all([
    host.measure(reference, played, { up, onFrame: tellErrors[0] }),
    host.measure(full0, skinned, { up, onFrame: tellErrors[1] }),
    host.measure(reference, own, { up, onFrame: tellErrors[2] }),
  ]);
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
