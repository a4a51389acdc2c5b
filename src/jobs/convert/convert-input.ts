// SPDX-License-Identifier: MIT
// What convert works on: a skinned file, a sample rig, or a clip with the bones that moved it.

import { joinArrays } from '../../core/math/join-arrays.ts';
import { joinClips } from '../../core/model/clip/join-clips.ts';
import type { Motion } from '../../core/model/clip/motion.ts';
import type { MorphDriver } from '../../core/model/deformed/morph-drivers.ts';
import { InputError, UsageError } from '../../core/model/errors.ts';
import { makeAsset } from '../../core/model/make-asset.ts';
import { quoteName } from '../../core/model/plain-text.ts';
import type { Skeleton } from '../../core/model/skin/skeleton.ts';
import { type ListClipsOptions, listPlayedClips, type PlayedClip } from '../../deformers/playback/index.ts';
import { readMorphDrivers } from '../../formats/shared/index.ts';
import { makeRigClip, makeRigSample, RIG_SAMPLES } from '../../samples/index.ts';
import { checkGivenSkeleton } from '../decompose/index.ts';
import { formatCount, type JobContext, type OpenedInput } from '../engine/index.ts';
import { settleMotion, type TakeValues } from '../shared/index.ts';
import { skeleton as extractFrom } from '../skeleton/index.ts';
import { addInputJoints, type InputJoint } from './add-input-joints.ts';

import type { ConvertSource } from './convert.ts';
import { CLIP, checkConvertPath, FACE, RIG_FILE, RIG_SAMPLE } from './convert-paths.ts';

/** Morph targets, or a mesh in a cage. */
export interface ShapeSource extends OpenedInput {
  path: 'shapes';
}

/** What is converted. */
export type ConvertInput = HelperSource | ShapeSource;

/** A rig or a clip, which gets helper bones. */
export interface HelperSource extends OpenedInput {
  path: 'helpers';
  source: ConvertSource;
  /** Motions of the joints of a sample rig, or of a clip. */
  motions: Motion[];
  /** The frames of a clip that are converted, and what they are taken from. */
  played?: readonly PlayedClip[];
  drivers?: MorphDriver[];
  /** Parameters of the file that are offered to the controllers: the last joints of the source. */
  inputs?: InputJoint[];
}

interface ConvertInputOptions extends ListClipsOptions, Pick<TakeValues, 'root'> {
  skeleton?: string;
  morphDrivers?: string;
  cage?: string;
  seed?: number;
  threads?: number;
}

const SAMPLE = /^sample:(?:rig-)?(.+)$/;
/** Frames of the loop that a sample rig plays. */
const SAMPLE_FRAMES = 60;

export async function openConvertInput(context: JobContext<ConvertInputOptions>): Promise<ConvertInput> {
  const { options } = context;
  const [input] = context.job.inputs;
  const { skeleton, morphDrivers } = options;
  const drivers =
    morphDrivers === undefined ? undefined : readMorphDrivers(await context.read(morphDrivers, 'morph drivers'));
  const sample = SAMPLE.exec(input);
  if (sample) {
    checkConvertPath(context, RIG_SAMPLE);
    return openRigSample(sample[1], input);
  }
  const opened = await context.open(input);
  if (skeleton === undefined) {
    const { rig, morphs } = opened.asset;
    if (options.cage !== undefined) return openShapes(context, opened);
    if (!rig?.isJoint.includes(1)) return openWithoutSkin(context, opened);
    if (morphs && context.isGiven('bones')) return openShapes(context, opened);
    checkConvertPath(context, RIG_FILE, opened.asset);
    const settled = await settleMotion(context, opened);
    return { ...settled, path: 'helpers', source: { kind: 'asset', asset: settled.asset }, motions: [], drivers };
  }
  checkConvertPath(context, CLIP, opened.asset);
  const played = listPlayedClips(opened, options);
  const file = await context.open(skeleton, { rest: undefined });
  const given = checkGivenSkeleton(
    context,
    file,
    opened,
    played.map(({ clip }) => clip),
  );
  return { ...opened, path: 'helpers', ...offerInputs(context, opened, played, given.skeleton, [given.motion]) };
}

/** Morph targets, or a mesh in a cage. */
async function openShapes(context: JobContext<ConvertInputOptions>, opened: OpenedInput): Promise<ConvertInput> {
  checkConvertPath(context, FACE, opened.asset);
  return { ...(await settleMotion(context, opened)), path: 'shapes' };
}

/** A file without joints: its morph targets, or a clip, whose skeleton is found first. */
async function openWithoutSkin(context: JobContext<ConvertInputOptions>, opened: OpenedInput): Promise<ConvertInput> {
  const { asset, input } = opened;
  if (asset.morphs && (isShaped(asset) || context.isGiven('bones'))) return openShapes(context, opened);
  if (asset.clips.length === 0 && asset.animations.length === 0)
    throw new InputError(
      input,
      'has no skin, no morph targets and no motion; give a rig, a face of morph targets or an animated mesh',
    );
  checkConvertPath(context, CLIP, asset);
  const played = listPlayedClips(opened, context.options);
  const clips = played.map(({ clip }) => clip);
  const { seed, threads } = context.options;
  const { model } = await context.phase('skeleton', () =>
    extractFrom(clips, { seed, threads, signal: context.signal, onProgress: context.progress }),
  );
  context.note(`found a skeleton of ${formatCount(model.skeleton.names.length, 'bone')}`);
  return { ...opened, path: 'helpers', ...offerInputs(context, opened, played, model.skeleton, model.motions) };
}

/** A clip with its skeleton, to which joints for the parameters of the file are added. */
function offerInputs(
  context: JobContext<ConvertInputOptions>,
  { asset }: OpenedInput,
  played: readonly PlayedClip[],
  skeleton: Skeleton,
  found: readonly Motion[],
): Pick<HelperSource, 'source' | 'motions' | 'inputs' | 'played'> {
  const clips = played.map(({ clip }) => clip);
  const { motions, inputs, ...own } = addInputJoints(asset, clips, skeleton, found, context.options.animation);
  if (inputs.length > 0)
    context.note(`the controllers may read ${inputs.map(({ name }) => quoteName(name)).join(', ')}`);
  const matrices = joinArrays(motions.map((motion) => motion.matrices)) as Float64Array;
  const clip = joinClips(clips);
  const motion = { name: clip.name, times: clip.times, matrices };
  const joints = inputs.map((_, n) => skeleton.names.length + n);
  return { source: { kind: 'clip', clip, skeleton: own.skeleton, motion, inputs: joints }, motions, inputs, played };
}

/** Whether the shapes alone move the mesh. */
function isShaped({ animations, rig }: OpenedInput['asset']): boolean {
  return !animations.some(({ tracks }) =>
    tracks.some(({ path, node }) => path !== 'weights' && rig?.nodeOfBone.includes(node)),
  );
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
  return { path: 'helpers', input, asset, paths: [], source: { kind: 'rig', rig }, motions: motion ? [motion] : [] };
}
