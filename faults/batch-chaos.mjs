// SPDX-License-Identifier: MIT
// Batches whose processes are killed and suspended at random, whose clocks jump, whose disk is full, and whose Redis is restarted and loses its data: every output must be
// there, whole, with the bytes of a sequential run, and no job may be recorded twice. Needs `npm run build`.
// Usage: node faults/batch-chaos.mjs [--mode queue|pool] [--clips 1000] [--batches 2] [--folders 1] [--workers 3] [--interval 3] [--kills N] [--minutes N]
//   [--faults kill,stop,flush,restart,clock,full,version] [--seed 7] [--stalled-after 5] [--dist folder] [--json]
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { attack } from './chaos/attack.mjs';
import { checkFolder, countRecords, hash, listOutputs } from './chaos/check-outputs.mjs';
import { makeJobs } from './chaos/make-jobs.mjs';

const { values } = parseArgs({
  options: {
    mode: { type: 'string', default: 'queue' },
    clips: { type: 'string', default: '1000' },
    batches: { type: 'string', default: '2' },
    folders: { type: 'string', default: '1' },
    workers: { type: 'string', default: '3' },
    interval: { type: 'string', default: '3' },
    kills: { type: 'string', default: '1000000' },
    // then nothing happens any more, and the batches end
    minutes: { type: 'string', default: '1000000' },
    faults: { type: 'string', default: 'kill,restart' },
    seed: { type: 'string', default: '7' },
    'stalled-after': { type: 'string', default: '5' },
    dist: { type: 'string', default: fileURLToPath(new URL('../dist', import.meta.url)) },
    json: { type: 'boolean', default: false },
  },
});
const dist = resolve(values.dist);
const main = join(dist, 'hosts/cli/main.js');
if (!existsSync(main)) {
  console.error('batch-chaos: the command line is not built; run npm run build first');
  process.exit(2);
}
const clips = Number(values.clips);
const faults = values.faults.split(',');
const random = mulberry32(Number(values.seed));
const folder = mkdtempSync(join(tmpdir(), 'ossify-chaos-'));
const note = (text) => {
  if (!values.json) console.error(text);
};
const run = (words) => execFileSync(process.execPath, [main, ...words], { encoding: 'utf8', maxBuffer: 2 ** 28 });

const expected = await makeJobs({ folder, dist, clips, random, run });
note(`${clips} clips, sequential run done`);
const disk = join(folder, 'disk');
mkdirSync(disk);
const isMounted = faults.includes('full') && mountSmallDisk();
const outs = Array.from({ length: Number(values.batches) }, (_, n) => join(disk, `out${n % Number(values.folders)}`));
const folders = [...new Set(outs)];
const list = join(folder, 'jobs.jsonl');
// loading it where Redis is missing prints a note, which the other mode has no use for
const redis = values.mode === 'queue' ? await (await import('../scripts/start-redis.mjs')).startRedis() : undefined;
const start = performance.now();
let isOver = false;
const watching = watchOutputs();
const { counts, defects } = await attack({
  ...{ dist, otherDist: faults.includes('version') ? makeOtherVersion() : dist, mode: values.mode, outs, list, redis },
  ...{ faults, random, note, disk, workers: Number(values.workers), interval: Number(values.interval) },
  ...{ kills: Number(values.kills), stalledAfter: values['stalled-after'], minutes: Number(values.minutes) },
  countOutputs: () => folders.reduce((sum, out) => sum + listOutputs(out).length, 0),
});
const seconds = (performance.now() - start) / 1000;
isOver = true;
const { looks, torn } = await watching;
defects.push(...torn);
let finished = 0;
let repeated = 0;
for (const out of folders) {
  const last = JSON.parse(run(['batch', list, '--out', out]).trim().split('\n').at(-1));
  defects.push(...checkFolder(out, expected));
  const records = countRecords(out);
  finished += records.finished;
  repeated += records.repeated;
  if (last.kept !== clips) defects.push(`the next batch keeps ${last.kept} of ${clips} jobs`);
}
// a process that is suspended between its check and its record for longer than others wait may record a job again
if (repeated > 0 && counts.longPauses === 0) defects.push(`${repeated} jobs are recorded twice`);
await redis?.stop();
if (isMounted) execFileSync('umount', [disk]);
rmSync(folder, { recursive: true, force: true });
const result = {
  mode: values.mode,
  clips,
  folders: folders.length,
  ...counts,
  finished,
  repeated,
  looks,
  seconds,
  defects,
};
if (values.json) console.log(JSON.stringify(result));
else console.log(result);
process.exitCode = defects.length > 0 ? 1 : 0;

/** A disk that holds the outputs twice. Needs root. */
function mountSmallDisk() {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', disk], { stdio: 'ignore' });
    return true;
  } catch {
    console.error('batch-chaos: no disk can be mounted here; run as root, or without the fault "full"');
    process.exit(2);
  }
}

/** The same program with another version, whose worker must take no job. */
function makeOtherVersion() {
  const other = join(folder, 'other');
  mkdirSync(other);
  cpSync(dist, join(other, 'dist'), { recursive: true });
  const root = dirname(dist);
  const facts = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  writeFileSync(join(other, 'package.json'), JSON.stringify({ ...facts, version: '0.0.1-other' }));
  const packages = [join(root, 'node_modules'), fileURLToPath(new URL('../node_modules', import.meta.url))];
  symlinkSync(packages.find(existsSync), join(other, 'node_modules'));
  return join(other, 'dist');
}

/** Reads outputs while they are written: one that has its name must be complete. */
async function watchOutputs() {
  let looks = 0;
  const torn = [];
  while (!isOver) {
    for (const out of folders)
      for (const output of listOutputs(out)) {
        if (random() > 20 / clips) continue;
        looks++;
        if (hash(readFileSync(join(out, output))) !== expected.get(output)) torn.push(`${output} was seen incomplete`);
      }
    await sleep(50);
  }
  return { looks, torn };
}

/** Small seeded generator, so that a run can be repeated. */
function mulberry32(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
