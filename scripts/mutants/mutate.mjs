// SPDX-License-Identifier: MIT
// Checks the tests with mutants: makes one change at a time in a copy of the tree that makes the code wrong, and counts how many of them a test finds.
// mutation-places.mjs defines the changes, run-mutants.mjs the results. Needs `npm run build` first. Takes about 20 seconds per mutant.
// Usage: node scripts/mutants/mutate.mjs [--count 40] [--seed 1] [--list FILE] [--limit 60] [--out scripts/mutants/mutants.json] [--plan] [--root FOLDER]
//   --count  number of mutants
//   --seed   draws other mutants
//   --list   repeats the mutants of a record, also after their files were moved
//   --limit  maximum time of the tests of a mutant's own unit, and of the tests of other units (seconds)
//   --out    where the record is written
//   --plan   prints the record without results, and runs nothing
//   --root   the folder that has src/ (default: this repository)
import { readFileSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { listFiles } from '../shape/source-tree.mjs';
import { choosePlaces, findPlace } from './mutation-places.mjs';
import { copyTree, findUncompilable, makeRunner, makeTestFinder } from './run-mutants.mjs';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
    list: { type: 'string' },
    limit: { type: 'string', default: '60' },
    out: { type: 'string', default: fileURLToPath(new URL('mutants.json', import.meta.url)) },
    plan: { type: 'boolean', default: false },
    root: { type: 'string', default: fileURLToPath(new URL('../..', import.meta.url)) },
  },
});

const RESULTS = ['found', 'timed out', 'survived', 'undecided', 'does not compile', 'lost'];
const root = resolve(values.root);
const files = listFiles(root);
const mutants = values.list ? readList(values.list) : choose();
if (values.plan) console.log(JSON.stringify({ mutants: mutants.map(describe) }, null, 2));
else await run();

/** A mutant with its place; the place is undefined where the code is gone. */
function choose() {
  return choosePlaces(files, Number(values.count), Number(values.seed)).map((place) => ({ mutant: place, place }));
}

function readList(path) {
  const record = JSON.parse(readFileSync(path, 'utf8'));
  return record.mutants.map((mutant) => ({ mutant, place: findPlace(files, mutant) }));
}

/** A mutant as it stands in the record. */
function describe({ mutant, place }) {
  const { file, function: name, kind, source, replacement, ordinal } = mutant;
  return { file, function: name, kind, source, replacement, ordinal, at: place && `${place.path}:${place.line}` };
}

async function run() {
  setPriority(10);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
  const folder = copyTree(root);
  const findTests = makeTestFinder(files);
  const runMutant = makeRunner(folder, Number(values.limit));
  const wrong = findUncompilable(
    folder,
    mutants.flatMap(({ place }) => place ?? []),
  );
  const done = [];
  for (const one of mutants) {
    const start = performance.now();
    const groups = one.place ? findTests(one.place.path) : [];
    const outcome = await resultOf(one.place, wrong, groups, runMutant);
    done.push({ ...describe(one), tests: groups.flat().length, ...outcome });
    const seconds = Math.round((performance.now() - start) / 1000);
    const { file, function: name, kind, source, replacement, at = `${file}, ${name}` } = done.at(-1);
    console.log(
      `${done.length}/${mutants.length} ${outcome.result} (${seconds} s): ${at} ${kind}: ${source} -> ${replacement}`,
    );
    writeRecord(done);
  }
}

async function resultOf(place, wrong, groups, runMutant) {
  if (!place) return { result: 'lost' };
  return wrong.has(place) ? { result: 'does not compile' } : runMutant(place, groups);
}

function writeRecord(done) {
  const total = Object.fromEntries(
    RESULTS.map((result) => [result, done.filter((one) => one.result === result).length]),
  );
  const found = total.found + total['timed out'];
  const decided = found + total.survived;
  const head = values.list ? {} : { seed: Number(values.seed) };
  writeFileSync(values.out, `${JSON.stringify({ ...head, total, mutants: done }, null, 2)}\n`);
  if (done.length === mutants.length) console.log(`${found} of ${decided} mutants found; ${JSON.stringify(total)}`);
}
