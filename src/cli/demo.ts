// SPDX-License-Identifier: MIT
import { join } from 'node:path';
import { Option } from 'commander';
import { renderFrames } from '../draw/render-frames.ts';
import { writePng } from '../draw/write-png.ts';
import { writeGlb } from '../gltf/write-glb.ts';
import { readAsset } from '../io/read-asset.ts';
import { writeObj } from '../io/write-obj.ts';
import { writePc2 } from '../io/write-pc2.ts';
import { frameCountOf, frameRateOf } from '../model/clip.ts';
import { type CompareResult, compare } from '../recipe/compare.ts';
import { decompose } from '../recipe/decompose.ts';
import { reportInputOf, reportMetricsOf } from '../recipe/report.ts';
import { makeSample } from '../sample/make-sample.ts';
import { SAMPLE_DEFAULTS, SAMPLE_FPS, type Sample } from '../sample/sample.ts';
import { assetOfSample, skinnedOfSample } from './asset-of-sample.ts';
import type { CommandSpec, CommonOptions, Context } from './command.ts';
import { makeComparePage } from './compare-page.ts';
import { drawPortrait } from './demo-portrait.ts';
import { EXIT_DONE } from './exit-status.ts';
import { formatBytes, formatNumber } from './format-number.ts';
import { makeFolder, removeFolders } from './make-folder.ts';
import type { OpenedInput } from './open-input.ts';
import { wholeNumber } from './option-values.ts';
import { checkResults, saveResults } from './save-results.ts';
import { formatTable } from './table.ts';
import type { OutputFile } from './write-output.ts';

interface DemoOptions extends CommonOptions {
  resolution: number;
}

/** As many as the animal was made with, and a few for what is soft. */
const BONES = 28;

const NAMES = {
  rest: 'quadruped.obj',
  cache: 'quadruped.pc2',
  morphs: 'quadruped-morphs.glb',
  skinned: 'quadruped.glb',
  decomposed: 'quadruped-decomposed.glb',
  portrait: 'quadruped.png',
  frames: 'frames.png',
  page: 'errors.html',
} as const;

/** What each file is good for, for the list at the end. */
const PURPOSES: Record<keyof typeof NAMES, string> = {
  rest: 'the rest pose',
  cache: 'its motion, every vertex in every frame',
  morphs: 'the same as morph targets: exact, and large',
  skinned: 'the same as the skin it was made with: the soft tissue is lost',
  decomposed: 'the same as a skin found from the frames alone: plays anywhere',
  portrait: 'a picture: shape, weights and bones that were found, error',
  frames: 'a picture: frames of the motion',
  page: 'a page: error per frame, worst frames; open it in a browser',
};

export const demoCommand: CommandSpec<DemoOptions> = {
  name: 'demo',
  summary: 'make a walking animal, find bones for it, measure them, and write files and pictures',
  description:
    'Makes an animal that walks, finds bones for it from its frames alone, measures them, and writes files and pictures to look at.',
  arguments: [{ name: '<folder>', description: 'where to write; it is made where it does not exist' }],
  examples: [{ line: 'demo out/demo', does: 'a table, and files to look at' }],
  configure(command) {
    command.addOption(
      new Option('--resolution <n>', 'vertices, about')
        .default(SAMPLE_DEFAULTS.resolution)
        .argParser(wholeNumber(100, 100_000)),
    );
  },
  async run(context) {
    const made = await makeFolder(context.args[0]);
    try {
      return await makeDemo(context);
    } catch (error) {
      await removeFolders(made);
      throw error;
    }
  },
};

