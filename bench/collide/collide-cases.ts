// SPDX-License-Identifier: MIT
// What the collide suite poses: generated animals with random poses, and captured motion, decomposed and corrected as in the paper, at its frames.

import type { Random } from '../../src/core/math/random.ts';
import { poseOf } from '../../src/core/model/clip/motion.ts';
import type { Pose } from '../../src/core/model/deformed/deformer.ts';
import { listClips } from '../../src/deformers/playback/index.ts';
import type { CollisionModel } from '../../src/entry/collide.ts';
import { correctModel, decompose } from '../../src/entry/index.ts';
import { makeSample } from '../../src/entry/sample.ts';
import { openFiles } from '../../src/hosts/disk/index.ts';
import { randomPose } from '../../src/methods/collide/index.ts';
import type { BenchContext } from '../shared/bench-suite.ts';
import { capturedInput, findDataFolder } from '../shared/decompose-cases.ts';

export interface CollideCase {
  name: string;
  model: CollisionModel;
  drawPose(random: Random): Pose;
}

/** About a third of a radian per joint: limbs cross, and skins fold at joints. */
const POSES = { turn: 0.3, stretch: 0 };
const HORSE = { name: 'horse-gallop', bones: 20, rank: 5, iterations: 5 };

export function makeGeneratedCase(name: string, resolution: number): CollideCase {
  const { clip, skeleton, skin } = makeSample(name, { resolution, frames: 1 });
  if (!skeleton || !skin) throw new Error(`collide: the sample ${name} has no skin`);
  const model: CollisionModel = { kind: 'skin', mesh: clip.mesh, skeleton, skin };
  return { name, model, drawPose: (random) => randomPose(model, random, POSES) };
}

/** The horse by its bones and corrections, at random frames; undefined without the data. */
export async function makeCapturedCase({ threads, seed }: BenchContext): Promise<CollideCase | undefined> {
  const folder = findDataFolder(process.env);
  if (folder === undefined) return undefined;
  const [clip] = listClips(await openFiles(capturedInput(folder, HORSE.name), {}));
  const { bones, rank, iterations } = HORSE;
  const decomposed = await decompose(clip, { bones, iterations, threads, seed });
  const { model, correction } = await correctModel(clip, decomposed.model, { rank });
  const [motion] = model.motions;
  const [track] = correction.tracks;
  return {
    name: `${HORSE.name}, ${bones} bones, ${rank} corrections`,
    model: { ...model, kind: 'corrected-skin', correction },
    drawPose(random) {
      const k = random.below(motion.times.length);
      const corrections = new Float32Array(rank + correction.normalRank);
      corrections.set(track.values.subarray(k * rank, (k + 1) * rank));
      return { bones: poseOf(motion, k), corrections };
    },
  };
}
