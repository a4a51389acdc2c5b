// SPDX-License-Identifier: MIT

import { LIGHT_KINDS } from '../../core/model/deformed/skin-light.ts';
import { InputError, UsageError } from '../../core/model/errors.ts';
import {
  choice,
  count,
  group,
  list,
  numberFrom,
  option,
  optional,
  orWord,
  type Values,
} from '../../core/options/option.ts';
import { measureExtensionBytes } from '../../deformers/layout/index.ts';
import { LIGHT_EXTENSION, LIGHT_FIELDS } from '../../deformers/light/index.ts';
import { writeGlb } from '../../formats/gltf/index.ts';
import { LIGHT_DEFAULTS, measureLight } from '../../methods/light/index.ts';
import {
  COMMON_OPTIONS,
  defineJob,
  FRAME_OPTIONS,
  formatBytes,
  formatCount,
  formatNumber,
  needsSkin,
  type Report,
  STORE_OPTIONS,
  WRITTEN_FILE,
} from '../engine/index.ts';
import { readWritten, warnStopped } from '../report/index.ts';
import { light } from './light.ts';
import { makeLitMotions } from './make-lit-motions.ts';

/** Ratio of light that a ground reflects if none is given: earth or asphalt in the sun. */
const GROUND = 0.3;

const { shading: _shading, ...STORE } = STORE_OPTIONS;

const OPTIONS = {
  ...group('Light options:', {
    kind: option(
      choice(LIGHT_KINDS),
      'occlusion (ambient occlusion), transfer (response to any light, in spherical harmonics), prelit (colours under a sky and sun)',
      {
        default: LIGHT_DEFAULTS.kind,
        form: {
          label: 'Kind',
          labels: { occlusion: 'ambient occlusion', transfer: 'transfer vectors', prelit: 'sky and sun' },
        },
      },
    ),
    rank: option(count(1, 64), 'number of components; more are closer to the traced light', {
      default: LIGHT_DEFAULTS.rank,
      form: { label: 'Rank', range: [1, 20, 1] },
    }),
    rays: option(count(1, 65536), 'rays per vertex and frame', {
      default: LIGHT_DEFAULTS.rays,
      form: { label: 'Rays', range: [16, 1024, 16], isFine: true },
    }),
    ground: option(
      optional(numberFrom(0, 1, '<ratio>')),
      `add a ground below the model, which reflects this ratio of its light (default: no ground; ${GROUND} without a value)`,
    ),
    sun: option(
      orWord(['none'], list(numberFrom(-360, 360), '<azimuth,elevation>')),
      'direction to the sun for transfer and prelit, in degrees: azimuth from the front to the left, elevation above the horizon; none: only the sky',
      {
        defaultText: `${LIGHT_DEFAULTS.sun.azimuth},${LIGHT_DEFAULTS.sun.elevation}`,
        isFor: ({ kind }: Values) => kind !== undefined && kind !== 'occlusion',
      },
    ),
  }),
  ...STORE,
  ...FRAME_OPTIONS,
  ...COMMON_OPTIONS,
};

