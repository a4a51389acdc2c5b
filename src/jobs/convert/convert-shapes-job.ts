// SPDX-License-Identifier: MIT
import { parseLength } from '../../core/options/length.ts';

// The part of the job "convert" for meshes with morph targets and without a skeleton.

import type { TransformKind } from '../../core/kernels/bones/bone-sweep.ts';
import { measureBounds, measureHeight } from '../../core/mesh/geometry/bounds.ts';
import type { Asset } from '../../core/model/asset.ts';
import type { ShapeDrivenSkin, ShapeTrack } from '../../core/model/deformed/shape-drivers.ts';
import { UsageError } from '../../core/model/errors.ts';
import { maxInfluencesOf } from '../../core/model/skin/skin.ts';
import { choice, count, group, length, option, orWord } from '../../core/options/option.ts';
import { measureExtensionBytes } from '../../deformers/layout/index.ts';
import { bakeAt } from '../../deformers/playback/index.ts';
import {
  listShapeDrivers,
  makeShapeDriven,
  SHAPE_EXTENSION,
  SHAPE_FIELDS,
  writeBlenderShapes,
} from '../../deformers/shape-drivers/index.ts';
import {
  drawWeights,
  EXAMPLE_KINDS,
  type FaceShapes,
  listCageShapes,
  measureDriven,
} from '../../methods/faces/index.ts';
import {
  formatBytes,
  formatCount,
  formatMean,
  formatNumber,
  type JobContext,
  type JobFacts,
  jsonText,
  makeGate,
  type OpenedInput,
  type OutputFile,
  type Report,
  refuseUnread,
} from '../engine/index.ts';
import { clipOfCage } from '../reduce/index.ts';
import { describeModel, type ErrorRow, readWritten, warnStopped } from '../report/index.ts';
import { CONVERT_SHAPES_DEFAULTS, type ConvertShapesResult, driveShapes, listShapes } from './convert-shapes.ts';
import { writeDrivenShapes } from './write-driven-shapes.ts';

const D = CONVERT_SHAPES_DEFAULTS;

/** Options for morph targets. */
export const SHAPE_OPTIONS = group('Shape options (for morph targets):', {
  bones: option(count(1, 1024), `number of bones (default: ${D.bones} without --max-error)`, {
    form: { label: 'Bones', note: 'For morph targets: number of bones.', range: [1, 200, 1] },
  }),
  nonzeros: option(count(0, 10_000_000), 'maximum number of non-zeros of the drivers; 0: no limit', {
    default: D.nonzeros,
  }),
  examples: option(
    choice(EXAMPLE_KINDS, '<poses>'),
    'poses of the fit: every shape alone, the animations of the file, or both',
    { default: D.examples },
  ),
  keepShapes: option(
    orWord([], length),
    'shapes that remain as morph targets: a number of them (5), or all whose maximum error is larger than a length with a unit (1mm, 0.5%)',
  ),
  pairs: option(
    count(0, 10_000),
    'with rigid or similarity transforms: maximum number of products of two weights as further terms, for pairs that the animations use',
    { default: D.pairs },
  ),
});

interface ShapeJobOptions {
  bones?: number;
  nonzeros: number;
  examples: (typeof EXAMPLE_KINDS)[number];
  keepShapes?: string;
  pairs: number;
  influences: number;
  transforms: string;
  poses: number;
  seed: number;
  threads?: number;
  drivers?: string;
  controllers?: string;
  cage?: string;
}

/** Poses to measure if the job does not give a number. */
const POSES = 1000;
/** Root mean square error relative to the size that is due to single precision. */
const ROUNDING = 1e-7;
/** Frames of an animation to measure. */
const MAX_FRAMES = 500;
/** Frames of an animation whose keys are played. */
const MAX_PLAYED = 25;

