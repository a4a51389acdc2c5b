// SPDX-License-Identifier: MIT
// What a written Direct Delta Mush file is worth: it is read back, played by the run-time, and measured against the model in double.
import { type DropError, measureDrop } from '../ddm/measure-drop.ts';
import { bakeAt } from '../deform/bake-at.ts';
import { createDdmRuntime } from '../deform/ddm-runtime.ts';
import { sampleAnimation } from '../deform/sample-animation.ts';
import { readAsset } from '../io/read-asset.ts';
import { type ErrorReport, measureError } from '../metric/measure-error.ts';
import type { Animation } from '../model/animation.ts';
import type { Asset } from '../model/asset.ts';
import type { Clip } from '../model/clip.ts';
import { poseOf } from '../model/motion.ts';
import { joinClips } from '../recipe/join-clips.ts';
import { listPoseTimes, type MushResult, type PoseTimes } from '../recipe/mush.ts';

export interface MeasuredMush {
  /** The file as it reads. */
  asset: Asset;
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

/** Frames looked at, over all animations. */
const MOST_FRAMES = 60;
const MOST_DROP_POSES = 6;

export async function measureMush(
  bytes: Uint8Array,
  input: Asset,
  { model, full }: MushResult,
  threads: number,
): Promise<MeasuredMush> {
  const asset = await readAsset([{ name: 'written.glb', bytes }]);
  if (!asset.ddm) throw new Error('the written file came back without its multi-weights');
  const poses = listPoseTimes(input, MOST_FRAMES);
  const bake = (one: Asset) => joinClips(poses.map((pose) => bakeAt(one, animationOf(one, input, pose), pose.times)));
  const up = { up: input.up };
  const reference = bake({ ...input, ddm: model });
  const error = measureError(reference, await playClip(asset, input, poses, threads), up);
  const full0 = model.variant === 0 ? reference : bake({ ...input, ddm: { ...model, variant: 0 } });
  const plain = measureError(full0, bake({ ...asset, ddm: undefined }), up);
  const lbs = measureError(reference, bake({ ...input, ddm: undefined }), up);
  const dropPoses = listPoseTimes(input, MOST_DROP_POSES).flatMap(({ animation, times }) => {
    const { motion } = sampleAnimation(input, animation, times);
    return [...times.keys()].map((k) => poseOf(motion, k));
  });
  return { asset, error, plain, lbs, drop: measureDrop(full, model, dropPoses), frames: reference.times.length };
}

/** The same animation in another reading of the file. */
function animationOf(asset: Asset, input: Asset, { animation }: PoseTimes): Animation | undefined {
  return animation && asset.animations[input.animations.indexOf(animation)];
}

/** Frames as the run-time plays them, on threads; morph targets come first, which it does not do: then as the reference does. */
async function playClip(asset: Asset, input: Asset, poses: PoseTimes[], threads: number): Promise<Clip> {
  if (asset.morphs) return joinClips(poses.map((pose) => bakeAt(asset, animationOf(asset, input, pose), pose.times)));
  const runtime = await createDdmRuntime(asset.ddm!, { threads, normals: false });
  try {
    const clips: Clip[] = [];
    for (const pose of poses) {
      const { motion } = sampleAnimation(asset, animationOf(asset, input, pose), pose.times);
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
