// SPDX-License-Identifier: MIT
// What convert works on: a skinned file, a sample rig, or a clip with the bones that moved in it.

import type { Asset } from '../model/asset.ts';
import type { MorphDriver } from '../model/morph-drivers.ts';
import type { Motion } from '../model/motion.ts';
import type { RigSource } from '../model/rig-source.ts';
import type { ClipOfRig } from '../recipe/convert.ts';
import { joinClips } from '../recipe/join-clips.ts';
import { assetOfRigSample } from './asset-of-rig-sample.ts';
import type { Context } from './command.ts';
import { type ConvertCommandOptions, readDriversOption } from './convert-options.ts';
import { JobError } from './exit-status.ts';
import { giveSkeleton } from './given-parts.ts';
import { listClips } from './list-clips.ts';
import { noteDurations } from './note-durations.ts';
import { noteStrangeJoints } from './note-strange-joints.ts';
import { type OpenedInput, openInput } from './open-input.ts';

export interface ConvertInput extends OpenedInput {
  /** What is converted. */
  rig: RigSource | Asset | ClipOfRig;
  /** How the joints of a sample rig, or of a clip, move. */
  motions: Motion[];
  drivers?: MorphDriver[];
}

const SAMPLE = /^sample:(?:rig-)?(.+)$/;

export async function openConvertInput(input: string, context: Context<ConvertCommandOptions>): Promise<ConvertInput> {
  const { skeleton, morphDrivers } = context.options;
  const drivers = morphDrivers === undefined ? undefined : await readDriversOption(morphDrivers);
  const sample = SAMPLE.exec(input);
  if (sample) {
    const { asset, source, motion } = assetOfRigSample(sample[1], input);
    return { input, asset, paths: [], rig: source, motions: [motion], drivers };
  }
  const opened = await openInput(input, context);
  const paths = [...opened.paths, ...(morphDrivers === undefined ? [] : [morphDrivers])];
  if (skeleton === undefined) {
    if (!opened.asset.rig?.isJoint.includes(1))
      throw new JobError(
        `${input}: has no skin; give a rigged glTF, or the bones that moved this clip with --skeleton`,
      );
    return { ...opened, paths, rig: opened.asset, motions: [], drivers };
  }
  const clips = listClips(opened, context.options);
  const file = await openInput(skeleton, { ...context, options: { ...context.options, rest: undefined } });
  const given = giveSkeleton(file, clips, context.options.animation);
  if (clips.length === 1 && file.asset.animations.length === 1) {
    const reference = { ...opened.asset, clips };
    noteDurations(reference, file.asset, [{ name: clips[0].name, reference: 0, result: 0 }], context);
  }
  const rig: ClipOfRig = { clip: joinClips(clips), skeleton: given.skeleton!, motion: given.motion! };
  noteStrangeJoints(context, file, rig.clip, rig.motion);
  return { ...opened, paths: [...paths, ...file.paths], rig, motions: [rig.motion], drivers };
}
