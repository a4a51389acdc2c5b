// SPDX-License-Identifier: MIT

import type { Asset } from '../../core/model/asset.ts';
import { UsageError } from '../../core/model/errors.ts';
import { choice, flag, option } from '../../core/options/option.ts';
import { findMotion, type ListClipsOptions, listClips } from '../../deformers/playback/index.ts';
import {
  COMMON_OPTIONS,
  defineJob,
  FRAME_OPTIONS,
  formatBytes,
  formatCount,
  type JobContext,
  type OpenedInput,
  READ_OPTIONS,
  type Report,
  refuseUnread,
  STORE_OPTIONS,
  TOGETHER_OPTION,
} from '../engine/index.ts';
import {
  ALL_EXTENSIONS,
  CHARACTER_EXTENSIONS,
  FRAMES_EXTENSIONS,
  findOutputFormat,
  isGlb,
  listExtensions,
} from '../shared/index.ts';
import { bakeFrames } from './bake-frames.ts';
import { bakeTexture, describeTexture } from './bake-texture.ts';
import { DEFORMER_NAMES, DEFORMER_WEIGHTS } from './choose-deformer.ts';
import { checkTextureOutput, TEXTURE_OPTIONS } from './texture-options.ts';

/** Options of formats that hold a character. */
const STORED = Object.keys(STORE_OPTIONS);

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
  options: {
    restPose: option(flag, 'write the shape at rest only, such as rest.obj for --edited of edit', {
      conflicts: ['frames', 'animation', 'rate', 'together'],
    }),
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
    ...TEXTURE_OPTIONS,
    ...STORE_OPTIONS,
    ...READ_OPTIONS,
    ...FRAME_OPTIONS,
    ...TOGETHER_OPTION,
    ...COMMON_OPTIONS,
  },
  check({ as, restPose, deformer, weights }, job) {
    const { output = '' } = job;
    checkTextureOutput({ as, restPose }, output);
    if (as === undefined) refuseUnread(job, ['texture', 'bones'], 'requires --as');
    else if (as === 'vertex-texture') refuseUnread(job, ['bones'], 'requires --as bone-texture');
    if (weights !== undefined && deformer === undefined) throw new UsageError('--weights', 'requires --deformer');
    const isFrames = FRAMES_EXTENSIONS.some((extension) => output.toLowerCase().endsWith(extension));
    if (deformer !== undefined && !isFrames)
      throw new UsageError('--deformer', `writes ${listExtensions(FRAMES_EXTENSIONS)} only`);
    if (isFrames)
      refuseUnread(job, STORED, `has no effect on frames; it applies to ${listExtensions(CHARACTER_EXTENSIONS)}`);
    else if (as === undefined && !isGlb(output)) refuseUnread(job, ['quantize', 'meshopt'], 'applies to .glb only');
    if (restPose && !isFrames) throw new UsageError('--rest-pose', `writes ${listExtensions(FRAMES_EXTENSIONS)} only`);
  },
  async run(context) {
    const { output } = context;
    const opened = await context.open(context.job.inputs[0]);
    if (context.options.as) return bakeTexture(context, opened);
    const format = findOutputFormat(output);
    if (format.holds === 'character') {
      const asset = selectMotion(context, opened);
      await context.claim([output]);
      const bytes = await context.phase('write', () => format.write(asset, { kind: 'clip' }, context.storing));
      return {
        inputs: [opened],
        files: [{ path: output, bytes }],
        result: { format: format.extension.slice(1), bones: asset.rig?.skeleton.names.length ?? 0, frames: 0 },
        bytes: { file: bytes.length },
      };
    }
    const { files, frames } = await bakeFrames(context, opened, format);
    return {
      inputs: [opened],
      files,
      result: { format: format.extension.slice(1), bones: 0, frames },
      bytes: { file: files.reduce((sum, { bytes }) => sum + bytes.length, 0) },
    };
  },
  describe: describeBaked,
});

/** The asset that a character is written of: frames of positions are selected, animations are kept whole. */
function selectMotion(context: JobContext<ListClipsOptions>, opened: OpenedInput): Asset {
  const { job, options } = context;
  const { asset } = opened;
  const isGiven = options.animation !== undefined || options.frames !== undefined;
  if (isGiven && asset.clips.length > 0) return { ...asset, clips: listClips(opened, options) };
  if (options.animation !== undefined) findMotion(asset, options.animation);
  refuseUnread(
    job,
    ['animation', 'frames', 'rate'],
    `selects frames, and this output keeps all animations with their keys; remove it, or write ${listExtensions(FRAMES_EXTENSIONS)}`,
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
  ];
}
