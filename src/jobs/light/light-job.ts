// SPDX-License-Identifier: MIT

import type { Asset } from '../../core/model/asset.ts';
import { InputError, UsageError } from '../../core/model/errors.ts';
import type { OptionsOf, Values } from '../../core/options/option.ts';
import { schemaOf } from '../../core/options/step.ts';
import { measureExtensionBytes } from '../../deformers/layout/index.ts';
import { LIGHT_EXTENSION, LIGHT_FIELDS } from '../../deformers/light/index.ts';
import { listReferences } from '../../deformers/playback/index.ts';
import { writeGlb } from '../../formats/gltf/index.ts';
import { LIGHT_OPTIONS, type LightResult, measureLight } from '../../methods/light/index.ts';
import {
  COMMON_OPTIONS,
  defineJob,
  FRAME_OPTIONS,
  formatBytes,
  formatCount,
  formatNumber,
  type JobContext,
  type JobFacts,
  needsSkin,
  type Report,
  STORE_OPTIONS,
  WRITTEN_FILE,
} from '../engine/index.ts';
import { describePlayers, readWritten, reportPlayers, warnStopped } from '../report/index.ts';
import { choosePoses, RANGES_OPTION, ROOT_STEP, reportPoses, settleMotion } from '../shared/index.ts';
import { lightAsset } from './light.ts';
import { makeLitMotions } from './make-lit-motions.ts';

const { shading: _shading, ...STORE } = STORE_OPTIONS;
/** All options of the method; the seed is one of the common options, and a job can be stopped instead of timed. */
const { seed: _seed, time: _time, ...LIGHT } = LIGHT_OPTIONS;

const OPTIONS = schemaOf([
  { name: 'light', options: LIGHT },
  { name: 'poses', options: RANGES_OPTION },
  { name: 'store', options: STORE },
  { name: 'frames', options: FRAME_OPTIONS },
  ROOT_STEP,
  { name: 'common', options: COMMON_OPTIONS },
]);
type Context = JobContext<OptionsOf<typeof OPTIONS>>;

export const lightJob = defineJob({
  name: 'light',
  title: 'Light',
  summary: 'precompute the light on an animated skin',
  description:
    `Traces rays from every vertex in every frame, and writes the light as a few components per vertex with coefficients per frame, relative to unshadowed light: ${LIGHT_EXTENSION}, and its mean as plain ` +
    'vertex colours that any viewer shows. A skin without animations gets the mean light of poses within joint ranges as vertex colours. Bones, weights, animations and materials are kept.',
  inputs: [{ name: 'input', description: 'a skinned .glb, .gltf, .fbx or USD file' }],
  output: { description: 'a .glb or .vrm file', extensions: ['.glb', '.vrm'] },
  examples: [
    { line: 'light horse.glb lit.glb', does: 'ambient occlusion with six components' },
    { line: 'light horse.glb lit.glb --ground --rank 10', does: 'with light that a ground reflects' },
    { line: 'light horse.glb lit.glb --kind transfer', does: 'for light that changes while the page runs' },
    { line: 'light horse.glb lit.glb --kind prelit --sun 60,30', does: 'colours under a sky and a low sun' },
  ],
  options: OPTIONS,
  isStoppable: true,
  refuses: needsSkin(),
  titleOf: (values: Values) => `Light, ${values.kind ?? LIGHT_OPTIONS.kind.default}`,
  check({ sun, kind }) {
    if (sun !== undefined && kind === 'occlusion') throw new UsageError('--sun', 'requires --kind transfer or prelit');
    if (Array.isArray(sun) && !(sun.length === 2 && Math.abs(sun[1]) <= 90))
      throw new UsageError('--sun', 'give azimuth and elevation in degrees, such as 40,50, or none');
  },
  run: runLight,
  describe: describeLight,
});

async function runLight(context: Context): Promise<JobFacts> {
  const { options, output, signal } = context;
  const opened = await settleMotion(context, await context.open(context.job.inputs[0]), { root: options.root });
  const { asset } = opened;
  if (!asset.rig) throw new InputError(opened.input, 'has no skin to light; decompose its motion first');
  await context.claim([output]);
  const isStill = asset.animations.length === 0;
  const posed = isStill ? await choosePoses(context, asset, { ...options, poses: 'auto' }) : undefined;
  const solved = await context.phase('solve', async () => {
    const run = { compute: await context.compute(), signal, onProgress: context.progress };
    const { fps, rate = fps, ...own } = options;
    return lightAsset(run, asset, { ...own, time: 0 }, { ...own, rate, ranges: posed?.ranges });
  });
  warnStopped(context, solved.status);
  const { model, frames, errors, status, seconds, traced } = solved;
  if (model.rank < options.rank && status !== 'stopped')
    context.note(`the light of ${formatCount(frames, 'frame')} has only ${formatCount(model.rank, 'component')}`);
  const bytes = await context.finish('write', () => writeGlb(asset, { kind: 'light', model }, context.storing));
  const { relativeError, stored, players } = await context.finish('measure', async () => {
    const written = await readWritten(bytes);
    const own =
      solved.meanError === undefined
        ? measureWrittenLight(written, solved)
        : { relativeError: solved.meanError, stored: 0 };
    return { ...own, players: await reportPlayers(context, written, listReferences(asset)) };
  });
  return {
    inputs: [opened],
    files: [{ path: output, bytes }],
    result: {
      ...{ kind: options.kind, rank: model.rank, channels: traced.channels, frames, rays: options.rays },
      ...{ relativeError, relativeErrors: errors, status, lightSeconds: seconds },
      ...reportPoses(posed ?? { source: 'animations' }, frames),
      ...players,
    },
    bytes: { file: bytes.length, light: stored },
    options: { sun: options.sun ?? null },
  };
}

/** The light of the file against the traced light, and its bytes. */
function measureWrittenLight(
  written: Asset,
  { model, traced }: LightResult,
): { relativeError: number; stored: number } {
  if (!written.light) throw new InputError(WRITTEN_FILE, 'has no light');
  const motions = makeLitMotions(
    written,
    model.tracks.map(({ times }) => times),
  );
  return {
    relativeError: measureLight(traced, written.light, motions),
    stored: measureExtensionBytes(written, LIGHT_EXTENSION, LIGHT_FIELDS),
  };
}

function describeLight(report: Report) {
  const { result, bytes, files, inputs } = report;
  const errors = result.relativeErrors as number[];
  const isStill = result.poses === 'ranges';
  const percent = (ratio: number) => `${formatNumber(100 * ratio, 3)} %`;
  return [
    {
      rows: [
        [
          'input',
          inputs[0].name,
          formatCount(inputs[0].vertices, 'vertex', 'vertices'),
          formatCount(Number(result.frames), isStill ? 'pose' : 'frame'),
        ],
        isStill
          ? ['light', String(result.kind), 'mean vertex colours']
          : ['light', String(result.kind), `rank ${result.rank}`, formatBytes(bytes.light ?? 0)],
      ],
    },
    `relative error ${percent(Number(result.relativeError))} of the ${isStill ? 'mean' : 'traced'} light (${errors
      .slice(1)
      .map((error, r) => `rank ${r + 1}: ${percent(error)}`)
      .join(', ')})`,
    { rows: files.map(({ path, bytes: size }) => ['wrote', path, formatBytes(size)]) },
    ...describePlayers(report),
  ];
}
