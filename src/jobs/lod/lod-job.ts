// SPDX-License-Identifier: MIT

import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import type { Asset } from '../../core/model/asset.ts';
import { InputError, UsageError } from '../../core/model/errors.ts';
import type { MeshLevel } from '../../core/model/mesh/mesh-level.ts';
import { fillDefaults } from '../../core/options/fill-defaults.ts';
import { flag, length, type OptionsOf, type OptionType, option } from '../../core/options/option.ts';
import { defineStep, schemaOf } from '../../core/options/step.ts';
import type { PosedAsset } from '../../fit/poses/index.ts';
import { type GlbContent, writeGlb } from '../../formats/gltf/index.ts';
import { measureSurfaces } from '../../measure/index.ts';
import { LEVEL_OPTIONS, LEVEL_RATIOS, type LevelOptions, MEASURED_POSES, makeLevels } from '../../methods/lod/index.ts';
import {
  COMMON_OPTIONS,
  defineJob,
  formatBytes,
  formatCount,
  formatNumber,
  type JobContext,
  type JobFacts,
  makeGate,
  type OutputFile,
  READ_OPTIONS,
  type Report,
  STORE_OPTIONS,
} from '../engine/index.ts';
import { readWritten } from '../report/index.ts';
import {
  CHARACTER_EXTENSIONS,
  CHARACTER_OUTPUT,
  checkSizeOptions,
  choosePoses,
  describePoses,
  isGlb,
  listExtensions,
  POSES_STEP,
  playWritten,
  reportPoses,
  SIZE_OPTIONS,
  settleMotion,
  TAKE_STEP,
  writeAssetGlb,
} from '../shared/index.ts';
import { writeFixed } from './write-fixed.ts';

/** Levels keep the normals of the file. */
const { shading: _shading, ...STORE } = STORE_OPTIONS;

/** Triangles below which the studio offers no levels. */
const MIN_TRIANGLES = 20;
/** A level is drawn while its error is below this part of the height of the screen: half a pixel of 1,080. */
const PIXEL = 0.5 / 1080;
/** The screen coverage below which nothing need be drawn. */
const MIN_COVERAGE = 0.001;
/** With --for size and without an error: what rounding may move, relative to the diagonal. Levels are off by more. */
const LEVEL_ERROR = 1e-3;

const { triangles, ratios: levels, poses: poseCount, ...simplification } = LEVEL_OPTIONS;
const { poses, ranges } = POSES_STEP.options;

const LEVELS = defineStep({ name: 'levels', options: { triangles, levels } });
const LIMIT = defineStep({
  name: 'error limit',
  options: {
    maxError: option(
      length,
      'maximum distance between the surfaces in any pose: 0.01, 2mm or 1%. Alone: one level with the fewest triangles that meet it. With levels: exit with status 3 if it is exceeded',
    ),
  },
});
const FILES = defineStep({
  name: 'files',
  options: { separate: option(flag, 'write a file per level (out-1.glb, out-2.glb …) instead of one with MSFT_lod') },
});
const SIMPLIFY = defineStep({ name: 'simplify', options: { poseCount, ...simplification } });
/** `--poses` was the number of poses. */
const POSES = defineStep({
  name: 'poses',
  options: { poses: { ...poses, type: orCount(poses.type, poseCount.type) }, ranges },
});

/** A value of a type, or a whole number of another. */
function orCount<T>(type: OptionType<T>, number: OptionType<number>): OptionType<T | number> {
  return { ...type, parse: (text) => (/^\d+$/.test(text) ? number.parse(text) : type.parse(text)) };
}

const OPTIONS = schemaOf([
  LEVELS,
  LIMIT,
  FILES,
  POSES,
  SIMPLIFY,
  { name: 'size', options: SIZE_OPTIONS },
  { name: 'store', options: STORE },
  TAKE_STEP,
  { name: 'read', options: READ_OPTIONS },
  { name: 'common', options: COMMON_OPTIONS },
]);
type LodValues = OptionsOf<typeof OPTIONS>;
type Context = JobContext<LodValues>;