export const lightJob = defineJob({
  name: 'light',
  title: 'Light',
  summary: 'precompute the light on an animated skin',
  description:
    `Traces rays from every vertex in every frame, and writes the light as a few components per vertex with coefficients per frame, relative to unshadowed light: ${LIGHT_EXTENSION}, and its mean as plain ` +
    'vertex colours that any viewer shows. Bones, weights, animations and materials are kept.',
  inputs: [{ name: 'input', description: 'a skinned and animated .glb, .gltf, .fbx or USD file' }],
  output: { description: 'a .glb file', extensions: ['.glb'] },
  examples: [
    { line: 'light horse.glb lit.glb', does: 'ambient occlusion with six components' },
    { line: 'light horse.glb lit.glb --ground --rank 10', does: 'with light that a ground reflects' },
    { line: 'light horse.glb lit.glb --kind transfer', does: 'for light that changes while the page runs' },
    { line: 'light horse.glb lit.glb --kind prelit --sun 60,30', does: 'colours under a sky and a low sun' },
  ],
  options: OPTIONS,
  isStoppable: true,
  refuses: (facts) =>
    needsSkin()(facts) ?? (facts.animations.length === 0 ? 'This file has no animation to light.' : undefined),
  titleOf: (values: Values) => `Light, ${values.kind ?? LIGHT_DEFAULTS.kind}`,
  check({ sun, kind }) {
    if (sun !== undefined && kind === 'occlusion') throw new UsageError('--sun', 'requires --kind transfer or prelit');
    if (Array.isArray(sun) && !(sun.length === 2 && Math.abs(sun[1]) <= 90))
      throw new UsageError('--sun', 'give azimuth and elevation in degrees, such as 40,50, or none');
  },
  async run(context) {
    const { options, output, signal } = context;
    const opened = await context.open(context.job.inputs[0]);
    const { asset } = opened;
    if (!asset.rig) throw new InputError(opened.input, 'has no skin to light; decompose its motion first');
    await context.claim([output]);
    const { kind, rank, rays, seed, threads, animation, frames, rate, fps, maxMemory } = options;
    const ground = options.ground === true ? GROUND : options.ground;
    const solved = await context.phase('solve', () =>
      light(asset, {
        ...{ kind, rank, rays, ground, seed, threads, animation, frames, maxMemory, signal },
        ...{ rate: rate ?? fps, sun: sunOf(options.sun), onProgress: context.progress },
      }),
    );
    warnStopped(context, solved.status);
    const { model, traced, errors } = solved;
    if (model.rank < rank && solved.status !== 'stopped')
      context.note(
        `the light of ${formatCount(solved.frames, 'frame')} has only ${formatCount(model.rank, 'component')}`,
      );
    const bytes = await context.finish('write', () => writeGlb(asset, { kind: 'light', model }, context.storing));
    const { relativeError, stored } = await context.finish('measure', async () => {
      const written = await readWritten(bytes);
      if (!written.light) throw new InputError(WRITTEN_FILE, 'has no light');
      const motions = makeLitMotions(
        written,
        model.tracks.map(({ times }) => times),
      );
      return {
        relativeError: measureLight(traced, written.light, motions),
        stored: measureExtensionBytes(written, LIGHT_EXTENSION, LIGHT_FIELDS),
      };
    });
    return {
      inputs: [opened],
      files: [{ path: output, bytes }],
      result: {
        ...{ kind, rank: model.rank, channels: traced.channels, frames: solved.frames, rays },
        ...{ relativeError, relativeErrors: errors, status: solved.status, lightSeconds: solved.seconds },
      },
      bytes: { file: bytes.length, light: stored },
      options: { sun: options.sun ?? null },
    };
  },
  describe: describeLight,
});

function sunOf(sun: 'none' | number[] | undefined) {
  if (sun === undefined) return undefined;
  return sun === 'none' ? (false as const) : { azimuth: sun[0], elevation: sun[1] };
}

function describeLight({ result, bytes, files, inputs }: Report) {
  const errors = result.relativeErrors as number[];
  const percent = (ratio: number) => `${formatNumber(100 * ratio, 3)} %`;
  return [
    {
      rows: [
        [
          'input',
          inputs[0].name,
          formatCount(inputs[0].vertices, 'vertex', 'vertices'),
          formatCount(Number(result.frames), 'frame'),
        ],
        ['light', String(result.kind), `rank ${result.rank}`, formatBytes(bytes.light ?? 0)],
      ],
    },
    `relative error ${percent(Number(result.relativeError))} of the traced light (${errors
      .slice(1)
      .map((error, r) => `rank ${r + 1}: ${percent(error)}`)
      .join(', ')})`,
    { rows: files.map(({ path, bytes: size }) => ['wrote', path, formatBytes(size)]) },
  ];
}
