// SPDX-License-Identifier: MIT

import { UsageError } from '../../core/model/errors.ts';
import { choice, count, file, flag, list, type OptionType, option, optional, text } from '../../core/options/option.ts';
import { findMotion, listClipPairs, listMotions } from '../../deformers/playback/index.ts';
import { renderScenes, VIEW_NAMES, type ViewName, writePng } from '../../draw/index.ts';
import { CLIP_OPTIONS, COMMON_OPTIONS, defineJob, formatBytes, openPlain, refuseUnread } from '../engine/index.ts';
import { warnDurations } from '../report/index.ts';
import { pairOptionsOf } from './compare-job.ts';
import { makeErrorScenes, makeScenes, type SceneOptions } from './draw-scenes.ts';
import { loadLooks } from './load-looks.ts';

/** Width and height in pixels: 640x480. */
const size: OptionType<{ width: number; height: number }> = {
  placeholder: '<WxH>',
  isText: true,
  parse(value) {
    const match = /^(\d{1,5})x(\d{1,5})$/i.exec(value.trim());
    const [width, height] = match ? [Number(match[1]), Number(match[2])] : [0, 0];
    if (width >= 16 && height >= 16 && width <= 8192 && height <= 8192 && width * height <= 2 ** 24)
      return { width, height };
    throw new UsageError(
      '',
      'Give WIDTHxHEIGHT in pixels, from 16 to 8192 each and no more than 4096x4096 in all, such as 640x480.',
    );
  },
};

const OPTIONS = {
  frame: option(count(0), 'frame to draw, from 0 (default: the rest pose)', { conflicts: ['frames'] }),
  framesSheet: option(count(1, 64), 'draw this many frames, evenly spaced', { conflicts: ['frame'] }),
  view: option(list(choice(VIEW_NAMES), '<names>'), `views, separated by commas: ${VIEW_NAMES.join(', ')}`, {
    default: ['three-quarter'] as ViewName[],
  }),
  size: option(size, 'size of each picture in pixels (default: 640x480)'),
  weights: option(optional(text('<bone>')), 'colour by skinning weights: all bones, or one by name or index'),
  bones: option(flag, 'draw the skeleton'),
  virtualBones: option(flag, 'draw the virtual bones of two layers', { conflicts: ['error'] }),
  light: option(flag, "show the file's light, as made by ossify light", { conflicts: ['weights', 'error'] }),
  wireframe: option(flag, 'draw the edges of the triangles'),
  error: option(file, 'colour by the distance from this reference file'),
  background: option(choice(['light', 'dark', 'transparent']), 'background', { default: 'light' }),
  ...CLIP_OPTIONS,
  ...COMMON_OPTIONS,
};

export const drawJob = defineJob({
  name: 'draw',
  title: 'Draw',
  summary: 'draw a file as a picture (PNG)',
  description: 'Draws a file as a PNG: its rest pose, one frame or several, from one side or several.',
  inputs: [{ name: 'input', description: "a file, rest.obj+motion.pc2, or 'frames/*.obj'" }],
  output: { description: 'a .png file', extensions: ['.png'] },
  examples: [
    { line: 'draw model.glb model.png', does: 'the rest pose, shaded' },
    {
      line: 'draw model.glb weights.png --weights --bones --view front,side',
      does: 'skinning weights and skeleton, two views',
    },
    { line: 'draw rest.obj+motion.pc2 sheet.png --frames-sheet 8', does: 'eight frames of a clip' },
    { line: 'draw lit.glb lit.png --light --frame 12', does: 'precomputed light of a frame' },
    {
      line: 'draw result.glb error.png --error rest.obj+motion.pc2 --frame 12',
      does: 'the error of a frame, in colour',
    },
  ],
  options: OPTIONS,
  check({ frame, frames, framesSheet, animation, error }, job) {
    if ([frame, frames, framesSheet, animation, error].every((value) => value === undefined))
      refuseUnread(
        job,
        ['rate', 'keys'],
        'samples frames, and only the rest pose is drawn; give --frame or --frames-sheet',
      );
  },
  async run(context) {
    const { options, output } = context;
    const opened = await openPlain(context, context.job.inputs[0]);
    const reference = options.error === undefined ? undefined : await openPlain(context, options.error);
    await context.claim([output]);
    const leader = reference && listMotions(reference.asset).length > 0 ? reference : opened;
    if (options.animation !== undefined) findMotion(leader.asset, options.animation);
    const sceneOptions: SceneOptions = { ...options, ...pairOptionsOf(options) };
    const bytes = await context.phase('draw', async () => {
      const isPlain = !reference && !options.weights && !options.light;
      if (isPlain) sceneOptions.looks = await loadLooks(opened.asset, (text) => context.note(text));
      const drawn = reference
        ? makeErrorScenes(reference.asset, opened.asset, sceneOptions)
        : makeScenes(opened.asset, sceneOptions);
      const { view: views, size, background, wireframe, bones, virtualBones, weights } = options;
      // the surface is transparent so that bones are visible; less so if its colours carry information
      const opacity = bones || virtualBones ? (weights ? 0.85 : 0.75) : 1;
      return writePng(renderScenes(drawn, { views, size, background, wireframe, opacity, up: opened.asset.up }));
    });
    if (reference) {
      const pairs = listClipPairs(reference.asset, opened.asset, sceneOptions).slice(0, 1);
      warnDurations(reference.asset, opened.asset, pairs, (text) => context.note(text));
    }
    return {
      inputs: [opened, ...(reference ? [reference] : [])],
      files: [{ path: output, bytes }],
      bytes: { file: bytes.length },
    };
  },
  describe: ({ files }) => files.map(({ path, bytes }) => `wrote ${path} (${formatBytes(bytes)})`),
});