/** Converts the morph targets of an input. */
export async function runConvertShapes(context: JobContext<ShapeJobOptions>, opened: OpenedInput): Promise<JobFacts> {
  const { options, output, signal } = context;
  const { asset } = opened;
  const cage = options.cage === undefined ? undefined : await context.open(options.cage);
  if (options.cage !== undefined) context.name('cage', options.cage);
  const source = cage ? { ...listCageShapes(asset.mesh, clipOfCage(cage)), joints: [] } : listShapes(asset);
  const { rig } = source.shapes;
  const script = options.drivers && output.replace(/\.[^.]*$/, `.${options.drivers}.py`);
  await context.claim([output, options.controllers, script].filter((path) => path !== undefined));
  const limit = context.limitOf(asset);
  const { bones, nonzeros, examples, pairs, seed, threads } = options;
  const influences = context.isGiven('influences') ? options.influences : D.influences;
  const kind = rig ? 'similarity' : D.transforms;
  const transforms = (context.isGiven('transforms') ? options.transforms : kind) as TransformKind;
  if (transforms === 'affine') refuseUnread(context.job, ['pairs'], 'requires --transforms rigid or similarity');
  else refuseUnread(context.job, ['examples'], 'requires --transforms affine; others are fitted to every shape alone');
  const solved = await context.phase('solve', () =>
    driveShapes(source, {
      ...{ bones, nonzeros, examples, pairs, seed, threads, influences, transforms, signal, maxError: limit },
      ...keepOf(options.keepShapes, context, asset),
      onProgress: context.progress,
    }),
  );
  if (solved.status === 'stalled') context.note('no number of bones meets the error; writing the best result');
  const wanted = bones ?? D.bones;
  const found = solved.model.skeleton.names.length;
  if (rig)
    context.note(
      `${formatCount(found - rig.skeleton.names.length, 'bone')} under the ${formatCount(rig.skeleton.names.length, 'joint')} of the skin`,
    );
  if (limit === undefined && found < wanted)
    context.note(`the shapes need only ${formatCount(found, 'bone')}; ${wanted} were requested`);
  const tracks = orderTracks(solved);
  const bytes = await context.finish('write', () =>
    writeDrivenShapes({ ...asset, animations: [] }, solved.model, tracks, {
      ...context.storing,
      joints: source.joints,
    }),
  );
  const poses = context.isGiven('poses') ? options.poses : POSES;
  const measured = await context.finish('measure', () => measureFile(bytes, asset, solved, tracks, poses, seed));
  warnStopped(context);
  const files: OutputFile[] = [{ path: output, bytes }];
  if (options.controllers !== undefined)
    files.push({ path: options.controllers, bytes: `${jsonText(listShapeDrivers(solved.model))}\n` });
  if (script !== undefined)
    files.push({ path: script, bytes: writeBlenderShapes(solved.model, output.replace(/^.*[/\\](?=.)/, '')) });
  const { shapes: atShapes, random, animation, baked, model, modelBytes } = measured;
  const { diagonal } = measureBounds(asset.mesh.positions);
  const height = measureHeight(asset.mesh.positions, asset.up) || 1;
  const percent = (value: number): number => (100 * value) / (diagonal || 1);
  const morphBytes = 12 * (asset.mesh.positions.length / 3) * solved.shapes.names.length;
  return {
    inputs: cage ? [opened, cage] : [opened],
    files,
    gate: makeGate(limit, atShapes.max),
    metrics: {
      ...{ alpha: random.alpha, rmse: atShapes.rmse, max: atShapes.max, p99: atShapes.p99 },
      ...{ rmsePercent: percent(atShapes.rmse), maxPercent: percent(atShapes.max) },
      ...{ rmseOfHeight: (100 * atShapes.rmse) / height, maxOfHeight: (100 * atShapes.max) / height },
    },
    result: {
      bones: found,
      influences: maxInfluencesOf(model.skin),
      blendsPerVertex: model.skin.weights.length / (model.skin.rowStart.length - 1),
      status: solved.status,
      transforms,
      shapes: solved.shapes.names.length,
      nonzeros: model.drivers.values.length,
      pairs: model.drivers.rowStart.length - 1 - model.drivers.shapes.length,
      keptShapes: model.kept?.targets.map(({ name }) => name) ?? [],
      atShapes: { rmse: atShapes.rmse, mean: atShapes.mean, max: atShapes.max },
      free: solved.free,
      // below the precision of single numbers, the ratio has no meaning
      ...(solved.free.rmse > ROUNDING * diagonal ? { drivenToFree: atShapes.rmse / solved.free.rmse } : {}),
      random: { alpha: random.alpha, rmse: random.rmse, max: random.max, poses: random.poses },
      ...(animation ? { animation: { alpha: animation.alpha, rmse: animation.rmse, max: animation.max } } : {}),
      ...(baked === undefined ? {} : { baked }),
      perShape: Object.fromEntries(
        solved.shapes.names.map((name, s) => [
          name,
          { rms: solved.driven.perPose.rms[s], max: solved.driven.perPose.max[s] },
        ]),
      ),
      modelBytes,
      morphBytes,
      ...(solved.tried.length > 0 ? { tried: solved.tried } : {}),
    },
    bytes: { file: bytes.length, model: modelBytes },
    options: { transforms, influences, poses },
  };
}

