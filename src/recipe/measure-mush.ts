// SPDX-License-Identifier: MIT
// What a written Direct Delta Mush file is worth: it is read back, played by the run-time, and measured against the model in double.

import { type DropError, measureDrop } from '../ddm/measure-drop.ts';
import { createDdmRuntime } from '../deform/ddm-runtime.ts';
import { sampleAnimation } from '../deform/sample-animation.ts';
import { DDM_EXTENSION } from '../extension/pack-direct-delta-mush.ts';
import { readAsset } from '../io/read-asset.ts';
import { type ErrorReport, measureError } from '../metric/measure-error.ts';
import type { Asset } from '../model/asset.ts';
import type { Clip } from '../model/clip.ts';
import { InputError } from '../model/errors.ts';
import { poseOf } from '../model/motion.ts';
import { joinClips } from './join-clips.ts';
import { listPoseTimes, type MushResult, type PoseTimes } from './mush.ts';
import { playPoses, sameAnimation } from './play-poses.ts';

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
  /** Bytes of the extension's arrays, before compression. */
  extensionBytes: number;
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
  const asset = await readAsset([{ name: 'the written file', bytes }]);
  if (!asset.ddm) throw new InputError('the written file', 'lost its multi-weights');
  const poses = listPoseTimes(input, MOST_FRAMES);
  const bake = (one: Asset) => playPoses(one, input, poses);
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
  const drop = measureDrop(full, model, dropPoses);
  return { error, plain, lbs, drop, frames: reference.times.length, extensionBytes: countExtensionBytes(asset) };
}

/** Frames as the run-time plays them, on threads; morph targets come first, which it does not do: then as the reference does. */
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

const COMPONENT_BYTES: Record<number, number> = { 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4 };
const SIZES: Record<string, number> = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 };

/** Bytes of the extension's arrays, before any compression. */
function countExtensionBytes(asset: Asset): number {
  const json = asset.source!.json as {
    meshes: { primitives: { extensions?: Record<string, Record<string, unknown>> }[] }[];
    accessors: { count: number; type: string; componentType: number }[];
  };
  const names = ['starts', 'counts', 'centers', 'scales', 'joints', 'columns', 'squares'];
  const seen = new Set<number>();
  for (const { primitives } of json.meshes)
    for (const { extensions } of primitives)
      for (const name of names) {
        const index = extensions?.[DDM_EXTENSION]?.[name];
        if (typeof index === 'number') seen.add(index);
      }
  let bytes = 0;
  for (const index of seen) {
    const { count, type, componentType } = json.accessors[index];
    bytes += count * SIZES[type] * COMPONENT_BYTES[componentType];
  }
  return bytes;
}
