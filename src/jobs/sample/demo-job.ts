// SPDX-License-Identifier: MIT

import { frameCountOf, frameRateOf } from '../../core/model/clip/clip.ts';
import { count, type OptionsOf, option } from '../../core/options/option.ts';
import { renderFrames, writePng } from '../../draw/index.ts';
import { readAsset } from '../../formats/assets/index.ts';
import { writePc2 } from '../../formats/caches/index.ts';
import { writeGlb } from '../../formats/gltf/index.ts';
import { writeObj } from '../../formats/meshes/index.ts';
import { type CompareResult, compare } from '../../measure/index.ts';
import { makeSample, SAMPLE_DEFAULTS, SAMPLE_FPS, type Sample } from '../../samples/index.ts';
import { decompose } from '../decompose/index.ts';
import {
  COMMON_OPTIONS,
  defineJob,
  formatBytes,
  formatNumber,
  type JobContext,
  type JobFacts,
  type OpenedInput,
  type Report,
  type ReportMetrics,
  reportMetricsOf,
} from '../engine/index.ts';
import { makeComparePage } from '../view/index.ts';
import { checkSampleMemory } from './check-sample-memory.ts';
import { drawPortrait } from './demo-portrait.ts';
import { assetOfSample, skinnedOfSample } from './sample-asset.ts';

/** The bones of the generated animal, and a few for its soft tissue. */
const BONES = 28;

/** The files and their purpose. */
const FILES = {
  rest: ['quadruped.obj', 'the rest pose'],
  cache: ['quadruped.pc2', 'its motion: every vertex in every frame'],
  morphs: ['quadruped-morphs.glb', 'the motion as morph targets: exact, and large'],
  skinned: ['quadruped.glb', 'the skin it was made with: the soft tissue is lost'],
  decomposed: ['quadruped-decomposed.glb', 'a skin computed from the frames alone: plays anywhere'],
  portrait: ['quadruped.png', 'a picture of the shape, the computed weights and bones, and the error'],
  frames: ['frames.png', 'a picture of the motion'],
  page: ['errors.html', 'a page with the error per frame and the worst frames'],
} as const;

type FileKey = keyof typeof FILES;
const KEYS = Object.keys(FILES) as FileKey[];
/** The contents of the files. */
type Bytes = Record<FileKey, Uint8Array | string>;
type NamedFile = { name: string; bytes: Uint8Array };

const fileOf = (key: FileKey, bytes: Uint8Array): NamedFile => ({ name: FILES[key][0], bytes });

const OPTIONS = {
  resolution: option(count(100, 100_000), 'approximate number of vertices', { default: SAMPLE_DEFAULTS.resolution }),
  ...COMMON_OPTIONS,
};
type Context = JobContext<OptionsOf<typeof OPTIONS>>;

export const demoJob = defineJob({
  name: 'demo',
  title: 'Demo',
  summary: 'generate a walking animal, decompose and measure it, and write files and pictures',
  description:
    'Generates a walking animal, computes bones for it from its frames alone, measures them, and writes files and pictures.',
  inputs: [],
  output: { description: 'a folder; it is created if it does not exist', extensions: [''], isFolder: true },
  examples: [{ line: 'demo out/demo', does: 'print a table and write files' }],
  options: OPTIONS,
  run: runDemo,
  describe: describeDemo,
});

/** A file that was read back, and its distance from the frames. */
interface MeasuredFile {
  opened: OpenedInput;
  compared: CompareResult;
  metrics: ReportMetrics;
}