export const lodJob = defineJob({
  name: 'lod',
  title: 'Levels of detail',
  summary: 'simplify a skinned model to levels of detail',
  description:
    'Simplifies the triangles of a skinned model by its motion: the surface is preserved in all its animations, or in poses within joint ranges if it has none, not at rest alone. Weights, UVs, colours, morph targets and corrections ' +
    'are kept, and far levels use fewer bones of the same skeleton. One level is written as a plain file, several as one GLB with MSFT_lod. Measures what was written, pose by pose.',
  inputs: [{ name: 'input', description: 'a skinned, morphing or still .glb, .gltf, .fbx or USD file' }],
  output: CHARACTER_OUTPUT,
  replaces: ['triangles', 'joints'],
  examples: [
    { line: 'lod horse.glb far.glb --triangles 2100', does: 'one level' },
    { line: 'lod horse.glb levels.glb --levels 0.5,0.25,0.1', does: 'three more levels in one file (MSFT_lod)' },
    { line: 'lod horse.glb far.glb --max-error 1%', does: 'the fewest triangles within 1 % of the size' },
    { line: 'lod horse.glb far.glb --levels 0.5,0.1 --separate', does: 'a file per level: far-1.glb, far-2.glb' },
  ],
  options: OPTIONS,
  isStoppable: true,
  refuses: ({ clips, mesh }) =>
    clips.length > 0
      ? 'This file has frames of positions. Decompose it first.'
      : mesh.triangles < MIN_TRIANGLES
        ? 'This file has too few triangles to leave any out.'
        : undefined,
  titleOf: () => 'Level',
  check: checkOptions,
  run: runLod,
  describe: describeLevels,
});

/** Which levels are made, and the files that they are written to. */
interface LevelPlan {
  /** Numbers of triangles, ratios, or an error for which the triangles of one level are found. */
  wanted: Pick<LevelOptions, 'triangles' | 'ratios' | 'maxError'>;
  /** Number of levels. */
  count: number;
  limit?: number;
  /** A path per level, or one for all. */
  paths: string[];
  /** Whether each level has a file of its own. */
  isSeparate: boolean;
}

async function runLod(context: Context): Promise<JobFacts> {
  const { options } = context;
  const opened = await settleMotion(context, await context.open(context.job.inputs[0]));
  const asset = await openSource(context, opened.asset);
  if (asset.clips.length > 0)
    throw new InputError(opened.input, 'has frames of positions; decompose them into bones first');
  const { poses, poseCount } = settlePoses(context);
  const posed = await choosePoses(context, asset, { ...options, poses });
  const plan = planLevels(context, context.limitOf(asset));
  await context.claim(plan.paths);
  const made = await context.phase('simplify', () =>
    makeLevels(posed.asset, {
      ...{ ...fillDefaults(simplification, options), ...plan.wanted, poses: poseCount },
      ...{ signal: context.signal, onProgress: (fraction) => context.progress({ phase: 'simplify', fraction }) },
    }),
  );
  if (context.signal.aborted) context.noteInterrupted();
  else if (made.length < plan.count)
    context.note(
      `${formatCount(made.length, 'level')} of ${plan.count}: the surface cannot be simplified further without folding over`,
    );
  noteCoarsest(context, asset, made[0], plan.wanted);
  const { rows, files, measured } = await writeLevels(context, asset, { ...plan, made, posed });
  return {
    inputs: [opened],
    files,
    gate: makeGate(plan.limit, Math.max(...rows.map((row) => row.max))),
    result: {
      ...{ triangles: asset.mesh.triangles.length / 3, bones: countBones(asset), levels: rows },
      ...reportPoses(posed, measured),
    },
    bytes: { file: files.reduce((sum, { bytes }) => sum + bytes.length, 0) },
    // a GLB that is stored as it was made was measured
    ...(plan.isSeparate && (context.settings.target || !isGlb(context.output))
      ? { measure: measureEach({ ...plan, made, posed }, rows) }
      : {}),
  };
}

