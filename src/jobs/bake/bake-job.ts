// SPDX-License-Identifier: MIT

import type { Asset } from '../../core/model/asset.ts';
import { UsageError } from '../../core/model/errors.ts';
import { choice, flag, type OptionsOf, option } from '../../core/options/option.ts';
import { checkPath, defineStep, type Path, schemaOf } from '../../core/options/step.ts';
import { type ListClipsOptions, listClips, listReferences } from '../../deformers/playback/index.ts';
import {
  COMMON_OPTIONS,
  defineJob,
  FRAME_OPTIONS,
  formatBytes,
  formatCount,
  type JobContext,
  type JobFacts,
  type OpenedInput,
  type Report,
  refuseUnread,
  STORE_OPTIONS,
  TOGETHER_OPTION,
} from '../engine/index.ts';
import { describePlayers } from '../report/index.ts';
import {
  ALL_EXTENSIONS,
  CHARACTER_EXTENSIONS,
  encodingOf,
  FRAMES_EXTENSIONS,
  type FramesOutput,
  findOutputFormat,
  isGlb,
  listExtensions,
  NAME_STEP,
  nameAsset,
  POSE_STEP,
  poseAssetRest,
  ROOT_STEP,
  type SettledInput,
  settleMotion,
  writeCharacter,
} from '../shared/index.ts';
import { bakeFrames } from './bake-frames.ts';
import { bakeTexture, describeTexture } from './bake-texture.ts';
import { DEFORMER_NAMES, DEFORMER_WEIGHTS } from './choose-deformer.ts';
import { describeBakedErrors, measureAsset } from './measure-baked.ts';
import { checkTextureOutput, TEXTURE_OPTIONS } from './texture-options.ts';

const SHAPE = defineStep({
  name: 'rest pose',
  options: {
    restPose: option(flag, 'write the shape at rest only, such as rest.obj for --edited of edit', {
      conflicts: ['frames', 'animation', 'rate', 'together'],
    }),
  },
});
const DEFORMER = defineStep({
  name: 'deformer',
  options: {
    deformer: option(
      choice(DEFORMER_NAMES),
      `deformer of the bones: ${DEFORMER_NAMES.join(', ')} (default: the one of the file)`,
      { conflicts: ['restPose'] },
    ),
    weights: option(
      choice(DEFORMER_WEIGHTS),
      'weights of --deformer: those of the file (own), elasticity-inspired, or bounded biharmonic (default: own)',
      { conflicts: ['restPose'] },
    ),
  },
});
const TEXTURE = defineStep({ name: 'texture', options: TEXTURE_OPTIONS });
const STORE = defineStep({ name: 'store', options: STORE_OPTIONS });
const FRAMES = defineStep({ name: 'frames', options: FRAME_OPTIONS });
const TOGETHER = defineStep({ name: 'together', options: TOGETHER_OPTION });
const COMMON = defineStep({ name: 'common', options: COMMON_OPTIONS });

const OPTIONS = schemaOf([SHAPE, DEFORMER, TEXTURE, STORE, FRAMES, TOGETHER, ROOT_STEP, NAME_STEP, POSE_STEP, COMMON]);
type Context = JobContext<OptionsOf<typeof OPTIONS>>;

const FRAMES_ONLY = `writes ${listExtensions(FRAMES_EXTENSIONS)} only`;
const FOR_TEXTURES = { texture: 'requires --as', bones: 'requires --as' };

/** Frames and textures have no joints. */
const NO_NAMES = {
  names: `names joints, and this output has none; write ${listExtensions(CHARACTER_EXTENSIONS)}`,
  front: 'requires --names or --pose',
  pose: `sets the rest of joints, and this output has none; write ${listExtensions(CHARACTER_EXTENSIONS)}`,
};

/** Positions of every frame. */
const CACHE: Path = {
  of: 'frames',
  steps: [SHAPE, DEFORMER, FRAMES, TOGETHER, ROOT_STEP, COMMON],
  faults: {
    ...FOR_TEXTURES,
    ...NO_NAMES,
    ...Object.fromEntries(
      Object.keys(STORE_OPTIONS).map((key) => [
        key,
        `has no effect on frames; it applies to ${listExtensions(CHARACTER_EXTENSIONS)}`,
      ]),
    ),
  },
};

/** Bones, weights, morph targets and animations. */
const CHARACTER: Path = {
  of: 'characters',
  steps: [STORE, FRAMES, ROOT_STEP, NAME_STEP, POSE_STEP, COMMON],
  faults: {
    ...FOR_TEXTURES,
    deformer: FRAMES_ONLY,
    restPose: FRAMES_ONLY,
    together: `has no effect here: this output keeps the animations of the input apart. It applies to ${listExtensions(FRAMES_EXTENSIONS)}`,
  },
};

/** Frames in textures. */
const TEXTURES: Path = {
  of: 'textures',
  steps: [TEXTURE, STORE, FRAMES, TOGETHER, ROOT_STEP, COMMON],
  faults: { ...NO_NAMES, deformer: FRAMES_ONLY, restPose: FRAMES_ONLY },
};

function pathOf(as: string | undefined, output: string): Path {
  if (as !== undefined) return TEXTURES;
  return FRAMES_EXTENSIONS.some((extension) => output.toLowerCase().endsWith(extension)) ? CACHE : CHARACTER;
}

