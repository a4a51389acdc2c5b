// SPDX-License-Identifier: MIT

import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import type { Asset } from '../../core/model/asset.ts';
import { InputError, UsageError } from '../../core/model/errors.ts';
import type { MeshLevel } from '../../core/model/mesh/mesh-level.ts';
import { count, flag, length, list, notNegative, type OptionsOf, option, ratio } from '../../core/options/option.ts';
import { type GlbContent, writeGlb } from '../../formats/gltf/index.ts';
import { measureSurfaces } from '../../measure/index.ts';
import { LEVEL_DEFAULTS, MEASURED_POSES, makeLevels } from '../../methods/lod/index.ts';
import {
  COMMON_OPTIONS,
  defineJob,
  formatBytes,
  formatCount,
  formatNumber,
  type JobContext,
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
  findOutputFormat,
  isGlb,
  listExtensions,
  SIZE_OPTIONS,
  writeAssetGlb,
} from '../shared/index.ts';
import { writeFixed } from './write-fixed.ts';

/** Levels keep the normals of the file. */
const { shading: _shading, ...STORE } = STORE_OPTIONS;

const D = LEVEL_DEFAULTS;
/** Levels if nothing is given: relative numbers of triangles. */
const RATIOS = [0.5, 0.25, 0.1];
/** Triangles below which the studio offers no levels. */
const MIN_TRIANGLES = 20;
/** A level is drawn while its error is below this part of the height of the screen: half a pixel of 1,080. */
const PIXEL = 0.5 / 1080;
/** The screen coverage below which nothing need be drawn. */
const MIN_COVERAGE = 0.001;
/** With --for size and without an error: what rounding may move, relative to the diagonal. Levels are off by more. */
const LEVEL_ERROR = 1e-3;

const OPTIONS = {
  triangles: option(
    list(count(1), '<n>'),
    'number of triangles, or several for several levels: 2100 or 8000,2000,500',
    {
      conflicts: ['levels'],
    },
  ),
  levels: option(
    list(ratio(), '<ratios>'),
    `triangles of each level, relative to the input (default: ${RATIOS.join(',')})`,
    {
      form: {
        label: 'Levels',
        note: 'Triangles of each level, relative to the input.',
        labels: { [RATIOS.join(',')]: '50, 25, 10 %', '0.5': '50 %', '0.25': '25 %', '0.1': '10 %' },
      },
    },
  ),
  maxError: option(
    length,
    'maximum distance between the surfaces in any pose: 0.01, 2mm or 1%. Alone: one level with the fewest triangles that meet it. With levels: exit with status 3 if it is exceeded',
  ),
  separate: option(flag, 'write a file per level (out-1.glb, out-2.glb …) instead of one with MSFT_lod'),
  poses: option(
    count(0, 256),
    'maximum poses in which the surface is preserved; 0: the rest pose alone, for comparison',
    {
      default: D.poses,
      form: {
        label: 'Poses',
        note: 'Maximum poses in which the surface is preserved.',
        range: [0, 64, 1],
        isFine: true,
      },
    },
  ),
  attributes: option(notNegative('<w>'), 'weight of distances in UVs and colours, relative to distances in space', {
    default: D.attributes,
  }),
  keepBones: option(flag, 'keep all bones; without it, levels merge bones that they do not miss', {
    form: { label: 'Keep all bones', note: 'Without it, levels merge bones that they do not miss.', isFine: true },
  }),
  ...SIZE_OPTIONS,
  ...STORE,
  ...READ_OPTIONS,
  ...COMMON_OPTIONS,
};
type LodValues = OptionsOf<typeof OPTIONS>;