/** keepShapes as a number of shapes, or as an error. */
function keepOf(
  text: string | undefined,
  context: JobContext,
  asset: Asset,
): { keepShapes?: number; keepError?: number } {
  if (text === undefined) return {};
  if (/^\d+$/.test(text.trim())) return { keepShapes: Number(text) };
  if (parseLength(text).of === 'file')
    throw new UsageError(
      '--keep-shapes',
      `is a whole number of shapes, or a length with a unit such as 1mm; got ${text}`,
    );
  return { keepError: context.lengthOf(text, asset) };
}

/** The tracks with weights in the order of the drivers. */
function orderTracks({ model, tracks, shapes }: ConvertShapesResult): ShapeTrack[] {
  const count = shapes.names.length;
  const places = model.drivers.shapes.map((name) => shapes.names.indexOf(name));
  return tracks.map((track) => ({
    ...track,
    weights: track.weights.map((_, e) => track.weights[e - (e % count) + places[e % count]]),
  }));
}

/** Measures the written file: its drivers at every shape, at random weights and in the animations, and its keys. */
async function measureFile(
  bytes: Uint8Array<ArrayBuffer>,
  asset: Asset,
  { shapes, model: solved }: ConvertShapesResult,
  tracks: readonly ShapeTrack[],
  poses: number,
  seed: number,
) {
  const written = await readWritten(bytes);
  const { rig, driven, mesh } = written;
  const model: ShapeDrivenSkin = {
    ...solved,
    mesh,
    skeleton: rig!.skeleton,
    skin: rig!.skin,
    drivers: driven!.drivers,
  };
  const deformer = makeShapeDriven(model);
  const order = model.drivers.shapes.map((name) => shapes.names.indexOf(name));
  const ordered = { ...shapes, names: model.drivers.shapes, deltas: order.map((s) => shapes.deltas[s]) };
  const count = order.length;
  const single = Float32Array.from({ length: count * count }, (_, e) => (e % (count + 1) === 0 ? 1 : 0));
  const frames = tracks.flatMap(({ times, weights }) =>
    thinFrames(times.length, MAX_FRAMES).map((k) => weights.subarray(k * count, (k + 1) * count)),
  );
  const played = Float32Array.from(frames.flatMap((weights) => [...weights]));
  const baked = shapes.rig ? measurePosed(written, asset, tracks) : measureKeys(written, ordered, tracks);
  const weightBytes = 3 * model.skin.weights.length;
  const driverBytes = measureExtensionBytes(written, SHAPE_EXTENSION, SHAPE_FIELDS);
  const keptBytes = 12 * (mesh.positions.length / 3) * (model.kept?.targets.length ?? 0);
  return {
    model,
    shapes: measureDriven(ordered, deformer, single),
    random: measureDriven(ordered, deformer, drawWeights(count, poses, seed + 1)),
    animation: played.length > 0 ? measureDriven(ordered, deformer, played) : undefined,
    baked,
    modelBytes: weightBytes + driverBytes + keptBytes,
  };
}

