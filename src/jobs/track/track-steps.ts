// SPDX-License-Identifier: MIT
// The options of track by step, and the paths through the job: a skin, the smallest file of a skin, or frames.

import { UsageError } from '../../core/model/errors.ts';
import { count, flag, group, length, type OptionsOf, option, outputFile } from '../../core/options/option.ts';
import { checkPath, type Path, schemaOf } from '../../core/options/step.ts';
import { TRACK_OPTIONS } from '../../methods/track/index.ts';
import { COMMON_OPTIONS, type Job, type JobContext, READ_OPTIONS, STORE_OPTIONS } from '../engine/index.ts';
import {
  CHARACTER_EXTENSIONS,
  checkSizeOptions,
  FRAMES_EXTENSIONS,
  listExtensions,
  SIZE_OPTIONS,
} from '../shared/index.ts';

const MAX_BONES = 65_535;
const { rest: _rest, ...READ } = READ_OPTIONS;

const TEMPLATE = { name: 'template', options: TRACK_OPTIONS } as const;
const SKIN = {
  name: 'skin',
  options: group('Model options:', {
    bones: option(count(1, MAX_BONES), 'number of bones of the skin', { default: 60 }),
    influences: option(count(1, 32), 'maximum weights per vertex', { default: 4 }),
  }),
} as const;
const FORCE = {
  name: 'force',
  options: group('Model options:', {
    force: option(flag, 'write the result also if the template does not fit a frame, such as one of another object'),
  }),
} as const;
const CLIP = {
  name: 'clip',
  options: group('Output options:', {
    clip: option(outputFile, `also write the tracked frames: ${listExtensions(FRAMES_EXTENSIONS)}`),
  }),
} as const;
const GPU = {
  name: 'gpu',
  options: group('Compute options:', {
    gpu: option(flag, 'search nearest points on the GPU; requires the npm package webgpu (default: on threads)'),
  }),
} as const;
const SIZE = {
  name: 'size',
  options: {
    ...SIZE_OPTIONS,
    ...group('Size options:', {
      rms: option(
        length,
        'with --for size: root mean square distance from the frames (--codec ossify) or from the tracked vertices: 0.01, 1mm or 0.5%; exit with status 3 if it is exceeded (default: 0.03% with --codec ossify)',
      ),
    }),
  },
} as const;
const STORE = { name: 'store', options: STORE_OPTIONS } as const;
const READING = { name: 'read', options: READ } as const;
const COMMON = { name: 'common', options: COMMON_OPTIONS } as const;

/** The options of the job, in the order of the help. */
export const OPTIONS = schemaOf([TEMPLATE, SKIN, FORCE, CLIP, GPU, SIZE, STORE, READING, COMMON]);
export type TrackJobOptions = OptionsOf<typeof OPTIONS>;
export type TrackContext = JobContext<TrackJobOptions>;

const FOR_SKIN = `is for a skin, and the output has frames; remove it, or write ${listExtensions(CHARACTER_EXTENSIONS)}`;
const ofSkin = { ...SKIN.options, ...STORE_OPTIONS, ...SIZE.options };

/** The paths through the job. */
export const PATHS = {
  /** A skin, as it was solved. */
  skin: { of: 'a skin', steps: [TEMPLATE, SKIN, FORCE, CLIP, GPU, STORE, READING, COMMON] },
  /** The smallest file of a skin. */
  small: { of: 'the smallest file', steps: [TEMPLATE, SKIN, FORCE, CLIP, GPU, SIZE, STORE, READING, COMMON] },
  /** The tracked frames alone. */
  frames: {
    of: 'frames',
    steps: [TEMPLATE, FORCE, GPU, READING, COMMON],
    faults: {
      ...Object.fromEntries(Object.keys(ofSkin).map((key) => [key, FOR_SKIN])),
      clip: 'requires a skin as output; the output has the frames already',
    },
  },
} as const satisfies Record<string, Path>;

/** The path of a job. */
export function pathOf(options: TrackJobOptions, output: string): keyof typeof PATHS {
  if (FRAMES_EXTENSIONS.some((extension) => output.toLowerCase().endsWith(extension))) return 'frames';
  return options.for === undefined ? 'skin' : 'small';
}

/** Throws a UsageError if options contradict one another, or the path of the job. */
export function checkTrackOptions(options: TrackJobOptions, { output = '', options: given = {} }: Job): void {
  const { clip } = options;
  checkSizeOptions(options, output);
  if (options.for === undefined && options.rms !== undefined) throw new UsageError('--rms', 'requires --for size');
  if (clip !== undefined && !FRAMES_EXTENSIONS.some((extension) => clip.toLowerCase().endsWith(extension)))
    throw new UsageError('--clip', `must end in ${listExtensions(FRAMES_EXTENSIONS)}, not "${clip}"`);
  checkPath(PATHS[pathOf(options, output)], given);
}
