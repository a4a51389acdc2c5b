// SPDX-License-Identifier: MIT
// What convert works on: a skinned file, a sample rig, or a clip with the bones that moved it.

import { type ListClipsOptions, listClips } from '../deform/list-clips.ts';
import { readMorphDrivers } from '../io/morph-driver-file.ts';
import { InputError, UsageError } from '../model/errors.ts';
import { joinClips } from '../model/join-clips.ts';
import { makeAsset } from '../model/make-asset.ts';
import type { MorphDriver } from '../model/morph-drivers.ts';
import type { Motion } from '../model/motion.ts';
import { makeRigClip, makeRigSample, RIG_SAMPLES } from '../sample/make-rig-sample.ts';
import { checkGivenSkeleton } from './check-given-skeleton.ts';
import type { ConvertSource } from './convert.ts';
import type { OpenedInput } from './job.ts';
import type { JobContext } from './job-context.ts';

export interface ConvertInput extends OpenedInput {
  source: ConvertSource;
  /** Motions of the joints of a sample rig, or of a clip. */
  motions: Motion[];
  drivers?: MorphDriver[];
}

const SAMPLE = /^sample:(?:rig-)?(.+)$/;
/** Frames of the loop that a sample rig plays. */
const SAMPLE_FRAMES = 60;

export async function openConvertInput(
  context: JobContext<ListClipsOptions & { skeleton?: string; morphDrivers?: string }>,
): Promise<ConvertInput> {
  const { options } = context;
  const [input] = context.job.inputs;
  const { skeleton, morphDrivers } = options;
  const drivers =
    morphDrivers === undefined ? undefined : readMorphDrivers(await context.read(morphDrivers, 'morph drivers'));
  const sample = SAMPLE.exec(input);
  if (sample) return { ...openRigSample(sample[1], input), drivers };
  const opened = await context.open(input);
  if (skeleton === undefined) {
    if (!opened.asset.rig?.isJoint.includes(1))
      throw new InputError(input, 'has no skin; give a rigged glTF, or the bones that moved this clip with --skeleton');
    return { ...opened, source: { kind: 'asset', asset: opened.asset }, motions: [], drivers };
  }
  const clips = listClips(opened, options);
  const file = await context.open(skeleton, { rest: undefined });
  const given = checkGivenSkeleton(context, file, opened, clips);
  const source = { kind: 'clip', clip: joinClips(clips), ...given } as const;
  return { ...opened, source, motions: [given.motion], drivers };
}

function openRigSample(name: string, input: string): ConvertInput {
  if (!RIG_SAMPLES.some((known) => known.name === name))
    throw new UsageError(
      input,
      `there is no rig "${name}"; there are ${RIG_SAMPLES.map((known) => known.name).join(', ')}`,
    );
  const rig = makeRigSample(name);
  const { motion, clip } = makeRigClip(name, SAMPLE_FRAMES);
  const asset = { ...makeAsset({ ...clip, mesh: rig.mesh }, { name, metresPerUnit: 1 }), clips: [] };
  return { input, asset, paths: [], source: { kind: 'rig', rig }, motions: [motion!] };
}