async function runDemo(context: Context): Promise<JobFacts> {
  const { options, output, signal } = context;
  const { seed, resolution, threads } = options;
  const pathOf = (key: FileKey) => `${output.replace(/[/\\]+$/, '')}/${FILES[key][0]}`;
  checkSampleMemory(resolution, SAMPLE_DEFAULTS.frames, options.maxMemory);
  await context.claim(KEYS.map(pathOf));
  const sample = await context.phase('make', () => makeSample('quadruped', { seed, resolution }));
  const given = await context.phase('write', () => encode(sample));
  // errors are measured on the written file
  const readBack = (...files: NamedFile[]) => context.phase('read', () => readFiles(files));
  const clip = await readBack(fileOf('rest', given.rest), fileOf('cache', given.cache));
  const solved = await context.phase('decompose', () =>
    decompose(clip.asset.clips, { bones: BONES, threads, seed, signal, onProgress: context.progress }),
  );
  const decomposed = await context.phase('write', () => writeGlb(clip.asset, { kind: 'skin', model: solved.model }));
  const measure = async (key: FileKey, bytes: Uint8Array): Promise<MeasuredFile> => {
    const opened = await readBack(fileOf(key, bytes));
    const compared = await context.phase('compare', () => compare(clip.asset, opened.asset, { signal }));
    return { opened, compared, metrics: reportMetricsOf(compared.clips[0].error) };
  };
  const morphs = await measure('morphs', given.morphs);
  const skinned = await measure('skinned', given.skinned);
  const found = await measure('decomposed', decomposed);
  const bytes = { ...given, decomposed, ...(await context.phase('draw', () => draw(clip, found))) };
  const row = rowsOf(sample, clip, bytes);
  return {
    inputs: [clip],
    files: KEYS.map((key) => ({ path: pathOf(key), bytes: bytes[key] })),
    metrics: found.metrics,
    result: {
      ...{ bones: BONES, status: solved.status, description: sample.description },
      rows: [
        row('frames of positions', ['rest', 'cache'], 0, { eRms: 0, rmsePercent: 0, max: 0 }),
        row('morph targets', ['morphs'], 0, morphs.metrics),
        row('skin it was made with', ['skinned'], sample.skeleton?.names.length ?? 0, skinned.metrics),
        row('skin, decomposed', ['decomposed'], BONES, found.metrics),
      ],
    },
    bytes: { file: decomposed.length },
  };
}

/** The pictures and the page. */
function draw(clip: OpenedInput, { opened, compared }: MeasuredFile): Pick<Bytes, 'portrait' | 'frames' | 'page'> {
  return {
    portrait: writePng(drawPortrait(clip.asset, opened.asset, compared)),
    frames: writePng(renderFrames(clip.asset.clips[0], { title: 'quadruped', view: 'three-quarter' })),
    page: makeComparePage(clip, opened, compared, { pictures: 3 }),
  };
}

/** Rows of the table. */
const rowsOf =
  (sample: Sample, clip: OpenedInput, bytes: Bytes) =>
  (as: string, names: FileKey[], bones: number, { eRms, rmsePercent, max }: ReportMetrics) => ({
    as,
    file: names.map((key) => FILES[key][0]).join('+'),
    bones,
    bytes: names.reduce((sum, key) => sum + bytes[key].length, 0),
    ...{ eRms, rmsePercent, max },
    vertices: clip.asset.mesh.positions.length / 3,
    frames: frameCountOf(sample.clip),
  });

/** The files that are written of the sample as it is. */
async function encode(sample: Sample) {
  const asset = assetOfSample(sample);
  const model = skinnedOfSample(sample);
  if (!model) throw new Error('the sample quadruped has no skin');
  return {
    rest: writeObj(sample.clip.mesh),
    cache: writePc2(sample.clip, { fps: frameRateOf(sample.clip.times) }),
    morphs: await writeGlb(asset),
    skinned: await writeGlb(asset, { kind: 'skin', model }),
  };
}

async function readFiles(files: NamedFile[]): Promise<OpenedInput> {
  const asset = await readAsset(files, { fps: SAMPLE_FPS, unit: 1 });
  return { input: files.map(({ name }) => name).join('+'), asset, paths: [] };
}

function describeDemo({ result, files }: Report) {
  type Row = Required<Pick<ReportMetrics, 'eRms' | 'rmsePercent' | 'max'>> & {
    as: string;
    file: string;
    vertices: number;
    frames: number;
    bones: number;
    bytes: number;
  };
  const head = ['as', 'file', 'vertices', 'frames', 'bones', 'size', 'E_RMS', 'RMSE %', 'max'];
  const rows = (result.rows as Row[]).map((row) => [
    ...[row.as, row.file, String(row.vertices), String(row.frames), row.bones === 0 ? '-' : String(row.bones)],
    ...[
      formatBytes(row.bytes),
      formatNumber(row.eRms),
      formatNumber(row.rmsePercent),
      `${formatNumber(row.max * 1000, 3)} mm`,
    ],
  ]);
  const purposes = Object.values(FILES).map(([, purpose]) => purpose);
  return [
    `quadruped: ${result.description}`,
    { rows: [head, ...rows], align: 'llrrrrrrr', hasHeading: true },
    { rows: files.map(({ path, bytes }, n) => ['wrote', path, formatBytes(bytes), purposes[n]]) },
  ];
}
