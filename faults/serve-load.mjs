// SPDX-License-Identifier: MIT
// Load on `ossify serve`: good jobs among hostile ones, uploads that stop, results that are removed. Every good job must have the bytes of a single run, and memory and disk must
// stay within the limits. Needs `npm run build`.
// Usage: node faults/serve-load.mjs [--minutes 60] [--clients 6] [--jobs 2] [--max-memory 1GB] [--max-storage 50MB] [--seed 7] [--dist folder] [--json]
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { makeHostile } from './chaos/hostile-files.mjs';
import { listChildren } from './chaos/processes.mjs';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    clients: { type: 'string', default: '6' },
    jobs: { type: 'string', default: '2' },
    'max-memory': { type: 'string', default: '1GB' },
    'max-storage': { type: 'string', default: '50MB' },
    seed: { type: 'string', default: '7' },
    dist: { type: 'string', default: fileURLToPath(new URL('../dist', import.meta.url)) },
    json: { type: 'boolean', default: false },
  },
});
const main = join(resolve(values.dist), 'hosts/cli/main.js');
if (!existsSync(main)) {
  console.error('serve-load: the command line is not built; run npm run build first');
  process.exit(2);
}
const TOKEN = 'a-token-of-the-load-test';
const headers = { authorization: `bearer ${TOKEN}` };
/** What a process may exceed its limit by between two looks of its watcher (100 ms). */
const SLACK = 400e6;
const GOOD = [
  ['decompose', { bones: 3, iterations: 2 }],
  ['reduce', { influences: 2, method: 'klargest' }],
  ['mush', { iterations: 2 }],
  ['convert', {}],
  ['lod', {}],
  ['info', {}],
];
let state = Number(values.seed) >>> 0;
const random = () => {
  state = (state + 0x6d2b79f5) >>> 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
};
const folder = mkdtempSync(join(tmpdir(), 'ossify-load-'));
const at = (name) => join(folder, name);
const run = (...words) => execFileSync(process.execPath, [main, ...words, '--quiet'], { cwd: folder });
const hash = (bytes) => createHash('sha256').update(bytes).digest('hex');

run('sample', 'bar-bend', 'bar.glb', '--resolution', '300', '--frames', '6');
const glb = readFileSync(at('bar.glb'));
const expected = GOOD.map(([command, options]) => {
  if (command === 'info') return undefined;
  const words = Object.entries(options).flatMap(([key, value]) => [`--${key}`, String(value)]);
  run(command, 'bar.glb', `${command}.glb`, ...words, '--threads', '1');
  return hash(readFileSync(at(`${command}.glb`)));
});
mkdirSync(at('jobs'));
const words = ['serve', '--port', '0', '--token', TOKEN, '--jobs', values.jobs, '--threads', '1', '--time-limit', '60'];
const limits = [
  '--max-memory',
  values['max-memory'],
  '--max-storage',
  values['max-storage'],
  '--max-size',
  '20MB',
  '--folder',
  at('jobs'),
];
const server = spawn(process.execPath, [main, ...words, ...limits, '--max-jobs', '20', '--json'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
process.on('exit', () => server.kill());
const url = await new Promise((end, fail) => {
  let text = '';
  server.once('exit', (status) => fail(new Error(`the server ended with ${status}`)));
  server.stdout.on('data', (more) => {
    text += more;
    const [, found] = /"url": "([^"]+)"/.exec(text) ?? [];
    if (found) end(found);
  });
});
const counts = {
  good: 0,
  hostile: 0,
  hostileDone: 0,
  hostileFailed: 0,
  refused: 0,
  stopped: 0,
  evicted: 0,
  wrongTokens: 0,
};
const errors = new Map();
const defects = [];
const peaks = { server: 0, process: 0, disk: 0 };
const end = Date.now() + 60_000 * Number(values.minutes);
const watching = watch();
await Promise.all(Array.from({ length: Number(values.clients) }, (_, n) => work(n)));
await watching;
server.kill('SIGTERM');
await new Promise((done) => server.once('exit', done));
const left = readdirSync(at('jobs'));
if (left.length > 0) defects.push(`left: ${left.join(', ')}`);
const limit = parseSize(values['max-memory']) + SLACK;
if (peaks.process > limit) defects.push(`a process took ${peaks.process} bytes`);
if (peaks.server > 500e6) defects.push(`the server took ${peaks.server} bytes`);
if (peaks.disk > 2 * parseSize(values['max-storage'])) defects.push(`files took ${peaks.disk} bytes`);
rmSync(folder, { recursive: true, force: true });
const result = { minutes: Number(values.minutes), ...counts, peaks, errors: Object.fromEntries(errors), defects };
console.log(values.json ? JSON.stringify(result) : result);
// uploads that were stopped keep their streams
process.exit(defects.length > 0 ? 1 : 0);

