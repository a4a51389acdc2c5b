// SPDX-License-Identifier: MIT

import { frameCountOf, frameRateOf } from '../../core/model/clip/clip.ts';
import { count, option } from '../../core/options/option.ts';
import { renderFrames, writePng } from '../../draw/index.ts';
import { readAsset } from '../../formats/assets/index.ts';
import { writePc2 } from '../../formats/caches/index.ts';
import { writeGlb } from '../../formats/gltf/index.ts';
import { writeObj } from '../../formats/meshes/index.ts';
import { compare } from '../../measure/index.ts';
import { makeSample, SAMPLE_DEFAULTS, SAMPLE_FPS, type Sample } from '../../samples/index.ts';
import { decompose } from '../decompose/index.ts';
import {
  COMMON_OPTIONS,
  defineJob,
  formatBytes,
  formatNumber,
  type OpenedInput,
  type Report,
  type ReportMetrics,
  reportMetricsOf,
} from '../engine/index.ts';
import { makeComparePage } from '../view/index.ts';
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
type Bytes = Partial<Record<FileKey, Uint8Array | string>>;

export const demoJob = defineJob({
  name: 'demo',
  title: 'Demo',
  summary: 'generate a walking animal, decompose and measure it, and write files and pictures',
  description:
    'Generates a walking animal, computes bones for it from its frames alone, measures them, and writes files and pictures.',
  inputs: [],
  output: { description: 'a folder; it is created if it does not exist', extensions: [''], isFolder: true },
  examples: [{ line: 'demo out/demo', does: 'print a table and write files' }],
  options: {
    resolution: option(count(100, 100_000), 'approximate number of vertices', { default: SAMPLE_DEFAULTS.resolution }),
    ...COMMON_OPTIONS,
  },
  async run(context) {
    const { options, output, signal } = context;
    const { seed, resolution, threads } = options;
    const pathOf = (key: FileKey) => `${output.replace(/[/\\]+$/, '')}/${FILES[key][0]}`;
    const keys = Object.keys(FILES) as FileKey[];
    await context.claim(keys.map(pathOf));
    const sample = await context.phase('make', () => makeSample('quadruped', { seed, resolution }));
    const bytes: Bytes = await context.phase('write', () => encode(sample));
    // errors are measured on the written file
    const readBack = (...names: FileKey[]) => context.phase('read', () => readFiles(names, bytes));
    const clip = await readBack('rest', 'cache');
    const solved = await context.phase('decompose', () =>
      decompose(clip.asset.clips, { bones: BONES, threads, seed, signal, onProgress: context.progress }),
    );
    bytes.decomposed = await context.phase('write', () => writeGlb(clip.asset, { kind: 'skin', model: solved.model }));
    const measure = async (key: FileKey) => {
      const opened = await readBack(key);
      const compared = await context.phase('compare', () => compare(clip.asset, opened.asset, { signal }));
      return { opened, compared, metrics: reportMetricsOf(compared.clips[0].error) };
    };
    const [morphs, skinned, found] = [await measure('morphs'), await measure('skinned'), await measure('decomposed')];
    await context.phase('draw', () => {
      bytes.portrait = writePng(drawPortrait(clip.asset, found.opened.asset, found.compared));
      bytes.frames = writePng(renderFrames(clip.asset.clips[0], { title: 'quadruped', view: 'three-quarter' }));
      bytes.page = makeComparePage(clip, found.opened, found.compared, { pictures: 3 });
    });
    const sizeOf = (...names: FileKey[]) => names.reduce((sum, key) => sum + bytes[key]!.length, 0);
    const row = (as: string, names: FileKey[], bones: number, { eRms, rmsePercent, max }: ReportMetrics) => ({
      ...{
        as,
        file: names.map((key) => FILES[key][0]).join('+'),
        bones,
        bytes: sizeOf(...names),
        eRms,
        rmsePercent,
        max,
      },
      vertices: clip.asset.mesh.positions.length / 3,
      frames: frameCountOf(sample.clip),
    });
    return {
      inputs: [clip],
      files: keys.map((key) => ({ path: pathOf(key), bytes: bytes[key]! })),
      metrics: found.metrics,
      result: {
        ...{ bones: BONES, status: solved.status, description: sample.description },
        rows: [
          row('frames of positions', ['rest', 'cache'], 0, { eRms: 0, rmsePercent: 0, max: 0 }),
          row('morph targets', ['morphs'], 0, morphs.metrics),
          row('skin it was made with', ['skinned'], sample.skeleton!.names.length, skinned.metrics),
          row('skin, decomposed', ['decomposed'], BONES, found.metrics),
        ],
      },
      bytes: { file: sizeOf('decomposed') },
    };
  },
  describe: describeDemo,
});

async function encode(sample: Sample): Promise<Bytes> {
  const asset = assetOfSample(sample);
  return {
    rest: writeObj(sample.clip.mesh),
    cache: writePc2(sample.clip, { fps: frameRateOf(sample.clip.times) }),
    morphs: await writeGlb(asset),
    skinned: await writeGlb(asset, { kind: 'skin', model: skinnedOfSample(sample)! }),
  };
}

async function readFiles(keys: readonly FileKey[], bytes: Bytes): Promise<OpenedInput> {
  const files = keys.map((key) => ({ name: FILES[key][0], bytes: bytes[key] as Uint8Array }));
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
