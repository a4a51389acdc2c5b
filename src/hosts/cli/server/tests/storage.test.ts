// SPDX-License-Identifier: MIT
// What the files of jobs over HTTP take on the disk: all of them together, after the end of a job, on a full disk, and after the server was killed.
import { spawn } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TaskRunner } from '../../../batch/run-batch.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../../disk/temporary-folders.ts';
import { ServedJobs } from '../../../serve/served-jobs.ts';
import { captureCli } from '../../capture-cli.ts';
import { startJobServer } from '../job-server.ts';

vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>();
  return { ...real, createWriteStream: vi.fn(real.createWriteStream) };
});

const TOKEN = 'a-token-of-some-length';
const headers = { authorization: `Bearer ${TOKEN}` };

let folder = '';
let url = '';
let jobs: ServedJobs;
let close: () => Promise<void>;
let resultBytes = 10;

/** Writes a result of a number of bytes. */
const runner: TaskRunner = {
  async run({ id, job, out }) {
    writeFileSync(join(out, 'output.glb'), 'x'.repeat(resultBytes));
    const files = [{ path: 'output.glb', bytes: resultBytes, sha256: '' }];
    const empty = { resources: [], result: {}, metrics: {}, seconds: 0 };
    return { id, status: 'done', command: job.command, inputs: job.inputs, output: 'output.glb', files, ...empty };
  },
};

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ossify-storage-'));
  resultBytes = 10;
  jobs = new ServedJobs({ runner, folder, maxJobs: 50, keep: 60, maxStorage: 1000 });
  const server = await startJobServer({ jobs, token: TOKEN, host: '127.0.0.1', port: 0, maxSize: 900 });
  url = server.url;
  close = async () => {
    await server.close();
    await jobs.close();
  };
});
afterEach(async () => {
  await close();
  rmSync(folder, { recursive: true, force: true });
});

const post = (body: BodyInit) => fetch(`${url}/jobs?command=decompose&name=a.glb`, { method: 'POST', headers, body });
const get = (id: string) => fetch(`${url}/jobs/${id}`, { headers });
const run = async (bytes: number) => {
  const { id } = (await (await post('m'.repeat(bytes))).json()) as { id: string };
  await (await fetch(`${url}/jobs/${id}/events`, { headers })).text();
  return id;
};
const FULL =
  'the storage of the server is full; try again later, or remove results that are not needed (DELETE /jobs/ID)';

describe('the files of jobs over HTTP', () => {
  it('are the result alone when a job has ended', async () => {
    const id = await run(800);
    while (readdirSync(join(folder, id)).length > 1) await sleep(5);
    expect(readdirSync(join(folder, id))).toEqual(['output.glb']);
    expect(jobs.storage).toBe(10);
  });

  it('take a limited space together: the oldest results are removed for new files', async () => {
    resultBytes = 300;
    const ids = [await run(100), await run(100), await run(100)];
    expect(jobs.storage).toBe(900);
    const next = await run(500);
    expect(await Promise.all([...ids, next].map(async (id) => (await get(id)).status))).toEqual([404, 404, 200, 200]);
    expect(jobs.storage).toBe(600);
    while (readdirSync(folder).length > 2) await sleep(5);
  });

  it('are refused with status 507 where removing results is not enough, and nothing of them is kept', async () => {
    // the first file is still being received
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(new TextEncoder().encode('m'.repeat(700)));
      },
    });
    const stop = new AbortController();
    const first = fetch(`${url}/jobs?command=decompose&name=a.glb`, {
      ...{ method: 'POST', headers, body, signal: stop.signal, duplex: 'half' },
    } as RequestInit).catch(() => undefined);
    while (jobs.storage < 700) await sleep(5);
    const refused = await post('m'.repeat(400));
    expect([refused.status, await refused.json()]).toEqual([507, { error: FULL }]);
    expect(readdirSync(folder)).toHaveLength(1);
    expect((await post('m'.repeat(200))).status).toBe(202);
    stop.abort();
    await first;
  });

  it('are refused with status 507 when the disk is full', async () => {
    vi.mocked(createWriteStream).mockImplementationOnce((() => {
      const error = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
      return new Writable({ write: (_chunk, _encoding, done) => done(error) });
    }) as unknown as typeof createWriteStream);
    const refused = await post('model');
    expect([refused.status, await refused.json()]).toEqual([
      507,
      { error: 'the disk of the server is full; try again later' },
    ]);
    expect(readdirSync(folder)).toEqual([]);
    expect(jobs.storage).toBe(0);
    expect((await post('model')).status).toBe(202);
  });
});

describe('the folder of a server', () => {
  it('is removed by the next one if the server was killed, and not while it runs', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore' });
    const own = await makeTemporaryFolder(folder, 'serve');
    const theirs = own.replace(`-${process.pid}-`, `-${child.pid}-`);
    const others = [
      own.replace(`-${process.pid}-`, '-1-'),
      join(folder, 'ossify-serve-notes'),
      own.replace(/serve-\w{8}/, 'serve-01234567').replace(`-${process.pid}-`, `-${child.pid}-`),
    ];
    for (const path of [theirs, ...others]) mkdirSync(join(path, 'job'), { recursive: true });
    writeFileSync(join(theirs, 'job/input.glb'), 'model');
    await removeTemporaryFolder(await makeTemporaryFolder(folder, 'serve'));
    expect(existsSync(theirs)).toBe(true);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    await removeTemporaryFolder(await makeTemporaryFolder(folder, 'serve'));
    expect(existsSync(theirs)).toBe(false);
    for (const path of [own, ...others]) expect(existsSync(path)).toBe(true);
    await removeTemporaryFolder(own);
  });

  it('must hold a file of the allowed size', async () => {
    const { status, err } = await captureCli(['serve', '--max-storage', '1GB', '--max-size', '2GB']);
    expect(status).toBe(2);
    expect(err).toContain('--max-storage: must not be smaller than --max-size');
  });
});
