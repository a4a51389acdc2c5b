// SPDX-License-Identifier: MIT
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { compileLibrary } from '../../../../scripts/build/compile-library.ts';
import { hasRedis, startRedis, type TestRedis } from '../../../../scripts/start-redis.mjs';
import type { BatchTask, JobRecord } from '../../batch/batch-job.ts';
import { hashBytes } from '../../batch/hash-file.ts';
import { formatLedgerLine } from '../../batch/ledger/ledger.ts';
import { JobPool } from '../../batch/process/job-pool.ts';
import type { TaskError } from '../../batch/process/task-error.ts';
import { serveMetrics, WorkerMetrics } from '../../serve/worker-metrics.ts';
import { connectionOf, openQueue, type QueuePlace, queueNameOf } from '../open-queue.ts';
import { describeQueueAddress, parseQueueAddress } from '../queue-address.ts';
import { forEachBuild, listOtherJobs } from '../queue-builds.ts';
import { QueueRunner, queuedIdOf } from '../queue-runner.ts';
import { QueueWorker, type QueueWorkerOptions } from '../queue-worker.ts';

/** A process whose jobs do what their input says. */
const CHILD = `
import { serveTasks } from 'DIST/hosts/batch/process/serve-tasks.js';
import { InputError } from 'DIST/core/model/errors.js';
const order = [];
serveTasks({
  async run({ id, job }, host) {
    const [word] = job.inputs;
    order.push(word);
    const record = { id, status: 'done', command: job.command, inputs: job.inputs, files: [], resources: [], result: { order: order.join(' ') }, metrics: {}, seconds: 0.5 };
    if (word === 'crash') process.abort();
    if (word === 'bad') throw new InputError('bad.glb', 'is broken');
    if (word === 'block') { const end = Date.now() + 2500; while (Date.now() < end); }
    if (word === 'wait') await new Promise((resolve) => setTimeout(resolve, 60000));
    await host.claim();
    await host.commit(record);
    return record;
  },
});
`;

describe('the address of a queue', () => {
  it('has host, port, database, TLS and password', () => {
    expect(parseQueueAddress('redis://host')).toEqual({ host: 'host', port: 6379, db: 0 });
    const full = parseQueueAddress('rediss://me:p%40ss@[::1]:7000/2');
    expect(full).toEqual({ host: '::1', port: 7000, db: 2, username: 'me', password: 'p@ss', tls: {} });
    expect(describeQueueAddress(full)).toBe('rediss://[::1]:7000/2');
    expect(parseQueueAddress('redis://host', 'secret').password).toBe('secret');
  });

  it('is not quoted when it is wrong: it may hold a password', () => {
    for (const text of ['http://:hunter2@host', 'hunter2', 'redis://:hunter2@', 'redis://:hunter2@host/nope']) {
      let message = '';
      try {
        parseQueueAddress(text);
      } catch (error) {
        message = (error as Error).message;
      }
      expect(message).toContain('--queue');
      expect(message).not.toContain('hunter2');
    }
  });
});

