// SPDX-License-Identifier: MIT
import { extname } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { VIEW_NAMES, type ViewName } from '../draw/camera.ts';
import { makeContactSheet, type SheetCell } from '../draw/contact-sheet.ts';
import type { Image } from '../draw/image.ts';
import { renderView } from '../draw/render.ts';
import { fitCameras } from '../draw/render-views.ts';
import { writePng } from '../draw/write-png.ts';
import type { UpAxis } from '../model/asset.ts';
import { findMotion, listClipPairs, listMotions } from '../recipe/clip-pair.ts';
import { reportInputOf } from '../recipe/report.ts';
import { FrameRangeError } from '../recipe/select-frames.ts';
import { addClipOptions, type ClipOptions } from './clip-options.ts';
import type { CommandSpec } from './command.ts';
import { pairOptionsOf } from './compare.ts';
import { type DrawnScenes, makeErrorScenes, makeScenes, type SceneOptions } from './draw-scenes.ts';
import { EXIT_DONE, faultOf, JobError, UsageError } from './exit-status.ts';
import { formatBytes } from './format-number.ts';
import { noteDurations } from './note-durations.ts';
import { openInput } from './open-input.ts';
import { pictureSize, wholeNumber } from './option-values.ts';
import { checkResults, saveResults } from './save-results.ts';

const BACKGROUNDS = ['light', 'dark', 'transparent'] as const;
type Background = (typeof BACKGROUNDS)[number];

interface DrawOptions extends ClipOptions {
  frame?: number;
  framesSheet?: number;
  view: ViewName[];
  size?: { width: number; height: number };
  weights?: boolean | string;
  bones?: boolean;
  wireframe?: boolean;
  error?: string;
  background: Background;
}

export const drawCommand: CommandSpec<DrawOptions> = {
  name: 'draw',
  summary: 'draw a file as a picture (PNG)',
  description: 'Draws a file as a PNG: its rest pose, a frame, or several, from one or several sides.',
  arguments: [
    { name: '<input>', description: "a file, rest.obj+motion.pc2, or 'frames/*.obj'" },
    { name: '<output>', description: 'a .png file' },
  ],
  examples: [
    { line: 'draw model.glb model.png', does: 'the rest pose, shaded' },
    {
      line: 'draw model.glb weights.png --weights --bones --view front,side',
      does: 'skinning weights and skeleton, two views',
    },
    { line: 'draw rest.obj+motion.pc2 sheet.png --frames-sheet 8', does: 'eight frames of a clip' },
    {
      line: 'draw result.glb error.png --error rest.obj+motion.pc2 --frame 12',
      does: 'how far frame 12 is off, as a heat map',
    },
  ],
  configure(command: Command) {
    command
      .addOption(new Option('--frame <n>', 'frame to draw, from 0 (default: the rest pose)').argParser(wholeNumber(0)))
      .addOption(
        new Option('--frames-sheet <n>', 'draw n frames, evenly spread')
          .argParser(wholeNumber(1, 64))
          .conflicts('frame'),
      )
      .addOption(
        new Option('--view <names>', `views, separated by commas: ${VIEW_NAMES.join(', ')}`)
          .default(['three-quarter'], 'three-quarter')
          .argParser(parseViews),
      )
      .addOption(new Option('--size <WxH>', 'pixels of each picture (default: 640x480)').argParser(pictureSize))
      .option('--weights [bone]', 'colour by skinning weights: all bones, or one by name or index')
      .option('--bones', 'draw the skeleton')
      .option('--wireframe', 'draw the edges of the triangles')
      .option('--error <reference>', 'colour by the distance from another file')
      .addOption(new Option('--background <name>', 'background').choices(BACKGROUNDS).default('light'));
    addClipOptions(command);
  },
  async run(context) {
    const { options, args } = context;
    const [input, output] = args;
    if (extname(output).toLowerCase() !== '.png')
      throw new UsageError(`draw: the output must end in .png, not "${output}"`);
    const opened = await context.phase('read', () => openInput(input, context));
    const { error } = options;
    const reference = error === undefined ? undefined : await context.phase('read', () => openInput(error, context));
    const paths = [...opened.paths, ...(reference?.paths ?? [])];
    await checkResults(context, [output], paths);
    const leader = reference && listMotions(reference.asset).length > 0 ? reference : opened;
    checkAnimation(leader.input, () => options.animation !== undefined && findMotion(leader.asset, options.animation));

    const sceneOptions: SceneOptions = { ...options, ...pairOptionsOf(options) };
    const bytes = await context.phase('draw', () => {
      try {
        const drawn = reference
          ? makeErrorScenes(reference.asset, opened.asset, sceneOptions)
          : makeScenes(opened.asset, sceneOptions);
        return writePng(drawScenes(drawn, options, opened.asset.up));
      } catch (fault) {
        if (!(fault instanceof Error) || fault instanceof UsageError) throw fault;
        if (fault instanceof FrameRangeError) throw new UsageError(`draw: ${fault.message}`, { cause: fault });
        throw new JobError(`${input}: ${faultOf(fault)}`, { cause: fault });
      }
    });
    if (reference) {
      const pairs = listClipPairs(reference.asset, opened.asset, sceneOptions).slice(0, 1);
      noteDurations(reference.asset, opened.asset, pairs, context);
    }
    const written = { path: output, bytes: bytes.length };
    await saveResults(context, [{ path: output, bytes }], paths, {
      inputs: [opened, ...(reference ? [reference] : [])].map((one) => reportInputOf(one.input, one.asset)),
      result: { files: [written] },
      bytes: { file: bytes.length },
    });
    context.tell({ files: [written] });
    context.say(`wrote ${output} (${formatBytes(bytes.length)})`);
    return EXIT_DONE;
  },
};

