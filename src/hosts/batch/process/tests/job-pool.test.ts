// SPDX-License-Identifier: MIT
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileLibrary } from '../../../../../scripts/build/compile-library.ts';
import type { BatchTask } from '../../batch-job.ts';
import { JobPool, type PoolOptions } from '../job-pool.ts';
import type { TaskError } from '../task-error.ts';

/** A process whose jobs do what their input says, or what the real one does. */
const POISON = `
import { readFileSync } from 'node:fs';
import { runTask } from 'DIST/hosts/batch/process/run-task.js';
import { drawThumbnail } from 'DIST/hosts/batch/pages/draw-thumbnail.js';
import { serveTasks } from 'DIST/hosts/batch/process/serve-tasks.js';
serveTasks({
  draw: drawThumbnail,
  async run(task, host) {
    const [word] = task.job.inputs;
    const record = { id: task.id, pid: process.pid };
    if (word === 'abort') process.abort();
    if (word === 'exit') process.exit(3);
    if (word === 'loop') for (;;);
    if (word === 'hog') for (const held = []; ; ) held.push(new Uint8Array(2 ** 25).fill(1));
    if (word === 'heap') for (const held = []; ; ) held.push(Array.from({ length: 1e5 }, () => ({})));
    if (word === 'wait') await new Promise((resolve) => setTimeout(resolve, 5000));
    if (word === 'secret') return { ...record, text: JSON.stringify([process.env, process.argv, process.execArgv]) };
    if (word.startsWith('reserve')) {
      await host.reserveMemory(Number(word.slice(8)));
      const start = Date.now();
      await new Promise((resolve) => setTimeout(resolve, 150));
      return { ...record, start, end: Date.now() };
    }
    return word === 'ok' ? record : runTask(task, host);
  },
});
`;

let folder = '';
let module: URL;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ossify-pool-'));
  const dist = compileLibrary();
  writeFileSync(join(folder, 'poison.mjs'), POISON.replaceAll('DIST', pathToFileURL(dist).href));
  module = pathToFileURL(join(folder, 'poison.mjs'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const task = (word: string): BatchTask => ({
  id: word,
  out: join(folder, 'out'),
  job: { command: 'info', inputs: [word] },
});
const commit = async () => undefined;

async function withPool<T>(options: Partial<PoolOptions>, use: (pool: JobPool) => Promise<T>): Promise<T> {
  const pool = new JobPool({ size: 1, maxMemory: 400e6, module, ...options });
  try {
    return await use(pool);
  } finally {
    pool.close();
  }
}

const faultOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: TaskError) => [error.fault, error.message],
  );