export const bakeJob = defineJob({
  name: 'bake',
  title: 'Bake',
  summary: 'convert between formats, and bake animations to caches',
  description:
    'Writes an input in another format. Characters (GLB, FBX, USD) keep bones, weights, morph targets and animations. Caches (Alembic, PC2, MDD, OBJ sequences) get the ' +
    'positions of every frame. What a format cannot hold is noted.',
  inputs: [{ name: 'input', description: 'any file that is read (see docs/formats)' }],
  output: { description: `${listExtensions(ALL_EXTENSIONS)}; a name with --as`, extensions: [...ALL_EXTENSIONS, ''] },
  examples: [
    { line: 'bake walk.glb walk.abc', does: 'the positions of every frame, as Alembic' },
    { line: 'bake character.fbx character.glb', does: 'a character in another format' },
    {
      line: 'bake character.glb avatar.vrm --names vrm',
      does: 'an avatar: joints with the names of VRM, and its humanoid',
    },
    {
      line: 'bake rig.fbx+walk.fbx+run.fbx hero.glb --root extract',
      does: 'the animations of several files on one character, their way over the ground in a root bone',
    },
    { line: 'bake cloth.abc cloth.pc2', does: 'a point cache, with its mesh as cloth.obj beside it' },
    { line: 'bake walk.glb rest.obj --rest-pose', does: 'the shape that the bones are bound to' },
    {
      line: 'bake rig.glb frames.pc2 --deformer dual-quaternion',
      does: 'the frames of another deformer, to compare with',
    },
    { line: 'bake walk.glb frames/walk.obj', does: 'an OBJ file per frame: frames/walk.0001.obj …' },
    {
      line: 'bake walk.glb walk --as bone-texture',
      does: 'bone matrices as a texture: walk.json, walk.glb and walk.png',
    },
  ],
  options: OPTIONS,
  check({ as, restPose, deformer, weights, names, pose }, job) {
    const { output = '' } = job;
    checkTextureOutput({ as, restPose }, output);
    if (as === 'vertex-texture') refuseUnread(job, ['bones'], 'requires --as bone-texture');
    if (weights !== undefined && deformer === undefined) throw new UsageError('--weights', 'requires --deformer');
    if (names === undefined && pose === undefined) refuseUnread(job, ['front'], 'requires --names or --pose');
    const path = pathOf(as, output);
    checkPath(path, job.options ?? {});
    if (path === CHARACTER && !isGlb(output)) refuseUnread(job, ['quantize', 'meshopt'], 'applies to .glb only');
  },
  async run(context) {
    const { options, output } = context;
    const format = options.as ? undefined : findOutputFormat(output);
    const isCharacter = format?.holds === 'character';
    const read = await context.open(context.job.inputs[0], isCharacter ? { together: 'no' } : {});
    const { animation, frames, root } = options;
    // frames are chosen as they are baked; a character keeps its keys
    const chosen = isCharacter ? { animation, frames, root } : { root };
    const opened = await settleMotion(context, read, chosen);
    if (!format) return bakeTexture(context, opened);
    return format.holds === 'character'
      ? bakeCharacter(context, opened, format.extension)
      : bakeToFrames(context, opened, format);
  },
  describe: describeBaked,
});

/** Writes bones and keys in another format. */
async function bakeCharacter(context: Context, opened: SettledInput, extension: string): Promise<JobFacts> {
  const { output } = context;
  const posed = await poseAssetRest(selectMotion(context, opened), context.options);
  const asset = await nameAsset(posed, context.options, (text) => context.note(text));
  await context.claim([output]);
  const files = await context.phase('write', () =>
    writeCharacter(asset, { kind: 'clip' }, { ...encodingOf(context), path: output, storing: context.storing }),
  );
  return {
    inputs: [opened],
    files,
    result: { format: extension.slice(1), bones: asset.rig?.skeleton.names.length ?? 0, frames: 0 },
    bytes: { file: files.reduce((sum, { bytes }) => sum + bytes.length, 0) },
    measure: (file) => measureAsset(context, file, listReferences(asset.clips.length > 0 ? asset : opened.reference)),
  };
}

/** Writes the positions of every frame. */
async function bakeToFrames(context: Context, opened: OpenedInput, format: FramesOutput): Promise<JobFacts> {
  const { files, frames, metrics, measured } = await bakeFrames(context, opened, format);
  return {
    inputs: [opened],
    files,
    metrics,
    result: { format: format.extension.slice(1), bones: 0, frames, ...measured },
    bytes: { file: files.reduce((sum, { bytes }) => sum + bytes.length, 0) },
  };
}

/** The asset that a character is written of: of frames of positions, those that are selected. */
function selectMotion(context: JobContext<ListClipsOptions>, opened: OpenedInput): Asset {
  const { job, options } = context;
  const { asset } = opened;
  const isGiven = options.animation !== undefined || options.frames !== undefined;
  if (isGiven && asset.clips.length > 0) return { ...asset, clips: listClips(opened, options) };
  refuseUnread(
    job,
    ['rate'],
    `is for frames, and this output keeps the keys of animations; remove it, or write ${listExtensions(FRAMES_EXTENSIONS)}`,
  );
  return asset;
}

function describeBaked(report: Report) {
  const { files, result } = report;
  if (result.textureBytes !== undefined) return describeTexture(report);
  const frames = Number(result.frames) > 0 ? `, ${formatCount(Number(result.frames), 'frame')}` : '';
  const [first] = files;
  const others = files.length > 2 ? [['and', `${files.length - 1} more files`, '']] : [];
  const listed = files.length > 2 ? [first] : files;
  return [
    `${String(result.format).toUpperCase()}${frames}`,
    { rows: [...listed.map(({ path, bytes }) => ['wrote', path, formatBytes(bytes)]), ...others] },
    ...describeBakedErrors(report),
    ...describePlayers(report),
  ];
}
