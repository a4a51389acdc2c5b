// SPDX-License-Identifier: MIT
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Character } from '../characters/character.ts';
import { loadCaches } from '../players/cache-scene.ts';
import { loadScene } from '../players/load-scene.ts';
import type { PlayedScene, Role } from '../players/played-scene.ts';
import type { Cell, CellResult, Verdict } from './cell.ts';
import { compareCounts } from './compare-counts.ts';
import { findLosses } from './find-losses.ts';
import { listFaults } from './list-faults.ts';
import { measureScenes } from './measure-scenes.ts';
import { type PrintedReport, readPrinted } from './read-printed.ts';

export interface Bench {
  /** The command line: main.js of a build. */
  program: string;
  /** Folder of generated characters and of outputs. */
  folder: string;
  build: string;
  /** Keep the outputs. */
  keep?: boolean;
}

/** Seconds that a command may take. */
const LIMIT = 600;

/** What commands refuse rightly: there is nothing to do, or nothing to do it to. */
const REFUSALS = [
  /: (the file )?has no skin/,
  // a box of twelve triangles, for example
  /: the surface cannot be simplified to \d triangles: /,
  /no vertex has more than \d+ weights?, so \d+ need no reduction$/,
  /: does not move; give a clip/,
];

/** Animations that are played of a file with many: those with the largest printed errors. */
const CLIPS = 4;

/** Errors below this are none; percent of the size. */
const NOTHING = 0.01;

/** Runs the command, plays its input and its output, and compares what is printed with what is played. */
export async function runCell(cell: Cell, character: Character, bench: Bench): Promise<CellResult> {
  const work = join(bench.folder, 'work', cell.name.replaceAll(/[^\w.-]+/g, '_'));
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  try {
    return { cell: cell.name, losses: [], ...(await playCell(cell, character, bench, work)), build: bench.build };
  } finally {
    if (!bench.keep) rmSync(work, { recursive: true, force: true });
  }
}

async function playCell(
  cell: Cell,
  character: Character,
  bench: Bench,
  work: string,
): Promise<Partial<CellResult> & { verdict: Verdict }> {
  const input = character.input
    .split('+')
    .map((file) => (file.startsWith('/') ? file : join(bench.folder, 'characters', file)));
  const place = (word: string) =>
    word
      .replace(/^IN$/, input.join('+'))
      .replace(/^OUT$/, join(work, cell.output))
      .replace(/^WORK\b/, work);
  const run = (words: readonly string[]) =>
    spawnSync(process.execPath, [bench.program, ...words.map(place)], { encoding: 'utf8', timeout: LIMIT * 1000 });
  if (cell.before) run(cell.before);
  const { status, stdout, stderr } = run([...cell.words, '--report', 'WORK/report.json', '--threads', '1']);
  if (status !== 0 && status !== 3) {
    const last = stderr.trim().split('\n').at(-1) ?? '';
    const isRight = REFUSALS.some((sentence) => sentence.test(last));
    return {
      verdict: isRight ? 'refused' : 'failed',
      status: status ?? -1,
      message: status === null ? `more than ${LIMIT} s` : last,
    };
  }
  const report = JSON.parse(readFileSync(join(work, 'report.json'), 'utf8')) as PrintedReport;
  const source = await open(input, 'source');
  const result = await open([join(work, cell.output)], 'result').catch((error: Error) => error);
  if (result instanceof Error) return { verdict: 'unplayed', status, message: result.message };
  const { clips, max, peaks, worst } = readPrinted(report);
  const first = cell.isFirstOnly ? source.clips.slice(0, 1).map(({ name }) => name) : undefined;
  const names =
    first ?? (clips.length > CLIPS ? [...clips.slice(0, CLIPS), ...(worst ? [worst.clip] : [])] : undefined);
  const played = measureScenes(source, result, {
    ...{ clips: names, peaks, worst, surfaces: cell.surfaces, turned: character.kind === 'posed' },
  });
  const printed = max === undefined ? undefined : (100 * max * scaleOf(report, source)) / played.diagonal;
  const notes = `${stdout}\n${stderr}\n${JSON.stringify([report.losses, report.result?.losses])}`;
  const losses = findLosses({ ...cell, notes }, source.inventory, result.inventory);
  // a sequence has a number in each name
  const whole = join(work, cell.output);
  const path = existsSync(whole) ? whole : (report.files?.[0].path ?? whole);
  const counts = compareCounts(report, result.counts, { path, bytes: statSync(path).size });
  const bytesOf = (file: string) => new Uint8Array(readFileSync(file));
  const faults = await listFaults(path, bytesOf(path), input.map(bytesOf));
  return {
    ...{
      verdict: judge(
        printed,
        played.percent,
        (first ?? names) === first && !cell.isSampled && character.kind !== 'posed',
      ),
      printed,
      played: played.percent,
      worst: played.worst,
    },
    ...{ samples: played.samples, status, losses, counts, faults },
  };
}

/** Units of the player per unit of the report: FBX is reported in metres, and three.js plays its centimetres. */
function scaleOf({ inputs }: PrintedReport, { metresPerUnit, scale }: PlayedScene): number {
  const own = inputs?.[0].metresPerUnit;
  return own === undefined || metresPerUnit === undefined ? scale : own / metresPerUnit;
}

/** `isWhole`: everything was played (joints of rigs without animation turn less here than in the poses of reports) of which the printed error is the largest. */
function judge(printed: number | undefined, played: number, isWhole: boolean): Verdict {
  if (printed === undefined) return played > NOTHING ? 'silent' : 'true';
  if (!(played - NOTHING <= printed)) return 'under';
  return isWhole && printed > 1.05 * played + NOTHING ? 'over' : 'true';
}

/** Opens a file as three.js does, or stored positions; a cache without its mesh has it beside. */
async function open(paths: readonly string[], role: Role): Promise<PlayedScene> {
  const [path] = paths;
  if (!/\.(obj|pc2|mdd)$/.test(path)) return loadScene(basename(path), new Uint8Array(readFileSync(path)), role);
  const folder = path.slice(0, -basename(path).length);
  const stem = basename(path).replace(/\.\w+$/, '');
  const beside =
    role === 'source' ? [] : readdirSync(folder).filter((name) => name.startsWith(stem) && name.endsWith('.obj'));
  const all = [...new Set([...beside.sort().map((name) => join(folder, name)), ...paths])];
  return loadCaches(
    new Map(all.filter((one) => existsSync(one)).map((one) => [one, new Uint8Array(readFileSync(one))])),
  );
}