/** Notes a first level that has more triangles than were asked for. */
function noteCoarsest(
  context: Context,
  asset: Asset,
  level: MeshLevel,
  { triangles, ratios }: LevelPlan['wanted'],
): void {
  const asked = triangles?.[0] ?? (ratios ? Math.max(1, Math.round((ratios[0] * asset.mesh.triangles.length) / 3)) : 0);
  const found = level.triangles.length / 3;
  if (asked > 0 && found > asked)
    context.note(
      `the level has ${found} triangles instead of ${asked}: the surface cannot be simplified further without folding over in some pose`,
    );
}

/** Measures each level in the file of another format than GLB. */
function measureEach(
  { limit, paths, made, posed }: LevelPlan & { made: readonly MeshLevel[]; posed: PosedAsset },
  before: readonly LevelRow[],
): NonNullable<JobFacts['measure']> {
  const rows = [...before];
  return async (back, { path, bytes }) => {
    const n = paths.indexOf(path);
    rows[n] = measureRead(posed, made[n], back, bytes.length).row;
    return { result: { levels: [...rows] }, gate: makeGate(limit, Math.max(...rows.map(({ max }) => max))) };
  };
}

/** The source and the number of poses. A number in place of a source is an older form. */
function settlePoses(context: Context): { poses: Exclude<LodValues['poses'], number>; poseCount: number } {
  const { poses, poseCount } = context.options;
  if (typeof poses !== 'number') return { poses, poseCount };
  context.note(
    `--poses ${poses} is deprecated, use --pose-count ${poses}; version 0.5 reads only a source of poses there`,
  );
  return { poses: 'auto', poseCount: poses };
}

function planLevels({ options, output }: Context, limit: number | undefined): LevelPlan {
  const wanted = listWanted(options, limit);
  const count = (wanted.triangles ?? wanted.ratios ?? [limit]).length;
  const isSeparate = count === 1 || options.separate === true;
  const paths = count === 1 || !isSeparate ? [output] : Array.from({ length: count }, (_, n) => pathOf(output, n));
  return { wanted, count, limit, paths, isSeparate };
}

/** Writes and measures each level, and all of them in one file unless they are separate. */
async function writeLevels(
  context: Context,
  asset: Asset,
  { limit, paths, isSeparate, made, posed }: LevelPlan & { made: readonly MeshLevel[]; posed: PosedAsset },
): Promise<{ rows: LevelRow[]; files: OutputFile[]; measured: number }> {
  const { diagonal } = measureBounds(asset.mesh.positions);
  const singles = await context.finish('write', () =>
    Promise.all(made.map((level) => writeContent(context, asset, { kind: 'levels', levels: [level] }, limit))),
  );
  const rows: LevelRow[] = [];
  let measured = 0;
  for (const [n, bytes] of singles.entries()) {
    const { row, poses } = await context.finish('measure', () => measureLevel(posed, made[n], bytes));
    rows.push(row);
    measured = poses;
  }
  if (isSeparate) return { rows, measured, files: singles.map((bytes, n) => ({ path: paths[n], bytes })) };
  const content = { kind: 'levels', levels: [...made], coverage: listCoverage(rows, diagonal) } as const;
  const bytes = await context.finish('write', () => writeContent(context, asset, content, limit));
  return { rows, measured, files: [{ path: paths[0], bytes }] };
}

/** Writes levels, with --for size in few bytes. */
async function writeContent(
  { options, storing }: Context,
  asset: Asset,
  content: GlbContent,
  limit: number | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  const kept = { ...storing, shading: 'keep' } as const;
  if (options.for === undefined) return writeGlb(asset, content, kept);
  const { diagonal } = measureBounds(asset.mesh.positions);
  return writeFixed(asset, content, { limit: limit ?? LEVEL_ERROR * diagonal, codec: options.codec, storing: kept });
}

/** Facts about a level that was written. Distances in file units and percent of the box diagonal. */
interface LevelRow {
  triangles: number;
  vertices: number;
  bones: number;
  bytes: number;
  max: number;
  maxPercent: number;
  mean: number;
  meanPercent: number;
}

