// SPDX-License-Identifier: MIT
// npm run fuzz -- --format glb --count 1000000 --seed 7. docs/reference/fuzzing.md describes it.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { FORMATS } from './formats.ts';
import type { Seed } from './fuzz-format.ts';
import { growInProcess, isGrowthProcess, runGrowth } from './growth/run-growth.ts';
import { readCorpora } from './read-corpora.ts';
import { type Defect, FUZZ_LIMITS, type FuzzCounts, type FuzzLimits, makeFile, tryFile } from './run/fuzz-files.ts';
import { fuzzInProcess, isFuzzProcess, startFuzzProcess } from './run/fuzz-process.ts';
import { FuzzRecord } from './run/fuzz-record.ts';

/** The program, and each of the processes that it starts. */
export function run(): Promise<void> {
  // Decoders and three.js leave rejected promises behind; the load itself reports the error.
  process.on('unhandledRejection', () => undefined);
  if (isGrowthProcess()) return growInProcess();
  return isFuzzProcess() ? fuzzInProcess() : main();
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      format: { type: 'string', default: 'all' },
      count: { type: 'string', default: '10000' },
      seed: { type: 'string', default: '0' },
      jobs: { type: 'string', default: '1' },
      replay: { type: 'string' },
      file: { type: 'string' },
      minutes: { type: 'string', default: 'Infinity' },
      out: { type: 'string', default: 'out/fuzz/found' },
      time: { type: 'string', default: String(FUZZ_LIMITS.time) },
      memory: { type: 'string', default: String(FUZZ_LIMITS.memory / 2 ** 20) },
      growth: { type: 'boolean', default: false },
      size: { type: 'string', default: String(2 ** 20) },
      untimed: { type: 'boolean', default: false },
      corpus: { type: 'string' },
      shards: { type: 'string', default: '1' },
      record: { type: 'string' },
    },
  });
  if (values.growth) {
    const own = values.format === 'all' ? [] : values.format.split(',');
    const isWithin = await runGrowth({
      names: own,
      largest: Number(values.size),
      isTimed: !values.untimed,
      jobs: Number(values.jobs),
    });
    if (!isWithin) process.exitCode = 1;
    return;
  }
  if (values.corpus !== undefined) {
    const results = await readCorpora(values.corpus);
    printTable([
      ['repository', 'listed', 'present', 'accepted', 'defects'],
      ...results.map(({ repository, listed, present, accepted, defects }) => [
        ...[repository, ...[listed, present, accepted, defects.length].map(String)],
      ]),
    ]);
    for (const { repository, defects } of results)
      for (const defect of defects) console.log(`${repository}: ${defect}`);
    if (results.some(({ defects }) => defects.length > 0)) process.exitCode = 1;
    return;
  }
  const names = values.format === 'all' ? Object.keys(FORMATS) : values.format.split(',');
  const [count, seed, jobs, time, memory] = [values.count, values.seed, values.jobs, values.time, values.memory].map(
    Number,
  );
  const minutes = Number(values.minutes);
  const unknown = names.find((name) => !FORMATS[name]);
  if (
    unknown !== undefined ||
    ![count, jobs, time, memory].every((value) => value >= 1) ||
    !(minutes > 0) ||
    !Number.isInteger(seed)
  ) {
    console.error(
      `usage: npm run fuzz -- --format ${Object.keys(FORMATS).join('|')}|all --count N --seed N --jobs N --minutes N`,
    );
    console.error('       --replay FILE (read one file and print what happens)');
    console.error('       --file N (write the file of a number, read it and print what happens)');
    console.error('       --corpus FOLDER (public files of corpora.json that are there)');
    console.error(
      '       --growth (hostile inputs that grow) --size BYTES (of the largest) --untimed (times do not count)',
    );
    console.error(
      '       --record FILE --shards N (a long run that can be stopped and continued, N seeds of --count files)',
    );
    console.error('       --out FOLDER (reproducers) --time MS --memory MB (limits per file)');
    process.exitCode = 2;
    return;
  }
  const limits = { time, memory: memory * 2 ** 20 };
  if (values.replay !== undefined) {
    const bytes = Uint8Array.from(readFileSync(values.replay));
    for (const name of names) console.log(name, await tryFile(FORMATS[name], bytes, limits));
    return;
  }
  if (values.file !== undefined) {
    for (const name of names) {
      const bytes = makeFile(FORMATS[name], await FORMATS[name].makeSeeds(), seed, Number(values.file));
      const path = writeFile(values.out, name, seed, Number(values.file), bytes);
      console.log(name, path, await tryFile(FORMATS[name], bytes, limits));
    }
    return;
  }
  if (values.record !== undefined) {
    const record = new FuzzRecord(values.record);
    const run = { seed, count, jobs, minutes, limits, shards: Number(values.shards), folder: values.out };
    await fuzzShards(names, run, record);
    return;
  }
  const rows: string[][] = [];
  for (const name of names) {
    const start = performance.now();
    const seeds = await FORMATS[name].makeSeeds();
    const total = await fuzzFormat(name, seeds, { seed, end: count, jobs, minutes, limits }, values.out);
    const seconds = (performance.now() - start) / 1000;
    rows.push(rowOf(name, total, seconds));
    if (total.defects.length > 0) process.exitCode = 1;
  }
  printTable([
    ['format', 'files', 'accepted', 'refused', 'slowest ms (file)', 'largest MB', 'defects', 'files/s'],
    ...rows,
  ]);
}

