// SPDX-License-Identifier: MIT
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Cell, CellResult } from './cells/cell.ts';
import { listCells } from './cells/list-cells.ts';
import { countCells, printTable } from './cells/print-table.ts';
import { runCell } from './cells/run-cell.ts';
import type { Character } from './characters/character.ts';
import { listCharacters } from './characters/list-characters.ts';
import { runTrips } from './trips/run-trips.ts';

const OPTIONS = {
  only: { type: 'string', default: '' },
  list: { type: 'boolean', default: false },
  again: { type: 'boolean', default: false },
  jobs: { type: 'string', default: '2' },
  keep: { type: 'boolean', default: false },
  data: { type: 'string' },
  out: { type: 'string' },
  dist: { type: 'string', default: 'dist' },
  cell: { type: 'string' },
  trips: { type: 'boolean', default: false },
  public: { type: 'string' },
} as const;

/** Runs the matrix, or what `--only` matches of it; results of the same build are kept. Returns the exit status. */
export async function main(words: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...words], options: OPTIONS });
  const folder = resolve(values.out ?? 'out/truth');
  const data = values.data ?? process.env.OSSIFY_DATA ?? '../shared';
  const characters = listCharacters(data);
  const cells = listCells(characters).filter(({ name }) => new RegExp(values.only).test(name));
  if (values.list) {
    for (const { name } of cells) console.log(name);
    return 0;
  }
  const program = resolve(values.dist, 'hosts/cli/main.js');
  if (!existsSync(program)) {
    console.error('truth: the command line is not built; run npm run build:library first');
    return 2;
  }
  if (values.trips) return runTrips({ ...values, data, program, folder });
  const bench = { program, folder, build: identifyBuild(resolve(values.dist)), keep: values.keep };
  if (values.cell !== undefined) {
    const cell = cells.find(({ name }) => name === values.cell);
    const character = characters.find(({ name }) => name === cell?.character);
    if (!cell || !character) throw new Error(`there is no cell "${values.cell}"; --list prints all`);
    console.log(`\n${JSON.stringify(await runCell(cell, character, bench))}`);
    return 0;
  }
  await writeCharacters(characters, join(folder, 'characters'));
  const results = await runCells(cells, { ...values, folder, build: bench.build, words });
  const table = printTable(results);
  writeFileSync(join(folder, 'truth.md'), table);
  console.log(table);
  const { off, failed, lossesUnnamed, countsOff, faults } = countCells(results);
  return off + failed + lossesUnnamed + countsOff + faults > 0 ? 1 : 0;
}

async function writeCharacters(characters: readonly Character[], folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const { make } of characters)
    for (const [name, bytes] of (await make?.()) ?? []) writeFileSync(join(folder, name), bytes);
}

interface Plan {
  again: boolean;
  jobs: string;
  folder: string;
  build: string;
  words: readonly string[];
}

/** Runs cells in processes, and appends each result to a file as it comes. */
async function runCells(cells: readonly Cell[], { again, jobs, folder, build, words }: Plan): Promise<CellResult[]> {
  const store = join(folder, 'results.jsonl');
  const known = new Map<string, CellResult>();
  if (existsSync(store) && !again)
    for (const line of readFileSync(store, 'utf8').split('\n').filter(Boolean)) {
      const result = JSON.parse(line) as CellResult;
      if (result.build === build) known.set(result.cell, result);
    }
  const waiting = cells.filter(({ name }) => !known.has(name));
  let done = 0;
  const work = async () => {
    for (let cell = waiting.shift(); cell; cell = waiting.shift()) {
      const result = await runApart(cell, build, words);
      known.set(cell.name, result);
      appendFileSync(store, `${JSON.stringify(result)}\n`);
      done++;
      const unnamed = result.losses.filter(({ isNamed }) => !isNamed).length;
      const { verdict, printed, played, message = '' } = result;
      console.error(
        `${done}/${done + waiting.length} ${cell.name}: ${verdict} ${printed?.toPrecision(3)} ${played?.toPrecision(3)} ${unnamed ? `${unnamed} lost ` : ''}${[...(result.counts ?? []), ...(result.faults ?? [])].join(', ')}${message}`,
      );
    }
  };
  await Promise.all(Array.from({ length: Number(jobs) }, work));
  return cells.flatMap(({ name }) => known.get(name) ?? []);
}

/** Runs one cell in a process of its own: a loader that never ends, or takes all memory, stops one cell only. */
async function runApart(cell: Cell, build: string, words: readonly string[]): Promise<CellResult> {
  const child = spawn(process.execPath, [process.argv[1], ...words, '--cell', cell.name, '--only', ''], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk;
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), 1_500_000);
  const status = await new Promise((settle) => child.on('close', settle));
  clearTimeout(timer);
  const last = text.trim().split('\n').at(-1) ?? '';
  if (status === 0 && last.startsWith('{')) return JSON.parse(last) as CellResult;
  const message = errors.trim().split('\n').at(-1) ?? `status ${status}`;
  return { cell: cell.name, verdict: 'unplayed', losses: [], message, build };
}

/** Changes when the program does. */
function identifyBuild(dist: string): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' }).sort())
    if (/\.(js|wasm)$/.test(name)) hash.update(`${name} ${statSync(join(dist, name)).mtimeMs}\n`);
  for (const name of ['truth.mjs'])
    if (existsSync(join(dirname(process.argv[1]), name)))
      hash.update(readFileSync(join(dirname(process.argv[1]), name)));
  return hash.digest('hex').slice(0, 12);
}