function checkOptions(options: LodValues, { output = '' }: { output?: string }): void {
  const { separate, triangles, levels } = options;
  checkSizeOptions(options, output);
  const count = (triangles ?? levels ?? []).length;
  if (!isGlb(output) && !separate && count !== 1)
    throw new UsageError(
      'output',
      `only .glb holds several levels; give --separate, or one level, for ${listExtensions(CHARACTER_EXTENSIONS.slice(1))}`,
    );
}

function listWanted({ triangles, levels }: LodValues, limit: number | undefined): LevelPlan['wanted'] {
  if (triangles) return { triangles };
  if (levels) return { ratios: levels };
  return limit === undefined ? { ratios: LEVEL_RATIOS } : { maxError: limit };
}

const pathOf = (output: string, n: number): string => output.replace(/(\.[^.]*)$/, `-${n + 1}$1`);

/** An asset with a glTF to write levels into, and no more than its plain skin. */
async function openSource(context: JobContext, asset: Asset): Promise<Asset> {
  const { ddm: _ddm, twoLayer: _two, linearTwoLayer: _linear, ...plain } = asset;
  if (plain.source || plain.clips.length > 0) return plain;
  return readWritten(await writeAssetGlb(plain, { kind: 'clip' }, { log: (text) => context.note(text) }));
}

/** Measures the surface of a written level. Its vertices are fewer, so it is compared by surface, not by vertex. */
async function measureLevel(
  posed: PosedAsset,
  level: MeshLevel,
  bytes: Uint8Array,
): Promise<{ row: LevelRow; poses: number }> {
  return measureRead(posed, level, await readWritten(bytes), bytes.length);
}

/** Measures a level that was read back. */
function measureRead(
  posed: PosedAsset,
  level: MeshLevel,
  back: Asset,
  bytes: number,
): { row: LevelRow; poses: number } {
  const { max, mean, perPose } = measureSurfaces(posed.asset, playWritten(posed, back), MEASURED_POSES, {
    isSearched: true,
  });
  const { diagonal } = measureBounds(posed.asset.mesh.positions);
  const percent = diagonal > 0 ? 100 / diagonal : 0;
  const row = {
    triangles: level.triangles.length / 3,
    vertices: level.vertices.length,
    bones: countBones(back),
    bytes,
    max,
    maxPercent: percent * max,
    mean,
    meanPercent: percent * mean,
  };
  return { row, poses: perPose.length };
}

/** Number of bones with weights. */
function countBones({ rig }: Asset): number {
  return rig ? new Set(rig.skin.boneIndices.filter((_, e) => rig.skin.weights[e] > 0)).size : 0;
}

/** Coverage (the ratio of the screen's height) down to which each level is drawn: the next one takes over when its error is half a pixel. */
function listCoverage(rows: readonly LevelRow[], diagonal: number): number[] {
  const coverage = rows.map(({ max }) => Math.min(1, (PIXEL * diagonal) / Math.max(max, PIXEL * diagonal)));
  for (let n = 1; n < coverage.length; n++) coverage[n] = Math.min(coverage[n], coverage[n - 1]);
  return [...coverage, Math.min(MIN_COVERAGE, coverage[coverage.length - 1])];
}

function describeLevels({ result, files }: Report) {
  const rows = result.levels as LevelRow[];
  const table = rows.map((row, n) => [
    `level ${n + 1}`,
    String(row.triangles),
    String(row.vertices),
    String(row.bones),
    formatBytes(row.bytes),
    `${formatNumber(row.maxPercent)} %`,
    `${formatNumber(row.meanPercent)} %`,
  ]);
  return [
    `${formatCount(Number(result.triangles), 'triangle')}, ${formatCount(Number(result.bones), 'bone')}`,
    {
      rows: [['', 'triangles', 'vertices', 'bones', 'bytes', 'Hausdorff', 'mean'], ...table],
      align: 'lrrrrrr',
      hasHeading: true,
    },
    `distances from the full surface in percent of the box diagonal, ${describePoses(result)}`,
    { rows: files.map(({ path, bytes }) => ['wrote', path, formatBytes(bytes)]) },
  ];
}
