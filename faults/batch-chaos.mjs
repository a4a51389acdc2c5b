// SPDX-License-Identifier: MIT
// A batch whose processes are killed at random, and whose Redis is restarted: every output must be there, whole, with the bytes of a sequential run, and
// no finished job may run again. Needs `npm run build`.
// Usage: node faults/batch-chaos.mjs [--mode queue|pool] [--clips 1000] [--workers 3] [--interval 3] [--kills N] [--restarts 2] [--seed 7] [--stalled-after 5] [--dist folder] [--json]
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    mode: { type: 'string', default: 'queue' },
    clips: { type: 'string', default: '1000' },
    workers: { type: 'string', default: '3' },
    interval: { type: 'string', default: '3' },
    kills: { type: 'string', default: '1000000' },
    restarts: { type: 'string', default: '2' },
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
const maxKills = Number(values.kills);
const random = mulberry32(Number(values.seed));
const folder = mkdtempSync(join(tmpdir(), 'ossify-chaos-'));
const defects = [];
let seenOutputs = 0;
const counts = { kills: 0, restarts: 0, starts: 0 };
const note = (text) => {
  if (!values.json) console.error(text);
};

const expected = await makeClips();
note(`${clips} clips, sequential run done`);
const start = performance.now();
let isOver = false;
const watching = watchOutputs();
if (values.mode === 'queue') await attackQueue();
else await attackPool();
const seconds = (performance.now() - start) / 1000;
isOver = true;
const seen = await watching;
checkOutputs();
const runs = countRuns();
const again = await run(['batch', join(folder, 'jobs.jsonl'), '--out', join(folder, 'out')]);
const last = JSON.parse(again.trim().split('\n').at(-1));
if (last.kept !== clips) defects.push(`the next batch keeps ${last.kept} of ${clips} jobs`);
rmSync(folder, { recursive: true, force: true });
const result = { mode: values.mode, clips, ...counts, ...runs, looks: seen, seconds, defects };
if (values.json) console.log(JSON.stringify(result));
else console.log(result);
process.exitCode = defects.length > 0 ? 1 : 0;

/** Small clips of different bytes, a list of jobs, and what each job makes in one process without disturbance. */
async function makeClips() {
  mkdirSync(join(folder, 'in'));
  const { makeSample } = await import(pathToFileURL(join(dist, 'samples/make-sample.js')).href);
  const { writePc2 } = await import(pathToFileURL(join(dist, 'formats/caches/write-pc2.js')).href);
  const { clip } = makeSample('bar-bend', { resolution: 100, frames: 4 });
  const { positions, triangles } = clip.mesh;
  const rows = (array, word, add) =>
    Array.from(
      { length: array.length / 3 },
      (_, n) => `${word} ${[...array.slice(3 * n, 3 * n + 3)].map((x) => x + add).join(' ')}`,
    );
  writeFileSync(join(folder, 'in/rest.obj'), [...rows(positions, 'v', 0), ...rows(triangles, 'f', 1)].join('\n'));
  const jobs = [];
  for (let n = 0; n < clips; n++) {
    const moved = clip.positions.map((x) => x + 0.05 * (random() - 0.5));
    writeFileSync(join(folder, `in/${n}.pc2`), writePc2({ ...clip, positions: moved }));
    const inputs = [`${folder}/in/rest.obj+${folder}/in/${n}.pc2`];
    jobs.push({
      command: 'decompose',
      inputs,
      output: `${n % 10}/${n}.glb`,
      options: { bones: 2, iterations: 1, threads: 1 },
    });
  }
  writeFileSync(join(folder, 'jobs.jsonl'), jobs.map((job) => JSON.stringify(job)).join('\n'));
  await run(['batch', join(folder, 'jobs.jsonl'), '--out', join(folder, 'plain'), '--jobs', '1']);
  return new Map(jobs.map(({ output }) => [output, hash(readFileSync(join(folder, 'plain', output)))]));
}

