// SPDX-License-Identifier: MIT
// The path of convert for morph targets, and for a mesh in a cage.

import type { TransformKind } from '../../core/kernels/bones/bone-sweep.ts';
import { measureBounds, measureHeight } from '../../core/mesh/geometry/bounds.ts';
import type { Asset } from '../../core/model/asset.ts';
import { UsageError } from '../../core/model/errors.ts';
import { maxInfluencesOf } from '../../core/model/skin/skin.ts';
import { parseLength } from '../../core/options/length.ts';
import { listReferences } from '../../deformers/playback/index.ts';
import { listShapeDrivers, writeBlenderShapes } from '../../deformers/shape-drivers/index.ts';
import { measureFor, type Written } from '../../measure/index.ts';
import {
  defaultTransforms,
  FACE_BONES,
  listCageShapes,
  type MeasuredFace,
  measureFace,
} from '../../methods/faces/index.ts';
import {
  formatBytes,
  formatCount,
  formatMean,
  formatNumber,
  type JobContext,
  type JobFacts,
  makeGate,
  type OpenedInput,
  type Report,
  type ReportMetrics,
  type ReportResult,
  refuseUnread,
  reportMetricsOf,
} from '../engine/index.ts';
import { clipOfCage } from '../reduce/index.ts';
import { describeModel, describePlayers, type ErrorRow, reportPlayers, warnStopped } from '../report/index.ts';
import type { FacePathOptions } from './convert-paths.ts';
import { type ConvertShapesResult, driveShapes, listShapes } from './convert-shapes.ts';
import { listScripts, makeScripts } from './driver-scripts.ts';
import { type KeyedShapes, writeKeyedShapes } from './write-keyed-shapes.ts';

/** Maximum number of searches whose file is above the limit in the animations, and the part of the limit that the next one aims at, relative to what would suffice. */
const MAX_SEARCHES = 3;
const BELOW = 0.95;
/** Root mean square error relative to the size that is due to single precision. */
const ROUNDING = 1e-7;

/** Shapes with the motions of the joints below them. */
type ShapeSource = ReturnType<typeof listShapes>;

/** Converts the morph targets of an input. */
export async function runConvertShapes(
  context: JobContext,
  opened: OpenedInput,
  options: FacePathOptions,
): Promise<JobFacts> {
  const { output } = context;
  const { asset } = opened;
  const { poses, seed, influences } = options;
  const { source, cage } = await openSource(context, asset, options);
  await context.claim([output, ...listScripts(output, options)]);
  const limit = context.limitOf(asset);
  const transforms = settleTransforms(context, source, options);
  const attempt = async (aim: number | undefined): Promise<WrittenShapes> => {
    const solved = await solve(context, source, asset, { ...options, transforms }, aim);
    const keyed = await writeKeyedShapes(context, asset, source, solved);
    const measured = await context.finish('measure', async () =>
      measureFace(keyed.asset, asset, { ...solved, tracks: keyed.tracks }, { poses, seed }),
    );
    return { solved, keyed, measured };
  };
  const { solved, keyed, measured } = await searchShapes(
    attempt,
    options.bones === undefined ? limit : undefined,
    limit,
  );
  const { bytes } = keyed;
  const players = keyed.played ? await reportPlayers(context, keyed.asset, listReferences(asset)) : {};
  warnStopped(context, solved.status);
  const scripts = makeScripts(output, options, {
    controllers: () => listShapeDrivers(solved.model),
    drivers: (file) => writeBlenderShapes(solved.model, file),
  });
  return {
    inputs: cage ? [opened, cage] : [opened],
    files: [{ path: output, bytes }, ...scripts],
    gate: makeGate(limit, largestOf(measured, keyed.played)),
    metrics: metricsOf(asset, measured),
    result: {
      ...resultOf(solved, transforms, measured),
      ...(keyed.played ? reportPlayed(keyed.played) : {}),
      ...players,
    },
    bytes: { file: bytes.length, model: measured.modelBytes },
    options: { transforms, influences, poses },
    ...(keyed.played ? { measure: measureFile(context, asset, measured, limit) } : {}),
  };
}