interface ShardedRun {
  /** Of the first shard; each has the next. */
  seed: number;
  /** Files of a shard. */
  count: number;
  jobs: number;
  minutes: number;
  limits: FuzzLimits;
  shards: number;
  folder: string;
}

/** Shards of all formats in turn that are not recorded yet, and the sums of the record. */
async function fuzzShards(names: readonly string[], run: ShardedRun, record: FuzzRecord): Promise<void> {
  for (let shard = 0; shard < run.shards; shard++)
    for (const format of names) {
      const seed = run.seed + shard;
      if (record.has(format, seed, run.count)) continue;
      const seeds = await FORMATS[format].makeSeeds();
      const total = await fuzzFormat(format, seeds, { ...run, seed, end: run.count }, run.folder);
      const { files, accepted, refused } = total;
      const found = { defects: total.defects.length, slowest: total.slowest.milliseconds };
      record.add({ format, seed, count: run.count, files, accepted, refused, ...found });
    }
  const sums = record.total();
  printTable([
    ['format', 'files', 'accepted', 'refused', 'slowest ms', 'defects'],
    ...sums.map(({ format, slowest, ...sum }) => [
      ...[format, ...[sum.files, sum.accepted, sum.refused].map((value) => value.toLocaleString('en'))],
      ...[slowest.toFixed(1), String(sum.defects)],
    ]),
  ]);
  if (sums.some(({ defects }) => defects > 0)) process.exitCode = 1;
}

async function fuzzFormat(
  name: string,
  seeds: Seed[],
  {
    seed,
    end,
    jobs,
    minutes,
    limits,
  }: { seed: number; end: number; jobs: number; minutes: number; limits: FuzzLimits },
  folder: string,
): Promise<FuzzCounts> {
  const total: FuzzCounts = {
    ...{ files: 0, accepted: 0, refused: 0, defects: [] },
    ...{ slowest: { milliseconds: 0, file: -1 }, largest: { bytes: 0, file: -1 } },
  };
  const known = new Set<string>();
  const report = (file: number, defect: Defect, bytes: Uint8Array): void => {
    if (known.has(defect.signature)) return;
    known.add(defect.signature);
    total.defects.push({ file, defect });
    const path = writeFile(folder, name, seed, file, bytes);
    console.log(`${name}: file ${file}: ${defect.signature}\n  ${path} (${bytes.length} bytes)`);
  };
  const add = (counts: FuzzCounts): void => {
    total.files += counts.files;
    total.accepted += counts.accepted;
    total.refused += counts.refused;
    if (counts.slowest.milliseconds > total.slowest.milliseconds) total.slowest = counts.slowest;
    if (counts.largest.bytes > total.largest.bytes) total.largest = counts.largest;
  };
  const deadline = performance.now() + minutes * 60_000;
  /** Runs one process to its end. A process that is stuck or runs out of memory is replaced by one that continues after its file. */
  const runProcess = async (start: number): Promise<void> => {
    for (let first = start; first < end; ) {
      const budget = deadline - performance.now();
      if (budget <= 0) return;
      const task = { name, seeds, seed, first, step: jobs, end, limits, budget };
      const { counts, reproducers, fault, file } = await startFuzzProcess(task);
      if (counts) add(counts);
      for (const { file: found, defect, bytes } of reproducers ?? []) report(found, defect, bytes);
      if (!fault || file < 0) return;
      const defect: Defect = { kind: 'time', signature: `${fault} ${file}`, detail: fault };
      report(file, defect, makeFile(FORMATS[name], seeds, seed, file));
      first = file + jobs;
    }
  };
  await Promise.all(Array.from({ length: jobs }, (_, n) => runProcess(n)));
  return total;
}

/** Writes a reproducer and returns its path. */
function writeFile(folder: string, name: string, seed: number, file: number, bytes: Uint8Array): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${name}-${seed}-${file}.${FORMATS[name].extension}`);
  writeFileSync(path, bytes);
  return path;
}

function rowOf(
  name: string,
  { files, accepted, refused, slowest, largest, defects }: FuzzCounts,
  seconds: number,
): string[] {
  const megabytes = (largest.bytes / 2 ** 20).toFixed(1);
  const numbers = [files, accepted, refused].map((value) => value.toLocaleString('en'));
  const rate = Math.round(files / seconds).toLocaleString('en');
  return [
    name,
    ...numbers,
    `${slowest.milliseconds.toFixed(1)} (${slowest.file})`,
    megabytes,
    String(defects.length),
    rate,
  ];
}

function printTable(rows: string[][]): void {
  const widths = rows[0].map((_, c) => Math.max(...rows.map((row) => row[c].length)));
  for (const row of rows)
    console.log(row.map((cell, c) => (c === 0 ? cell.padEnd(widths[c]) : cell.padStart(widths[c]))).join('  '));
}