/** Workers are killed and started again; Redis is restarted. */
async function attackQueue() {
  // loading it where Redis is missing prints a note, which the other mode has no use for
  const { startRedis } = await import('../scripts/start-redis.mjs');
  const redis = await startRedis();
  const words = ['worker', '--queue', redis.url, '--jobs', '1', '--stalled-after', values['stalled-after'], '--quiet'];
  const workers = Array.from({ length: Number(values.workers) }, () => startProcess(words));
  const batch = startProcess(['batch', join(folder, 'jobs.jsonl'), '--out', join(folder, 'out'), '--queue', redis.url]);
  const done = batch.ended.then(() => 'done');
  const restarts = Array.from({ length: Number(values.restarts) }, (_, n) => (n + 1) / (Number(values.restarts) + 1));
  while ((await Promise.race([done, sleep(Number(values.interval) * (500 + 1000 * random()))])) !== 'done') {
    if (maySkip()) continue;
    if (counts.kills < maxKills) {
      const n = Math.floor(random() * workers.length);
      workers[n].kill();
      await workers[n].ended;
      counts.kills++;
      workers[n] = startProcess(words);
    }
    const ratio = countOutputs() / clips;
    if (restarts.length > 0 && ratio > restarts[0]) {
      restarts.shift();
      await redis.restart(counts.restarts % 2 === 0 ? 'SIGKILL' : 'SIGTERM');
      counts.restarts++;
      note(`Redis restarted at ${Math.round(100 * ratio)} %`);
    }
  }
  const { status, err } = await batch.ended;
  if (status !== 0) defects.push(`the batch ended with ${status}: ${err}`);
  for (const worker of workers) {
    worker.kill();
    await worker.ended;
  }
  await redis.stop();
}

/** The batch, or one of its processes, is killed; the batch is started again until it is done. */
async function attackPool() {
  const words = ['batch', join(folder, 'jobs.jsonl'), '--out', join(folder, 'out'), '--jobs', values.workers];
  for (;;) {
    const batch = startProcess(words);
    counts.starts++;
    const done = batch.ended.then(() => 'done');
    let isAlive = true;
    while (
      isAlive &&
      (await Promise.race([done, sleep(Number(values.interval) * (500 + 1000 * random()))])) !== 'done'
    ) {
      if (counts.kills >= maxKills || maySkip()) continue;
      const children = listChildren(batch.pid);
      counts.kills++;
      if (random() < 0.5 || children.length === 0) {
        batch.kill();
        isAlive = false;
      } else {
        try {
          process.kill(children[Math.floor(random() * children.length)], 'SIGKILL');
        } catch {
          // it ended meanwhile
        }
      }
    }
    const { status, err } = await batch.ended;
    if (isAlive && status === 0) return;
    if (isAlive) {
      defects.push(`the batch ended with ${status}: ${err}`);
      return;
    }
  }
}

/** On a busy machine a process needs longer to start than it lives: without a new output since the last kill, nothing is killed. */
function maySkip() {
  const now = countOutputs();
  const isSame = now === seenOutputs;
  seenOutputs = now;
  return isSame;
}

function startProcess(words) {
  const child = spawn(process.execPath, [main, ...words], { stdio: ['ignore', 'ignore', 'pipe'] });
  let err = '';
  child.stderr.on('data', (text) => {
    err = (err + text).slice(-2000);
  });
  const ended = new Promise((resolve) => {
    child.on('exit', (status) => resolve({ status, err }));
  });
  return { pid: child.pid, ended, kill: () => child.kill('SIGKILL') };
}

function run(words) {
  return execFileSync(process.execPath, [main, ...words], { encoding: 'utf8', maxBuffer: 2 ** 28 });
}

function listChildren(pid) {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** Reads outputs while they are written: one that has its name must be complete. */
async function watchOutputs() {
  let looks = 0;
  while (!isOver) {
    for (const output of listOutputs()) {
      if (random() > 20 / clips) continue;
      looks++;
      if (hash(readFileSync(join(folder, 'out', output))) !== expected.get(output))
        defects.push(`${output} was seen incomplete`);
    }
    await sleep(50);
  }
  return looks;
}

function listOutputs() {
  if (!existsSync(join(folder, 'out'))) return [];
  return readdirSync(join(folder, 'out'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /^\d\/\d+\.glb$/.test(name),
  );
}

function countOutputs() {
  return listOutputs().length;
}

function checkOutputs() {
  for (const [output, digest] of expected) {
    const path = join(folder, 'out', output);
    if (!existsSync(path)) defects.push(`${output} is missing`);
    else if (hash(readFileSync(path)) !== digest) defects.push(`${output} differs from the sequential run`);
  }
}

/** Every run of a job that came as far as its record is in a ledger. More than one is a run that was killed before its file had its name. */
function countRuns() {
  const runs = new Map();
  for (const name of readdirSync(join(folder, 'out')).filter((one) => one.endsWith('.jsonl')))
    for (const line of readFileSync(join(folder, 'out', name), 'utf8').split('\n')) {
      const [, id] = /"record":\{"id":"(\w+)","status":"done"/.exec(line) ?? [];
      if (id && line.endsWith('}')) runs.set(id, (runs.get(id) ?? 0) + 1);
    }
  const repeated = [...runs.values()].filter((count) => count > 1).length;
  return { finished: runs.size, repeated };
}

function hash(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
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