async function makeDemo(context: Context<DemoOptions>): Promise<number> {
  const { options, colors } = context;
  const [folder] = context.args;
  const paths = Object.values(NAMES).map((name) => join(folder, name));
  await checkResults(context, paths, []);

  const sample = await context.phase('make', () =>
    makeSample('quadruped', { seed: options.seed, resolution: options.resolution }),
  );
  const bytes = await context.phase('write', () => encode(sample));
  // What is measured is what was written, read back.
  const clip = await context.phase('read', () => readBack([NAMES.rest, NAMES.cache], bytes));
  const solved = await context.phase('decompose', () =>
    decompose(clip.asset.clips, {
      ...{ bones: BONES, threads: options.threads, seed: options.seed, signal: context.signal },
      onProgress: ({ phase, fraction, eRms }) => context.progress.show({ phase, ratio: fraction, eRms }),
    }),
  );
  bytes[NAMES.decomposed] = await context.phase('write', () =>
    writeGlb(clip.asset, { kind: 'skin', model: solved.model }),
  );
  const morphs = await context.phase('read', () => readBack([NAMES.morphs], bytes));
  const skinned = await context.phase('read', () => readBack([NAMES.skinned], bytes));
  const found = await context.phase('read', () => readBack([NAMES.decomposed], bytes));
  const measure = ({ asset }: OpenedInput) =>
    context.phase('compare', () => compare(clip.asset, asset, { signal: context.signal }));
  const ofMorphs = await measure(morphs);
  const ofSkin = await measure(skinned);
  const ofFound = await measure(found);
  await context.phase('draw', () => {
    bytes[NAMES.portrait] = writePng(drawPortrait(clip.asset, found.asset, ofFound));
    bytes[NAMES.frames] = writePng(renderFrames(clip.asset.clips[0], { title: 'quadruped', view: 'three-quarter' }));
    bytes[NAMES.page] = makeComparePage(clip, found, ofFound, { pictures: 3 });
  });

  const files: OutputFile[] = Object.values(NAMES).map((name) => ({ path: join(folder, name), bytes: bytes[name] }));
  const written = files.map((file) => ({ path: file.path, bytes: Buffer.byteLength(file.bytes) }));
  await saveResults(context, files, [], {
    inputs: [reportInputOf(clip.input, clip.asset)],
    metrics: reportMetricsOf(ofFound.clips[0].error),
    result: { bones: found.asset.rig?.skeleton.names.length ?? 0, status: solved.status, files: written },
    bytes: { file: sizeOf(bytes[NAMES.decomposed]) },
  });
  const rows = listRows(sample, bytes, { morphs: ofMorphs, skinned: ofSkin, decomposed: ofFound });
  context.tell({ sample: sample.name, rows, files: written });
  context.say(`${colors.bold('quadruped')}: ${sample.description}\n\n${formatRows(rows, colors.bold)}\n`);
  const purposes = Object.values(PURPOSES);
  context.say(formatTable(written.map((file, n) => ['wrote', file.path, formatBytes(file.bytes), purposes[n]])));
  return EXIT_DONE;
}

type Bytes = Record<string, Uint8Array | string>;

async function encode(sample: Sample): Promise<Bytes> {
  const asset = assetOfSample(sample);
  return {
    [NAMES.rest]: writeObj(sample.clip.mesh),
    [NAMES.cache]: writePc2(sample.clip, { fps: frameRateOf(sample.clip.times) }),
    [NAMES.morphs]: await writeGlb(asset),
    [NAMES.skinned]: await writeGlb(asset, { kind: 'skin', model: skinnedOfSample(sample)! }),
  };
}

async function readBack(names: readonly string[], bytes: Bytes): Promise<OpenedInput> {
  const files = names.map((name) => ({ name, bytes: bytes[name] as Uint8Array }));
  return { input: names.join('+'), asset: await readAsset(files, { fps: SAMPLE_FPS, unit: 1 }), paths: [] };
}

interface DemoRow {
  as: string;
  file: string;
  vertices: number;
  frames: number;
  bones: number;
  bytes: number;
  eRms: number;
  rmsePercent: number;
  max: number;
}

type Measured = Record<'morphs' | 'skinned' | 'decomposed', CompareResult>;

function listRows({ clip, skeleton }: Sample, bytes: Bytes, measured: Measured): DemoRow[] {
  const facts = { vertices: clip.mesh.positions.length / 3, frames: frameCountOf(clip) };
  const sizes = (...names: string[]) => names.reduce((sum, name) => sum + sizeOf(bytes[name]), 0);
  const rowOf = (as: string, key: keyof Measured, bones: number): DemoRow => {
    const { eRms, rmsePercent, max } = measured[key].clips[0].error;
    return { as, file: NAMES[key], ...facts, bones, bytes: sizes(NAMES[key]), eRms, rmsePercent, max };
  };
  return [
    {
      as: 'frames of positions',
      file: `${NAMES.rest}+${NAMES.cache}`,
      ...facts,
      bones: 0,
      bytes: sizes(NAMES.rest, NAMES.cache),
      eRms: 0,
      rmsePercent: 0,
      max: 0,
    },
    rowOf('morph targets', 'morphs', 0),
    rowOf('skin it was made with', 'skinned', skeleton?.names.length ?? 0),
    rowOf('skin, decomposed', 'decomposed', BONES),
  ];
}

function formatRows(rows: readonly DemoRow[], heading: (text: string) => string): string {
  const head = ['as', 'file', 'vertices', 'frames', 'bones', 'size', 'E_RMS', 'RMSE %', 'max'];
  const body = rows.map((row) => [
    row.as,
    row.file,
    String(row.vertices),
    String(row.frames),
    row.bones === 0 ? '-' : String(row.bones),
    formatBytes(row.bytes),
    formatNumber(row.eRms),
    formatNumber(row.rmsePercent),
    `${formatNumber(row.max * 1000, 3)} mm`,
  ]);
  return formatTable([head, ...body], { align: 'llrrrrrrr', heading });
}

function sizeOf(bytes: Uint8Array | string): number {
  return Buffer.byteLength(bytes);
}