describe('a pool of processes', () => {
  it('uses a process again, and starts a new one after a crash', () =>
    withPool({}, async (pool) => {
      const pids: number[] = [];
      for (const word of ['ok', 'ok', 'abort', 'ok', 'exit', 'ok']) {
        const done = pool.run(task(word), { commit }) as Promise<unknown> as Promise<{ pid: number }>;
        if (word === 'ok') pids.push((await done).pid);
        else expect((await faultOf(done))?.[0]).toBe('crash');
      }
      expect(pids[0]).toBe(pids[1]);
      expect(new Set(pids).size).toBe(3);
    }));

  it('ends a job that never ends, alone and for its time limit', () =>
    withPool({ size: 2, timeLimit: 1 }, async (pool) => {
      await pool.run(task('ok'), { commit });
      const [fault, good] = await Promise.all([
        faultOf(pool.run(task('loop'), { commit })),
        pool.run(task('ok'), { commit }),
      ]);
      expect(fault).toEqual(['time', 'the job took more than its time limit of 1 s']);
      expect(good.id).toBe('ok');
    }));

  it.each(['hog', 'heap'])('ends a job that eats memory (%s), with a clear sentence', (word) =>
    withPool({ maxMemory: 250e6 }, async (pool) => {
      const fault = await faultOf(pool.run(task(word), { commit }));
      expect(fault).toEqual(['memory', 'the job needs more memory than its limit of 250 MB']);
      expect((await pool.run(task('ok'), { commit })).id).toBe('ok');
    }),
  );

  it('reports the error of a job as its sentence', () =>
    withPool({}, async (pool) => {
      const missing = join(folder, 'missing.glb');
      expect(await faultOf(pool.run(task(missing), { commit }))).toEqual(['input', `${missing}: no such file`]);
    }));

  it('runs jobs together only if their memory fits', () =>
    withPool({ size: 2, maxMemory: 1e9 }, async (pool) => {
      type Span = { start: number; end: number };
      const spans = (words: string[]) =>
        Promise.all(words.map((word) => pool.run(task(word), { commit }) as Promise<unknown> as Promise<Span>));
      await spans(['ok', 'ok']);
      const [a, b] = await spans(['reserve 700000000', 'reserve 700000000']);
      expect(Math.max(a.start, b.start)).toBeGreaterThanOrEqual(Math.min(a.end, b.end) - 5);
      const [c, d] = await spans(['reserve 400000000', 'reserve 400000000']);
      expect(Math.max(c.start, d.start)).toBeLessThan(Math.min(c.end, d.end));
      // larger than all memory: alone
      expect(await spans(['reserve 3000000000'])).toHaveLength(1);
    }));

  it('stops a job on its signal', () =>
    withPool({}, async (pool) => {
      const stop = new AbortController();
      const running = faultOf(
        pool.run(task('wait'), { commit, signal: stop.signal, onStart: () => setTimeout(() => stop.abort(), 300) }),
      );
      expect(await running).toEqual(['stopped', 'stopped']);
    }));

  it('runs nothing in a process of another version: the package was replaced since the pool was made', async () => {
    writeFileSync(
      join(folder, 'newer.mjs'),
      `process.on('message', () => process.send({ kind: 'done', record: {} })); process.send({ kind: 'ready', build: '9.9.9+0' });`,
    );
    const newer = pathToFileURL(join(folder, 'newer.mjs'));
    await withPool({ module: newer }, async (pool) => {
      for (let n = 0; n < 2; n++)
        await expect(pool.run(task('ok'), { commit })).rejects.toMatchObject({
          fault: 'input',
          message: expect.stringMatching(
            /^ossify was replaced while it ran \(\S+ by 9\.9\.9\+0\); start the command again$/,
          ),
        });
    });
  });

  it('gives its processes nothing about the queue', () =>
    withPool({}, async (pool) => {
      process.env.OSSIFY_QUEUE = 'redis://:hunter2@host';
      try {
        expect(JSON.stringify(await pool.run(task('secret'), { commit }))).not.toContain('hunter2');
      } finally {
        delete process.env.OSSIFY_QUEUE;
      }
    }));

  it.skipIf(process.platform !== 'linux')('leaves no process behind when its own process is killed', async () => {
    const script = `
      import { JobPool } from '${pathToFileURL(join(compileLibrary(), 'hosts/batch/process/job-pool.js')).href}';
      const pool = new JobPool({ size: 1, maxMemory: 4e8, module: new URL('${module.href}') });
      const run = (word) => pool.run({ id: word, out: '', job: { command: 'info', inputs: [word] } }, { commit: async () => {} });
      console.log((await run('ok')).pid);
      setTimeout(() => process.kill(process.pid, 'SIGKILL'), 200);
      await run('loop');
    `;
    writeFileSync(join(folder, 'parent.mjs'), script);
    let out = '';
    try {
      execFileSync(process.execPath, [join(folder, 'parent.mjs')], { encoding: 'utf8' });
    } catch (error) {
      out = (error as { stdout: string }).stdout;
    }
    const pid = Number(out);
    expect(pid).toBeGreaterThan(0);
    const isRunning = () => readdirSync('/proc').includes(String(pid));
    for (let n = 0; n < 30 && isRunning(); n++) await sleep(100);
    expect(isRunning()).toBe(false);
  });
});
