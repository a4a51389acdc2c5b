// SPDX-License-Identifier: MIT
// The size suite: bytes against distortion for several ways to store a clip. In a checkout, results are kept per clip in bench/results/size-<clip>.json after each file, and files that are there are
// not measured again: the suite can be stopped and continued, and a clip is measured anew by deleting its results.
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listClips } from '../../src/deformers/playback/index.ts';
import { makeSample } from '../../src/entry/sample.ts';
import { openFiles } from '../../src/hosts/disk/index.ts';
import { assetOfSample } from '../../src/jobs/sample/index.ts';
import { measureSpread } from '../../src/measure/index.ts';
import type { BenchContext, BenchRow, BenchSuite } from '../shared/bench-suite.ts';
import { capturedInput, findDataFolder } from '../shared/decompose-cases.ts';
import { measureFrameSpread } from './measure-frame-spread.ts';
import {
  makePcaMeter,
  measureFixedSizes,
  measurePlain,
  measureSmall,
  SIZE_METHODS,
  type SizeClip,
  type SizeFile,
} from './size-methods.ts';
import { makeSizePage } from './size-page.ts';

const CAPTURED = ['horse-gallop', 'horse-collapse', 'samba', 'pdance', 'cat-poses', 'flag'];
const GENERATED = 'quadruped';
/** Distortions that files must meet, percent. */
const REQUIRED = [0.25, 0.5, 1, 2];
const QUICK = { resolution: 250, frames: 8, required: [4] };

/** What is measured of one clip. */
export interface SizeResults {
  clip: string;
  vertices: number;
  triangles: number;
  frames: number;
  /** Distortion with the mean of each frame as its denominator, as in the literature, relative to ours. */
  publishedRatio: number;
  files: SizeFile[];
}

export type SizeRow = BenchRow & { size: { facts: Omit<SizeResults, 'files'>; file: SizeFile } };

export const sizeSuite: BenchSuite = {
  name: 'size',
  description:
    'kilobytes of a clip by method and distortion (percent): GLB of --for size with its codecs, PCA codec, morph targets, textures, Alembic',
  async run(context) {
    const folder = findDataFolder(process.env);
    if (folder === undefined && !context.quick)
      context.note('no captured motion: set OSSIFY_DATA to the folder that holds datasets/ to measure on it');
    const names = [...(context.quick ? [] : CAPTURED), GENERATED];
    const rows: SizeRow[] = [];
    for (const [n, name] of names.entries()) {
      const store = context.quick ? undefined : findResultsFile(name);
      const known = await readResults(store);
      if (name !== GENERATED && !(folder !== undefined && existsSync(join(folder, name)))) {
        // without the clip, results of an earlier run are shown
        if (known) rows.push(...known.files.map((file) => makeRow(known, file)));
        continue;
      }
      const results = await measureClip(
        context,
        () => openClip(name, folder, context.quick),
        known,
        async (now) => {
          context.onProgress({ phase: `${name}, ${now.files.at(-1)?.method ?? ''}`, fraction: n / names.length });
          if (store !== undefined) await writeFile(store, `${JSON.stringify(now, null, 2)}\n`);
        },
      );
      rows.push(...results.files.map((file) => makeRow(results, file)));
    }
    return rows;
  },
  makePage: (rows, machine) =>
    makeSizePage(groupRows(rows.filter((row) => 'size' in row) as SizeRow[]), machine, new Date()),
};

async function openClip(name: string, folder: string | undefined, quick: boolean): Promise<SizeClip> {
  if (name === GENERATED) {
    const asset = assetOfSample(makeSample(name, quick ? QUICK : {}));
    return { name, input: { input: name, asset, paths: [] }, clip: asset.clips[0] };
  }
  const input = await openFiles(capturedInput(folder!, name), {});
  return { name, input, clip: listClips(input)[0] };
}

/** The file of results in a checkout; undefined in an installed package. */
function findResultsFile(name: string): string | undefined {
  const root = fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? '../../' : '../../../', import.meta.url));
  const folder = join(root, 'bench', 'results');
  return existsSync(folder) ? join(folder, `size-${name}.json`) : undefined;
}

async function readResults(path: string | undefined): Promise<SizeResults | undefined> {
  return path !== undefined && existsSync(path) ? (JSON.parse(await readFile(path, 'utf8')) as SizeResults) : undefined;
}

/** Measures what is not known yet of a clip. */
async function measureClip(
  { quick, threads, seed, signal, note }: BenchContext,
  open: () => Promise<SizeClip>,
  known: SizeResults | undefined,
  onFile: (results: SizeResults) => Promise<void>,
): Promise<SizeResults> {
  const required = quick ? QUICK.required : REQUIRED;
  const { small, compact, plain, pca, alembic } = SIZE_METHODS;
  const has = (method: string, kg?: number) =>
    known?.files.some((file) => file.method === method && file.required === kg) === true;
  if (known && has(alembic) && required.every((kg) => [small, compact, plain, pca].every((method) => has(method, kg))))
    return known;
  const one = await open();
  const { mesh, times } = one.clip;
  const results: SizeResults = known ?? {
    ...{ clip: one.name, vertices: mesh.positions.length / 3, triangles: mesh.triangles.length / 3 },
    ...{ frames: times.length, publishedRatio: measureSpread(one.clip) / measureFrameSpread(one.clip), files: [] },
  };
  const add = async (what: string, measure: () => Promise<SizeFile[]>) => {
    signal.throwIfAborted();
    try {
      results.files.push(...(await measure()));
    } catch (error) {
      signal.throwIfAborted();
      note(`${one.name}, ${what}: ${(error as Error).message.split('\n')[0]}`);
    }
    await onFile(results);
  };
  if (!has(alembic)) await add('fixed sizes', () => measureFixedSizes(one));
  const measurePca = makePcaMeter(one);
  for (const kg of required) if (!has(pca, kg)) await add(`${pca}, ${kg} %`, () => measurePca(kg));
  const options = { threads, seed, signal };
  for (const kg of required) {
    if (!has(small, kg) || !has(compact, kg)) await add(`${small}, ${kg} %`, () => measureSmall(one, kg, options));
    if (!has(plain, kg)) await add(`${plain}, ${kg} %`, () => measurePlain(one, kg, options));
  }
  return results;
}

function makeRow({ files: _files, ...facts }: SizeResults, file: SizeFile): SizeRow {
  const milliseconds = 1000 * file.seconds;
  const { method, required, bytes, distortion } = file;
  return {
    case: `${facts.clip}, ${method}${required === undefined ? '' : `, ${required} %`}`,
    table: { data: facts.clip, method },
    timings: { total: { least: milliseconds, mean: milliseconds, deviation: 0, runs: 1 } },
    figures: {
      kilobytes: bytes / 1000,
      distortion,
      bitsPerVertexFrame: (8 * bytes) / facts.vertices / facts.frames,
      ...(file.details?.bones ? { bones: file.details.bones } : {}),
      ...(file.details?.decodeMilliseconds ? { decodeMilliseconds: file.details.decodeMilliseconds } : {}),
    },
    size: { facts, file },
  };
}

function groupRows(rows: readonly SizeRow[]): SizeResults[] {
  const groups = new Map<string, SizeResults>();
  for (const { facts, file } of rows.map(({ size }) => size)) {
    const group = groups.get(facts.clip) ?? { ...facts, files: [] };
    group.files.push(file);
    groups.set(facts.clip, group);
  }
  return [...groups.values()];
}