/** A conversion, its file, and what was measured there. */
interface WrittenShapes {
  solved: ConvertShapesResult;
  keyed: KeyedShapes;
  measured: MeasuredFace;
}

/** Shapes alone tell the search how many bones are needed. Where the file is above the limit in the animations, the search aims lower. */
async function searchShapes(
  attempt: (aim: number | undefined) => Promise<WrittenShapes>,
  searched: number | undefined,
  limit: number | undefined,
): Promise<WrittenShapes> {
  let best = await attempt(limit);
  const errorOf = ({ measured, keyed }: WrittenShapes): number => largestOf(measured, keyed.played);
  let aim = searched ?? Number.POSITIVE_INFINITY;
  for (let n = 1; n < MAX_SEARCHES && searched !== undefined && errorOf(best) > searched; n++) {
    if (best.solved.status === 'stalled' || best.solved.status === 'stopped') break;
    aim *= (BELOW * searched) / errorOf(best);
    const next = await attempt(aim);
    if (errorOf(next) < errorOf(best)) best = next;
  }
  return best;
}

/** The largest error that is printed: of every shape alone, and of the animations at frames and between them. */
const largestOf = ({ shapes }: Pick<MeasuredFace, 'shapes'>, played: Written | undefined): number =>
  Math.max(shapes.max, played?.error.max ?? 0, played?.between.max ?? 0);

/** Measures the animations in the file of another format than GLB. */
function measureFile(
  context: JobContext,
  asset: Asset,
  measured: MeasuredFace,
  limit: number | undefined,
): NonNullable<JobFacts['measure']> {
  return (file) =>
    context.finish('measure', async () => {
      const references = listReferences(asset);
      const options = {
        player: 'plain',
        up: asset.up,
        compute: await context.compute(),
        ...context.measuring,
      } as const;
      const played = await measureFor(file, references, options);
      const players = await reportPlayers(context, file, references);
      return {
        result: { ...reportPlayed(played), anyViewer: undefined, fourInfluences: undefined, ...players },
        gate: makeGate(limit, largestOf(measured, played)),
      };
    });
}

/** What any viewer shows in the animations of the input. */
function reportPlayed({ between, clips }: Written): Pick<ReportResult, 'between' | 'clips'> {
  return {
    between,
    clips: clips.map(({ name, error }) => ({ name, frames: error.frameCount, metrics: reportMetricsOf(error) })),
  };
}

/** The shapes of a file, or the motion space of a cage around its mesh. */
async function openSource(
  context: JobContext,
  asset: Asset,
  options: FacePathOptions,
): Promise<{ source: ShapeSource; cage?: OpenedInput }> {
  if (options.cage === undefined) return { source: listShapes(asset) };
  const cage = await context.open(options.cage);
  context.name('cage', options.cage);
  return { source: { ...listCageShapes(asset.mesh, clipOfCage(cage)), joints: [] }, cage };
}

/** The transforms of the bones. Throws a UsageError for options that have no effect with them. */
function settleTransforms({ job }: JobContext, { shapes }: ShapeSource, options: FacePathOptions): TransformKind {
  const transforms = options.transforms ?? defaultTransforms(shapes);
  if (transforms === 'affine') refuseUnread(job, ['pairs'], 'requires --transforms rigid or similarity');
  else refuseUnread(job, ['examples'], 'requires --transforms affine; others are fitted to every shape alone');
  return transforms;
}