/** A client that sends one job after another. */
async function work(n) {
  while (Date.now() < end) {
    const turn = random();
    try {
      if (turn < 0.4) await sendGood(Math.floor(random() * GOOD.length));
      else if (turn < 0.85) await sendHostile();
      else if (turn < 0.95) await stopSending();
      else await guessToken();
    } catch (error) {
      defects.push(`client ${n}: ${error.request ?? ''} ${error.cause?.code ?? error.message} ${error.cause?.message}`);
      if (server.exitCode !== null || defects.length > 20) return;
      await sleep(500);
    }
  }
}

async function post({ command, name, options }, body, init = {}) {
  const query = new URLSearchParams({ command, name, options: JSON.stringify(options) });
  return ask(`jobs?${query}`, { method: 'POST', body, ...init });
}

/** A request whose error has its name. */
async function ask(path, init = {}) {
  try {
    return await fetch(`${url}/${path}`, { headers, ...init });
  } catch (error) {
    throw Object.assign(error, { request: `${init.method ?? 'GET'} ${path.slice(0, 60)}` });
  }
}

/** Sends a file, waits for the end, and returns the job; undefined if the server is busy. */
async function finish(request, bytes) {
  const answer = await post(request, bytes);
  const sent = await answer.json();
  if (answer.status === 429 || answer.status === 507) {
    counts.refused++;
    await sleep(200);
    return undefined;
  }
  if (answer.status === 400) return { status: 'failed', error: sent.error };
  if (answer.status !== 202) throw new Error(`status ${answer.status}: ${sent.error}`);
  await (await ask(`jobs/${sent.id}/events`)).text();
  const state = await ask(`jobs/${sent.id}`);
  // its result was removed for others already
  if (state.status === 404) return { status: 'evicted' };
  return state.json();
}

async function sendGood(n) {
  const [command, options] = GOOD[n];
  const job = await finish({ command, options, name: 'bar.glb' }, glb);
  if (!job) return;
  if (job.status === 'evicted') counts.evicted++;
  else if (job.status !== 'done') defects.push(`a good job failed: ${command}: ${job.error}`);
  else if (expected[n] !== undefined) {
    const file = await ask(`jobs/${job.id}/result`);
    if (file.status === 404) {
      counts.evicted++;
      return;
    }
    if (hash(Buffer.from(await file.arrayBuffer())) !== expected[n]) defects.push(`${command}: other bytes`);
    counts.good++;
    if (random() < 0.3) await ask(`jobs/${job.id}`, { method: 'DELETE' });
  } else counts.good++;
}

async function sendHostile() {
  const { bytes, ...request } = makeHostile(glb, random);
  const job = await finish(request, bytes);
  if (!job) return;
  counts.hostile++;
  if (job.status === 'done') counts.hostileDone++;
  if (job.status !== 'failed') return;
  counts.hostileFailed++;
  const kind = job.error.replace(/[\d.]+/g, 'N').slice(0, 60);
  errors.set(kind, (errors.get(kind) ?? 0) + 1);
  if (/defect of ossify|ended by|ended with|undefined|NaN|\/tmp\//.test(job.error))
    defects.push(`${request.name}: ${job.error}`);
}

/** An upload that ends in the middle. */
async function stopSending() {
  const stop = new AbortController();
  const body = new ReadableStream({
    async pull(controller) {
      controller.enqueue(glb.subarray(0, 1000));
      await sleep(20);
    },
  });
  setTimeout(() => stop.abort(), 200 * random());
  const request = { command: 'info', name: 'a.glb', options: {} };
  await post(request, body, { signal: stop.signal, duplex: 'half' }).catch(() => undefined);
  counts.stopped++;
}

async function guessToken() {
  const { status } = await ask('jobs', { method: 'POST', headers: { authorization: 'Bearer guess' } });
  if (status !== 401) defects.push(`a wrong token got ${status}`);
  counts.wrongTokens++;
}

/** Sizes of the server, its processes and its files. */
async function watch() {
  while (Date.now() < end) {
    peaks.server = Math.max(peaks.server, memoryOf(server.pid));
    for (const pid of listChildren(server.pid)) peaks.process = Math.max(peaks.process, memoryOf(pid));
    peaks.disk = Math.max(peaks.disk, sizeOf(at('jobs')));
    await sleep(100);
  }
}

function memoryOf(pid) {
  try {
    return 4096 * Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
  } catch {
    return 0;
  }
}

/** Folders of jobs may go while they are read. */
function sizeOf(path) {
  const facts = statSync(path, { throwIfNoEntry: false });
  if (!facts?.isDirectory()) return facts?.size ?? 0;
  try {
    return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
  } catch (error) {
    if (error.code === 'ENOENT') return 0;
    throw error;
  }
}

function parseSize(text) {
  const [, digits, unit] = /^([\d.]+)([GM])B$/.exec(text) ?? [];
  return Number(digits) * (unit === 'G' ? 1e9 : 1e6);
}