/** The maximum error of the keys of the bones, as a plain player shows them; undefined without animations. */
function measureKeys(
  written: Asset,
  { mesh, names, deltas }: FaceShapes,
  tracks: readonly ShapeTrack[],
): number | undefined {
  let max: number | undefined;
  for (const { name, times, weights } of tracks) {
    const animation = written.animations.find((one) => one.name === name);
    const chosen = thinFrames(times.length, MAX_PLAYED);
    const played = bakeAt(
      written,
      animation,
      Float64Array.from(chosen, (k) => times[k]),
    ).positions;
    const stride = mesh.positions.length;
    for (const [n, k] of chosen.entries())
      for (let c = 0; c < stride; c += 3) {
        let square = 0;
        for (let r = c; r < c + 3; r++) {
          let expected = mesh.positions[r];
          for (let s = 0; s < names.length; s++) expected += weights[k * names.length + s] * deltas[s][r];
          square += (played[n * stride + r] - expected) ** 2;
        }
        max = Math.max(max ?? 0, Math.sqrt(square));
      }
  }
  return max;
}

/** The maximum error of the keys of joints and bones together, against the skinned morph targets. */
function measurePosed(written: Asset, asset: Asset, tracks: readonly ShapeTrack[]): number | undefined {
  let max: number | undefined;
  for (const { name, times } of tracks) {
    const chosen = Float64Array.from(thinFrames(times.length, MAX_PLAYED), (k) => times[k]);
    const [a, b] = [asset, written].map(
      (one) =>
        bakeAt(
          one,
          one.animations.find((animation) => animation.name === name),
          chosen,
        ).positions,
    );
    for (let c = 0; c < a.length; c += 3)
      max = Math.max(max ?? 0, Math.hypot(a[c] - b[c], a[c + 1] - b[c + 1], a[c + 2] - b[c + 2]));
  }
  return max;
}

/** At most `limit` indices, evenly spaced. */
function thinFrames(count: number, limit: number): number[] {
  const step = Math.max(1, Math.ceil(count / limit));
  return Array.from({ length: Math.ceil(count / step) }, (_, n) => n * step);
}

/** Describes a report of converted shapes. */
export function describeShapes(report: Report) {
  const { result, metrics } = report;
  const kept = result.keptShapes as string[];
  const free = result.free as { rmse: number; max: number };
  const random = result.random as { alpha: number; rmse: number; max: number; poses: number };
  const animation = result.animation as { alpha: number; rmse: number; max: number } | undefined;
  const [model, morphs] = [Number(result.modelBytes), Number(result.morphBytes)];
  const { alpha: _alpha, ...atShapes } = metrics;
  return describeModel(report, {
    before: `, ${formatCount(Number(result.shapes), 'shape')}`,
    after: `${formatCount(result.bones ?? 0, 'bone')}, ${formatMean(result.blendsPerVertex ?? 0, 'weight')} per vertex`,
    errors: [
      ['every shape', atShapes, 'the drivers at weight one, against the morph targets'],
      ...(Number.isFinite(free.rmse) ? [['free bones', free, 'any transform at every shape'] as ErrorRow] : []),
      ['random', random, `at ${formatCount(random.poses, 'random pose')} of about ten shapes`],
      ...(animation ? [['animations', animation, 'the drivers with the weights of the animations'] as ErrorRow] : []),
    ],
    more: [
      `${formatCount(Number(result.nonzeros), 'non-zero')} in the drivers${result.drivenToFree === undefined ? '' : `; driven error ${formatNumber(Number(result.drivenToFree))} of free bones`}`,
      `weights and drivers ${formatBytes(model)}, dense morph targets ${formatBytes(morphs)}: ${formatNumber(morphs / model, 2)} times`,
      ...(kept.length > 0 ? [`remaining morph targets: ${kept.join(', ')}`] : []),
    ],
  });
}