describe.skipIf(!hasRedis)('a queue on Redis', { timeout: 90_000 }, () => {
  let folder = '';
  let module: URL;
  let redis: TestRedis;
  let place: QueuePlace;
  let count = 0;
  const closing: (() => unknown)[] = [];
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ossify-queue-'));
    writeFileSync(join(folder, 'child.mjs'), CHILD.replaceAll('DIST', pathToFileURL(compileLibrary()).href));
    module = pathToFileURL(join(folder, 'child.mjs'));
    redis = await startRedis('hunter2');
  });
  afterAll(async () => {
    await redis.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  const task = (word: string): BatchTask => ({
    id: `${word}-${count}`,
    out: join(folder, `out${count}`),
    job: { command: 'info', inputs: [word] },
  });

  async function open({ stalledAfter = 30 } = {}) {
    place = { address: parseQueueAddress(redis.url, 'hunter2'), name: `test-${++count}` };
    const pool = new JobPool({ size: 1, maxMemory: 4e8, module });
    const runner = await QueueRunner.connect(place, 2);
    const metrics = new WorkerMetrics();
    const start = (more: Partial<QueueWorkerOptions> = {}) =>
      QueueWorker.start(place, { pool, stalledAfter, onEvent: (event) => metrics.update(event), ...more });
    closing.push(
      () => pool.close(),
      () => runner.close(),
    );
    return { runner, metrics, start };
  }

  const readLines = (out: string) =>
    readdirSync(out).flatMap((name) => readFileSync(join(out, name), 'utf8').trim().split('\n'));
  const commit = async () => undefined;
  const faultOf = (promise: Promise<unknown>) =>
    promise.then(
      () => undefined,
      (error: TaskError) => error.message,
    );

  it('runs tasks, sets those aside that crash or have bad data, and goes on', async () => {
    const { runner, metrics, start } = await open();
    const worker = await start();
    closing.push(() => worker.close(1));
    const [good, bad, crash] = await Promise.all([
      runner.run(task('good'), { commit }),
      faultOf(runner.run(task('bad'), { commit })),
      faultOf(runner.run(task('crash'), { commit })),
    ]);
    expect(good.inputs).toEqual(['good']);
    expect(bad).toBe('bad.glb: is broken');
    expect(crash).toContain('the process of the job was ended by SIGABRT');
    // one attempt on bad data, two on a crash
    expect(metrics.ended).toMatchObject({ done: 1, failed: 2, retried: 1 });
    const served = await serveMetrics({ host: '127.0.0.1', port: 0 }, async () =>
      metrics.format(await worker.counts()),
    );
    closing.push(() => served.close());
    const text = await (await fetch(`http://127.0.0.1:${served.port}/metrics`)).text();
    expect(text).toContain('ossify_jobs_total{status="failed"} 2');
    expect(text).toContain('ossify_queue_jobs{state="failed"} 2');
    expect(readdirSync(join(folder, `out${count}`))).toEqual([expect.stringMatching(/^ossify-ledger-.*\.jsonl$/)]);
  });

  it('renews the lock of a job that blocks its process for longer than the lock', async () => {
    const { runner, metrics, start } = await open({ stalledAfter: 1 });
    const worker = await start();
    closing.push(() => worker.close(1));
    const [record] = await Promise.all([
      runner.run(task('block'), { commit }),
      faultOf(runner.run(task('bad'), { commit })),
    ]);
    expect(record.inputs).toEqual(['block']);
    expect(metrics.ended).toMatchObject({ done: 1, kept: 0, retried: 0 });
  });

  it('starts jobs by priority, and none while it is paused', async () => {
    const { runner, start } = await open();
    const queue = await openQueue(place);
    closing.push(() => queue.close());
    await queue.pause();
    const worker = await start();
    closing.push(() => worker.close(1));
    const running = [
      runner.run(task('late'), { commit, priority: 9 }),
      runner.run(task('early'), { commit, priority: 1 }),
      runner.run(task('middle'), { commit, priority: 5 }),
    ];
    await sleep(500);
    const counts = await queue.getJobCounts();
    expect(counts.active + counts.completed).toBe(0);
    await queue.resume();
    const records = await Promise.all(running);
    expect(records[0].result.order).toBe('early middle late');
  });

  it('hands a job back when the worker is stopped, and another worker finds it', async () => {
    const { runner, metrics, start } = await open();
    const first = await start();
    const controller = new AbortController();
    const running = faultOf(runner.run(task('wait'), { commit, signal: controller.signal }));
    const queue = await openQueue(place);
    closing.push(() => queue.close());
    while ((await queue.getActiveCount()) === 0) await sleep(50);
    await first.close(0.2);
    expect(metrics.ended.returned).toBe(1);
    expect(await queue.getJobCounts('waiting', 'active', 'failed')).toEqual({ waiting: 1, active: 0, failed: 0 });
    controller.abort();
    expect(await running).toBe('stopped');
    await queue.drain();
  });

  it('does not run a job again whose outputs were complete when its worker died', async () => {
    const { runner, metrics, start } = await open();
    const queue = await openQueue(place);
    closing.push(() => queue.close());
    const one = task('good');
    mkdirSync(one.out);
    writeFileSync(join(one.out, 'made.glb'), 'model');
    const files = [{ path: 'made.glb', bytes: 5, sha256: hashBytes('model') }];
    const record: JobRecord = {
      ...{ id: one.id, status: 'done', command: 'info', inputs: ['good'], files, resources: [] },
      ...{ result: {}, metrics: {}, seconds: 7 },
    };
    writeFileSync(join(one.out, 'ossify-ledger-dead.jsonl'), formatLedgerLine(record));
    const running = runner.run(one, { commit });
    while ((await queue.getWaitingCount()) === 0) await sleep(20);
    // a worker takes the job and dies
    const { Worker } = await import('bullmq');
    const dead = new Worker(queueNameOf(place), undefined, {
      connection: place.address,
      lockDuration: 300,
      autorun: false,
    });
    await dead.getNextJob('token');
    await dead.close();
    // its job is found by a check for stalled jobs; the first check of a worker is seconds away, and puts off those of others
    const checker = new Worker(queueNameOf(place), undefined, {
      connection: place.address,
      stalledInterval: 200,
      autorun: false,
    });
    closing.push(() => checker.close());
    await checker.startStalledCheckTimer();
    while ((await queue.getWaitingCount()) === 0) await sleep(20);
    const worker = await start();
    closing.push(() => worker.close(1));
    expect((await running).seconds).toBe(7);
    expect(metrics.ended).toMatchObject({ done: 0, kept: 1 });
  });

  it('gives the same jobs of two batches with other output folders to workers, each with its own', async () => {
    const { runner, start } = await open();
    const second = await QueueRunner.connect(place, 2);
    closing.push(() => second.close());
    const one = task('good');
    const other = { ...one, out: `${one.out}-other` };
    expect(queuedIdOf(other)).not.toBe(queuedIdOf(one));
    expect(queuedIdOf({ ...one, out: `${one.out}/` })).toBe(queuedIdOf(one));
    const running = [runner.run(one, { commit }), second.run(other, { commit })];
    await sleep(300);
    const worker = await start();
    closing.push(() => worker.close(1));
    expect((await Promise.all(running)).map(({ id }) => id)).toEqual([one.id, one.id]);
    for (const { out } of [one, other])
      expect(readdirSync(out)).toEqual([expect.stringMatching(/^ossify-ledger-.*\.jsonl$/)]);
  });

  it('gives its result to all jobs of a batch that are the same: two without outputs', async () => {
    const { runner, metrics, start } = await open();
    const running = [1, 2, 3].map(() => runner.run(task('good'), { commit }));
    const worker = await start();
    closing.push(() => worker.close(1));
    expect(new Set((await Promise.all(running)).map(({ id }) => id)).size).toBe(1);
    expect(metrics.ended).toMatchObject({ done: 1 });
  });

  it('leaves the jobs of another version in the queue, and tells of them', async () => {
    const { runner, metrics, start } = await open();
    const { Queue } = await import('bullmq');
    const { Redis } = await import('ioredis');
    const client = new Redis(connectionOf(place));
    closing.push(() => client.disconnect());
    const other = '0.1.9+0123456789ab';
    await client.sadd(`ossify:builds:${place.name}`, other);
    const queue = new Queue(queueNameOf(place, other), { connection: connectionOf(place) });
    closing.push(() => queue.close());
    await queue.add('info', { ...task('bad'), build: other });
    const told: string[] = [];
    const worker = await start({
      onOthers: (others) => told.push(others.map(({ build, jobs }) => `${jobs} for ${build}`).join()),
    });
    closing.push(() => worker.close(1));
    await runner.run(task('good'), { commit });
    expect(told).toEqual([`1 for ${other}`]);
    expect(await listOtherJobs(place)).toEqual([{ build: other, jobs: 1 }]);
    expect(await queue.getWaitingCount()).toBe(1);
    expect(metrics.ended).toMatchObject({ done: 1, failed: 0 });
    // --pause and --clear are for the queues of all versions
    await forEachBuild(place, (one) => one.pause());
    expect(await queue.isPaused()).toBe(true);
    await forEachBuild(place, (one) => one.drain(true));
    expect(await queue.getWaitingCount()).toBe(0);
    await forEachBuild(place, (one) => one.resume());
    // a job of another version in the queue of this one is not run
    const own = new Queue(queueNameOf(place), { connection: connectionOf(place) });
    closing.push(() => own.close());
    const { id } = await own.add('info', { ...task('good'), build: other });
    while ((await own.getJobState(String(id))) !== 'failed') await sleep(20);
    expect((await own.getJob(String(id)))?.failedReason).toContain(
      'the job is for ossify 0.1.9+0123456789ab, and this',
    );
  });

  it('does not run a job again that was recorded before Redis lost everything', async () => {
    const { runner, metrics, start } = await open();
    const worker = await start();
    closing.push(() => worker.close(1));
    const one = task('good');
    await runner.run(one, { commit });
    const { Redis } = await import('ioredis');
    const client = new Redis(connectionOf(place));
    closing.push(() => client.disconnect());
    await client.flushall();
    await runner.run(one, { commit });
    expect(metrics.ended).toMatchObject({ done: 1, kept: 1 });
    // a batch that forces its jobs runs them anyway
    await runner.run({ ...one, isForced: true }, { commit });
    expect(metrics.ended).toMatchObject({ done: 2, kept: 1 });
    // and one whose job is lost while a worker runs it adds it again; the worker that ran it records nothing
    let starts = 0;
    await runner.run(task('block'), {
      commit,
      onStart: () => {
        if (starts++ === 0) client.flushall();
      },
    });
    expect(readLines(one.out).filter((line) => line.includes('"inputs":["block"]'))).toHaveLength(1);
    expect(starts).toBe(2);
  });

  it('is waited for by a worker that starts before it', async () => {
    const { runner, start } = await open();
    const stop = new AbortController();
    const faults: string[] = [];
    const wait = { onWait: (fault: string) => faults.push(fault), signal: stop.signal };
    await redis.stop(false);
    const starting = start({ wait });
    while (faults.length === 0) await sleep(20);
    expect(faults[0]).toMatch(/^redis:\/\/127\.0\.0\.1:\d+: the queue cannot be reached: .*ECONNREFUSED/);
    await redis.start();
    const worker = await starting;
    closing.push(() => worker.close(1));
    expect((await runner.run(task('good'), { commit })).inputs).toEqual(['good']);
    const wrong = { ...place, address: { ...place.address, password: 'wrong' } };
    const pool = new JobPool({ size: 1, maxMemory: 4e8, module });
    closing.push(() => pool.close());
    const options = { pool, stalledAfter: 30, onEvent: () => undefined, wait };
    await expect(QueueWorker.start(wrong, options)).rejects.toThrow('WRONGPASS');
    expect(faults).toHaveLength(1);
  });

  it('survives a restart of Redis', async () => {
    const { runner, start } = await open();
    const worker = await start();
    closing.push(() => worker.close(1));
    await runner.run(task('a'), { commit });
    await redis.restart('SIGKILL');
    const records = await Promise.all(['b', 'c'].map((word) => runner.run(task(word), { commit })));
    expect(records.map(({ inputs }) => inputs[0])).toEqual(['b', 'c']);
  });

  it('reports a wrong password without printing it', async () => {
    const wrong = { address: parseQueueAddress(`redis://:wrong1@127.0.0.1:${redis.port}`), name: 'x' };
    const message = await faultOf(openQueue(wrong));
    expect(message).toMatch(/^redis:\/\/127\.0\.0\.1:\d+: the queue cannot be reached: WRONGPASS/);
    expect(message).not.toContain('wrong1');
    const none = { address: parseQueueAddress(redis.url), name: 'x' };
    expect(await faultOf(openQueue(none))).toContain('it needs a password; set OSSIFY_QUEUE_PASSWORD');
  });
});
