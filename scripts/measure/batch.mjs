// SPDX-License-Identifier: MIT
// Costs of a batch: time per job beyond the job itself, throughput of two processes, and memory of the coordinator. Needs `npm run build`, and redis-server for the queue.
// Usage: node scripts/measure/batch.mjs [--clips 200] [--many 10000] [--dist folder]
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { hasRedis, startRedis } from '../start-redis.mjs';

const { values } = parseArgs({
  options: {
    clips: { type: 'string', default: '200' },
    many: { type: 'string', default: '10000' },
    dist: { type: 'string', default: fileURLToPath(new URL('../../dist', import.meta.url)) },
  },
});
const dist = resolve(values.dist);
const main = join(dist, 'hosts/cli/main.js');
const folder = mkdtempSync(join(tmpdir(), 'ossify-measure-'));
const { makeSample } = await import(pathToFileURL(join(dist, 'samples/make-sample.js')).href);
const { writeAbc } = await import(pathToFileURL(join(dist, 'formats/alembic/write/write-abc.js')).href);

/** Writes a list of decompositions of one clip. */
function writeList(name, count, resolution, iterations) {
  mkdirSync(join(folder, name));
  const { clip } = makeSample('quadruped', { resolution, frames: 20 });
  writeFileSync(join(folder, name, 'clip.abc'), writeAbc(clip));
  const list = Array.from({ length: count }, (_, n) => ({
    ...{ command: 'decompose', inputs: [join(folder, name, 'clip.abc')], output: `${n}.glb` },
    options: { bones: 8, iterations, threads: 1 },
  }));
  writeFileSync(join(folder, name, 'jobs.jsonl'), list.map((job) => JSON.stringify(job)).join('\n'));
}

function runBatch(name, words) {
  const out = join(folder, name, `out-${words.join('').replace(/\W/g, '')}`);
  const report = `${out}.json`;
  const line = [main, 'batch', join(folder, name, 'jobs.jsonl'), '--out', out, '--report', report, '--quiet', ...words];
  const { status, stderr } = spawnSync(process.execPath, line, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  const { seconds, result, peakMemory } = JSON.parse(readFileSync(report, 'utf8'));
  // the first jobs of a process load code; they count for the start, which is measured apart
  return { total: seconds.total, jobs: seconds.jobs, count: result.jobs, peakMemory };
}

const overheadOf = ({ total, jobs, count }, processes) => (1000 * (total * processes - jobs)) / count;

try {
  const count = Number(values.clips);
  writeList('small', count, 400, 2);
  const one = runBatch('small', ['--jobs', '1']);
  console.log(
    `embedded: ${((one.jobs / count) * 1000).toFixed(1)} ms per job, overhead ${overheadOf(one, 1).toFixed(1)} ms per job`,
  );
  writeList('large', Math.max(8, count / 10), 2000, 10);
  const [single, double] = [runBatch('large', ['--jobs', '1']), runBatch('large', ['--jobs', '2'])];
  console.log(`throughput of two processes: ${(single.total / double.total).toFixed(2)} times one`);
  if (hasRedis) {
    const redis = await startRedis();
    const worker = spawn(process.execPath, [main, 'worker', '--queue', redis.url, '--jobs', '1', '--quiet']);
    const queued = runBatch('small', ['--queue', redis.url]);
    worker.kill('SIGTERM');
    await new Promise((end) => worker.on('exit', end));
    await redis.stop();
    console.log(
      `queue: ${((queued.jobs / count) * 1000).toFixed(1)} ms per job, overhead ${overheadOf(queued, 1).toFixed(1)} ms per job`,
    );
  }
  const many = Number(values.many);
  if (many > 0) {
    mkdirSync(join(folder, 'many'));
    const { clip } = makeSample('bar-bend', { resolution: 100, frames: 2 });
    writeFileSync(join(folder, 'many/clip.abc'), writeAbc(clip));
    const list = Array.from({ length: many }, (_, n) => ({
      ...{ command: 'bake', inputs: [join(folder, 'many/clip.abc')], output: `${n % 100}/${n}.glb` },
    }));
    writeFileSync(join(folder, 'many/jobs.jsonl'), list.map((job) => JSON.stringify(job)).join('\n'));
    const { peakMemory, total, jobs } = runBatch('many', ['--jobs', '2']);
    console.log(
      `${many} jobs: coordinator ${(peakMemory / 1e6).toFixed(0)} MB, ${total.toFixed(0)} s (jobs ${jobs.toFixed(0)} s on 2 processes)`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