function checkAnimation(input: string, find: () => unknown): void {
  try {
    find();
  } catch (error) {
    throw new UsageError(`${input}: ${(error as Error).message}`, { cause: error });
  }
}

/** Pixels of a whole sheet: 64 pictures of 1024x1024, which take 800 MB while they are drawn. */
const MOST_PIXELS = 2 ** 26;

/** One picture as large as asked for, or a sheet of them: a row per frame where there are several views. */
function drawScenes({ scenes, scale }: DrawnScenes, options: DrawOptions, up: UpAxis): Image {
  const { view: views, background, wireframe, bones } = options;
  const isSingle = scenes.length * views.length === 1;
  const { width, height } = options.size ?? (isSingle ? { width: 640, height: 480 } : { width: 400, height: 400 });
  const theme = background === 'dark' ? 'dark' : 'light';
  const count = scenes.length * views.length;
  if (count * width * height > MOST_PIXELS) {
    throw new UsageError(
      `draw: ${count} pictures of ${width}x${height} are too much for one file; ask for fewer or smaller ones`,
    );
  }
  if (background === 'transparent' && !(isSingle && !scale)) {
    throw new UsageError('--background transparent is for one picture without a scale');
  }
  const cameras = fitCameras(joinPositions(scenes), views, { width, height, up });
  const transparent = background === 'transparent';
  // Bones are drawn over the body; it steps back behind them, less where its own colours are to be read.
  const opacity = bones ? (options.weights ? 0.85 : 0.75) : 1;
  const cells: SheetCell[] = scenes.flatMap(({ scene, caption }) =>
    views.map((view, n) => ({
      image: renderView(scene, { width, height, camera: cameras[n], theme, transparent, wireframe, opacity }),
      caption: views.length > 1 ? (scenes.length > 1 ? `${caption}, ${view}` : view) : caption,
    })),
  );
  if (isSingle && !scale) return cells[0].image;
  return makeContactSheet(cells, {
    theme,
    scale,
    ...(views.length > 1 && scenes.length > 1 ? { columns: views.length } : {}),
  });
}

/** All points of all scenes, so that one camera sees them all. */
function joinPositions(scenes: DrawnScenes['scenes']): Float32Array {
  const stride = scenes[0].scene.positions.length;
  const all = new Float32Array(stride * scenes.length);
  scenes.forEach(({ scene }, n) => {
    all.set(scene.positions, n * stride);
  });
  return all;
}

function parseViews(text: string): ViewName[] {
  return text.split(',').map((part) => {
    const view = VIEW_NAMES.find((name) => name === part.trim());
    if (!view) throw new InvalidArgumentError(`Views are ${VIEW_NAMES.join(', ')}.`);
    return view;
  });
}