/** Solves, and adds remarks about the number of bones. */
async function solve(
  context: JobContext,
  source: ShapeSource,
  asset: Asset,
  options: FacePathOptions,
  aim: number | undefined,
): Promise<ConvertShapesResult> {
  const { keepShapes, maxError: _maxError, ...own } = options;
  const { rig } = source.shapes;
  const solved = await context.phase('solve', () =>
    driveShapes(source, {
      ...{ ...own, ...keepOf(keepShapes, context, asset), maxError: aim },
      ...{ signal: context.signal, onProgress: context.progress },
    }),
  );
  if (solved.status === 'stalled') context.note('no number of bones meets the error; writing the best result');
  const wanted = own.bones ?? FACE_BONES;
  const found = solved.model.skeleton.names.length;
  if (rig)
    context.note(
      `${formatCount(found - rig.skeleton.names.length, 'bone')} under the ${formatCount(rig.skeleton.names.length, 'joint')} of the skin`,
    );
  if (aim === undefined && found < wanted)
    context.note(`the shapes need only ${formatCount(found, 'bone')}; ${wanted} were requested`);
  return solved;
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

function metricsOf({ mesh, up }: Asset, { shapes, random }: MeasuredFace): ReportMetrics {
  const { rmse, max, p99 } = shapes;
  const diagonal = measureBounds(mesh.positions).diagonal || 1;
  const height = measureHeight(mesh.positions, up) || 1;
  return {
    ...{ alpha: random.alpha, rmse, max, p99 },
    ...{ rmsePercent: (100 * rmse) / diagonal, maxPercent: (100 * max) / diagonal },
    ...{ rmseOfHeight: (100 * rmse) / height, maxOfHeight: (100 * max) / height },
  };
}

function resultOf(
  { model: solved, shapes, driven, free, status, tried }: ConvertShapesResult,
  transforms: TransformKind,
  { shapes: atShapes, random, animation, baked, model, modelBytes }: MeasuredFace,
): ReportResult {
  const { positions } = shapes.mesh;
  const { rms, max } = driven.perPose;
  return {
    bones: solved.skeleton.names.length,
    influences: maxInfluencesOf(model.skin),
    blendsPerVertex: model.skin.weights.length / (model.skin.rowStart.length - 1),
    status,
    transforms,
    shapes: shapes.names.length,
    nonzeros: model.drivers.values.length,
    pairs: model.drivers.rowStart.length - 1 - model.drivers.shapes.length,
    keptShapes: model.kept?.targets.map(({ name }) => name) ?? [],
    atShapes: { rmse: atShapes.rmse, mean: atShapes.mean, max: atShapes.max },
    free,
    // below the precision of single numbers, the ratio has no meaning
    ...(free.rmse > ROUNDING * measureBounds(positions).diagonal ? { drivenToFree: atShapes.rmse / free.rmse } : {}),
    random: { alpha: random.alpha, rmse: random.rmse, max: random.max, poses: random.poses },
    ...(animation ? { animation: { alpha: animation.alpha, rmse: animation.rmse, max: animation.max } } : {}),
    ...(baked === undefined ? {} : { baked }),
    perShape: Object.fromEntries(shapes.names.map((name, s) => [name, { rms: rms[s], max: max[s] }])),
    modelBytes,
    morphBytes: 12 * (positions.length / 3) * shapes.names.length,
    ...(tried.length > 0 ? { tried } : {}),
  };
}

/** Describes a report of converted shapes. */
export function describeShapes(report: Report) {
  const { result, metrics } = report;
  const kept = result.keptShapes as string[];
  const free = result.free as { rmse: number; max: number };
  const random = result.random as { alpha: number; rmse: number; max: number; poses: number };
  const animation = result.animation as { alpha: number; rmse: number; max: number } | undefined;
  const between = result.between as Written['between'] | undefined;
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
      ...(between ? [['between', between, 'the keys of the bones between frames, in any viewer'] as ErrorRow] : []),
    ],
    more: [
      ...describePlayers(report),
      `${formatCount(Number(result.nonzeros), 'non-zero')} in the drivers${result.drivenToFree === undefined ? '' : `; driven error ${formatNumber(Number(result.drivenToFree))} of free bones`}`,
      `weights and drivers ${formatBytes(model)}, dense morph targets ${formatBytes(morphs)}: ${formatNumber(morphs / model, 2)} times`,
      ...(kept.length > 0 ? [`remaining morph targets: ${kept.join(', ')}`] : []),
    ],
  });
}