export const lodJob = defineJob({
  name: 'lod',
  title: 'Levels of detail',
  summary: 'simplify a skinned model to levels of detail',
  description:
    'Simplifies the triangles of a skinned model by its motion: the surface is preserved in all its animations, not at rest alone. Weights, UVs, colours, morph targets and corrections ' +
    'are kept, and far levels use fewer bones of the same skeleton. One level is written as a plain file, several as one GLB with MSFT_lod. Measures what was written, pose by pose.',
  inputs: [{ name: 'input', description: 'a skinned, morphing or still .glb, .gltf, .fbx or USD file' }],
  output: CHARACTER_OUTPUT,
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
  async run(context) {
    const { options, output } = context;
    const opened = await context.open(context.job.inputs[0]);
    const asset = await openSource(context, opened.asset);
    if (asset.clips.length > 0)
      throw new InputError(opened.input, 'has frames of positions; decompose them into bones first');
    const limit = context.limitOf(asset);
    const wanted = listWanted(options, limit);
    const isOne = wanted.maxError !== undefined || (wanted.triangles ?? wanted.ratios)!.length === 1;
    const paths =
      isOne || !options.separate ? [output] : (wanted.triangles ?? wanted.ratios)!.map((_, n) => pathOf(output, n));
    await context.claim(paths);
    const { poses, attributes, keepBones } = options;
    const onProgress = (fraction: number): void => context.progress({ phase: 'simplify', fraction });
    const levels = await context.phase('simplify', () =>
      makeLevels(asset, { ...wanted, poses, attributes, keepBones, onProgress, signal: context.signal }),
    );
    if (context.signal.aborted) context.noteInterrupted();
    const storing = { ...context.storing, shading: 'keep' as const };
    const write = async (content: GlbContent): Promise<Uint8Array<ArrayBuffer>> => {
      if (options.for === undefined) return writeGlb(asset, content, storing);
      const { diagonal: size } = measureBounds(asset.mesh.positions);
      return writeFixed(asset, content, { limit: limit ?? LEVEL_ERROR * size, codec: options.codec, storing });
    };
    const singles = await context.finish('write', () =>
      Promise.all(levels.map((level) => write({ kind: 'levels', levels: [level] }))),
    );
    const rows: LevelRow[] = [];
    for (const [n, bytes] of singles.entries())
      rows.push(await context.finish('measure', () => measureWritten(asset, levels[n], bytes)));
    const { diagonal } = measureBounds(asset.mesh.positions);
    const files: OutputFile[] =
      isOne || options.separate
        ? singles.map((bytes, n) => ({ path: paths[n], bytes }))
        : [
            {
              path: output,
              bytes: await context.finish('write', () =>
                write({ kind: 'levels', levels, coverage: listCoverage(rows, diagonal) }),
              ),
            },
          ];
    const max = Math.max(...rows.map((row) => row.max));
    return {
      inputs: [opened],
      files,
      gate: makeGate(limit, max),
      result: { triangles: asset.mesh.triangles.length / 3, bones: countBones(asset), levels: rows },
      bytes: { file: files.reduce((sum, { bytes }) => sum + bytes.length, 0) },
    };
  },
  describe: describeLevels,
});

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

function listWanted({ triangles, levels }: LodValues, limit: number | undefined) {
  if (triangles) return { triangles };
  if (levels) return { ratios: levels };
  return limit === undefined ? { ratios: RATIOS } : { maxError: limit };
}

const pathOf = (output: string, n: number): string => output.replace(/(\.[^.]*)$/, `-${n + 1}$1`);

/** An asset with a glTF to write levels into, and no more than its plain skin. */
async function openSource(context: JobContext, asset: Asset): Promise<Asset> {
  const { ddm, twoLayer, linearTwoLayer, ...plain } = asset;
  if (ddm ?? twoLayer ?? linearTwoLayer)
    context.note('levels have the plain skin of the file; run mush or compress on them for more');
  if (plain.source || plain.clips.length > 0) return plain;
  const glb = findOutputFormat('.glb');
  if (glb.holds !== 'character') return plain;
  return readWritten(await writeAssetGlb(plain, { kind: 'clip' }, { log: (text) => context.note(text) }));
}

async function measureWritten(asset: Asset, level: MeshLevel, bytes: Uint8Array): Promise<LevelRow> {
  const back = await readWritten(bytes);
  const { max, mean } = measureSurfaces(asset, back, MEASURED_POSES);
  const { diagonal } = measureBounds(asset.mesh.positions);
  const percent = diagonal > 0 ? 100 / diagonal : 0;
  return {
    triangles: level.triangles.length / 3,
    vertices: level.vertices.length,
    bones: countBones(back),
    bytes: bytes.length,
    max,
    maxPercent: percent * max,
    mean,
    meanPercent: percent * mean,
  };
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
    'distances from the full surface in percent of the box diagonal, over all poses',
    { rows: files.map(({ path, bytes }) => ['wrote', path, formatBytes(bytes)]) },
  ];
}
