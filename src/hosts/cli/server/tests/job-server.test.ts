// SPDX-License-Identifier: MIT
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compileLibrary } from '../../../../../scripts/build/compile-library.ts';
import type { JobRecord } from '../../../batch/batch-job.ts';
import { TaskError } from '../../../batch/process/task-error.ts';
import type { TaskRunner } from '../../../batch/run-batch.ts';
import { ServedJobs } from '../../../serve/served-jobs.ts';
import { captureCli } from '../../capture-cli.ts';
import { startJobServer } from '../job-server.ts';

const TOKEN = 'a-token-of-some-length';
const TIMEOUTS = { headers: 400, request: 1200, idle: 600 };

let folder = '';
let url = '';
const closing: (() => Promise<void>)[] = [];
let hold: Promise<void> | undefined;
let release: () => void = () => undefined;

/** Copies its input, or fails as its first byte says. */
const runner: TaskRunner = {
  async run({ id, job, out }, { onStart, onProgress, signal }) {
    await hold;
    if (signal?.aborted) throw new TaskError('stopped', 'stopped');
    onStart?.();
    onProgress?.({ phase: 'solve', fraction: 0.5 });
    const text = readFileSync(job.inputs[0], 'utf8');
    if (text.startsWith('!')) throw new TaskError(`${job.inputs[0]}: is broken`, 'input');
    writeFileSync(join(out, job.output ?? ''), text.toUpperCase());
    const files = [{ path: job.output ?? '', bytes: text.length, sha256: '' }];
    const record: JobRecord = {
      ...{ id, status: 'done', command: job.command, inputs: job.inputs, output: job.output, files },
      ...{ resources: [], result: { bones: 3 }, metrics: {}, seconds: 1 },
    };
    return record;
  },
};

beforeEach(async () => {
  hold = undefined;
  folder = mkdtempSync(join(tmpdir(), 'ossify-serve-test-'));
  await open(TIMEOUTS);
});

async function open(timeouts?: typeof TIMEOUTS): Promise<void> {
  const jobs = new ServedJobs({ runner, folder, maxJobs: 20, keep: 60, maxStorage: 1e6 });
  const server = await startJobServer({
    ...{ jobs, token: TOKEN, host: '127.0.0.1', port: 0, maxSize: 10_000, timeouts },
  });
  url = server.url;
  closing.push(
    () => server.close(),
    () => jobs.close(),
  );
}
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  rmSync(folder, { recursive: true, force: true });
});

const headers = { authorization: `Bearer ${TOKEN}` };
const ask = (path: string, init: RequestInit = {}) =>
  fetch(url + path, { ...init, headers: { ...headers, ...init.headers } });
const post = (query: Record<string, string>, body: BodyInit = 'model') =>
  ask(`/jobs?${new URLSearchParams({ command: 'decompose', name: 'a.glb', ...query })}`, { method: 'POST', body });
const errorOf = async (response: Response) => [response.status, ((await response.json()) as { error: string }).error];

describe('the server of jobs', () => {
  it('runs a job on a file, tells its progress, and gives the result', async () => {
    hold = new Promise((resolve) => {
      release = resolve;
    });
    const created = await post({ options: '{"bones":3}' });
    expect(created.status).toBe(202);
    const { id } = (await created.json()) as { id: string };
    expect(created.headers.get('location')).toBe(`/jobs/${id}`);
    expect(await (await ask(`/jobs/${id}`)).json()).toMatchObject({ status: 'queued', name: 'a.glb' });
    expect((await ask(`/jobs/${id}/result`)).status).toBe(409);
    const events = await ask(`/jobs/${id}/events`);
    release();
    const lines = (await events.text()).split('\n').filter((line) => line.startsWith('data: '));
    const states = lines.map((line) => JSON.parse(line.slice(6)) as { status: string; result?: object });
    expect(states.map(({ status }) => status)).toEqual(['queued', 'running', 'running', 'done']);
    expect(states.at(-1)?.result).toEqual({ bones: 3 });
    expect(await (await ask(`/jobs/${id}/result`)).text()).toBe('MODEL');
    expect((await ask(`/jobs/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await ask(`/jobs/${id}`)).status).toBe(404);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('answers nobody without the token', async () => {
    for (const authorization of [
      '',
      'Bearer ',
      `Bearer ${TOKEN}x`,
      `Bearer ${TOKEN.slice(0, -1)}`,
      TOKEN,
      `Basic ${TOKEN}`,
    ]) {
      for (const path of ['/jobs', '/jobs/0123456789abcdef0123456789abcdef', '/nope'])
        expect((await ask(path, { headers: { authorization } })).status).toBe(401);
    }
    expect((await ask('/openapi.json', { headers: { authorization: '' } })).status).toBe(200);
  });

  it('knows the scheme of the token in any case, as HTTP defines it, and the token in its own', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bearer '])
      expect((await ask('/nope', { headers: { authorization: `${scheme} ${TOKEN}` } })).status).toBe(404);
    expect((await ask('/nope', { headers: { authorization: `bearer ${TOKEN.toUpperCase()}` } })).status).toBe(401);
  });

  it('answers with JSON that changes nothing on a terminal, whatever the name of the file is', async () => {
    const created = await (await post({ name: 'a\u202egnp.glb' })).text();
    expect(created).toContain('"name":"a\ufffdgnp.glb"');
  });

  it('answers only requests to its own name', async () => {
    const { port } = new URL(url);
    const status = await new Promise((resolve) => {
      const options = { port, host: '127.0.0.1', path: '/openapi.json', headers: { host: 'evil.example' } };
      httpRequest(options, (response) => resolve(response.statusCode)).end();
    });
    expect(status).toBe(403);
  });

  it('refuses wrong commands, names and options in one sentence', async () => {
    const cases: [Record<string, string>, string][] = [
      [{ command: 'nope' }, 'there is no command "nope"'],
      [{ command: 'compare' }, '"compare" is not served'],
      [{ command: 'demo' }, '"demo" is not served'],
      [{ command: 'edit' }, '"edit" is not served'],
      [{ command: 'track', options: '{"template":"/etc/passwd"}' }, 'names a file'],
      [{ options: '[]' }, 'must be a JSON object'],
      [{ options: '{' }, 'must be a JSON object'],
      [{ options: '{"bonez":1}' }, 'there is no option "bonez"'],
      [{ options: '{"bones":"x"}' }, 'whole number'],
      [{ options: '{"skeleton":"/etc/passwd"}' }, 'names a file'],
      [{ command: 'convert', options: '{"controllers":"/tmp/x.json"}' }, 'names a file'],
      [{ options: '{"threads":256}' }, 'is set by the server'],
      [{ name: 'model' }, 'must end in'],
      [{ name: 'a.exe' }, 'must end in'],
      [{ format: 'exe' }, 'the output must end in'],
      [{ format: '../../x.glb' }, 'is not an extension'],
    ];
    for (const [query, fault] of cases) {
      const [status, error] = await errorOf(await post(query));
      expect([status, error]).toEqual([400, expect.stringContaining(fault)]);
    }
    expect((await post({ command: 'compress', options: '{"ranges":"auto"}' })).status).toBe(202);
    expect(await errorOf(await post({}, ''))).toEqual([400, 'the body is empty; send the file as the body']);
  });

  it('takes only the extension of a name', async () => {
    for (const name of [
      '../../../etc/x.glb',
      '/etc/x.glb',
      'a\0b.glb',
      '..\\..\\x.glb',
      `${'x'.repeat(5000)}.GLB`,
      'a+b.glb',
      '*.glb',
    ]) {
      const { id } = (await (await post({ name })).json()) as { id: string };
      expect(readdirSync(join(folder, id)).sort()).toEqual(['input.glb', 'output.glb']);
    }
    for (const path of ['/jobs/../../etc/passwd', '/jobs/..%2f..%2fetc', '/jobs/%00', `/jobs/${'0'.repeat(32)}/../x`])
      expect((await ask(path)).status).toBe(404);
    expect(existsSync('/etc/x.glb')).toBe(false);
  });

  it('shows no path of this machine in errors of jobs', async () => {
    const { id } = (await (await post({}, '!')).json()) as { id: string };
    const text = await (await ask(`/jobs/${id}/events`)).text();
    expect(text).toContain('"error":"a.glb: is broken"');
    expect(text).not.toContain(folder);
  });

  it('refuses files that are too large, announced or not', async () => {
    expect(await errorOf(await post({}, 'x'.repeat(10_001)))).toEqual([413, 'the file is larger than 10 kB']);
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(4096)) });
    const init = { method: 'POST', body: endless, duplex: 'half' } as RequestInit;
    const outcome = await ask('/jobs?command=decompose&name=a.glb', init).then(
      ({ status }) => status,
      () => 'closed',
    );
    expect([413, 'closed']).toContain(outcome);
    await expect.poll(() => readdirSync(folder)).toEqual([]);
    expect((await post({}, 'x'.repeat(10_000))).status).toBe(202);
  });

  it('keeps a connection for the next request of a slow client', async () => {
    await open();
    expect((await ask('/openapi.json')).headers.get('keep-alive')).toBe('timeout=30');
  });

  it('closes connections whose head or body arrives too slowly, and removes what came', async () => {
    const { port } = new URL(url);
    const head = `POST /jobs?command=decompose&name=a.glb HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Length: 5000\r\n`;
    const slow = (start: string, piece: string) =>
      new Promise<string>((resolve) => {
        let text = '';
        const socket = connect(Number(port), '127.0.0.1', () => socket.write(start));
        const timer = setInterval(() => socket.write(piece), 100);
        socket.on('data', (data) => {
          text += data;
        });
        socket.on('error', () => undefined);
        socket.on('close', () => {
          clearInterval(timer);
          resolve(text.split('\r\n')[0]);
        });
      });
    const [slowHead, slowBody, silent] = await Promise.all([
      slow(head, 'X: y\r\n'),
      slow(`${head}\r\n`, 'x'),
      slow(`${head}\r\n`, ''),
    ]);
    expect(slowHead).toContain('408');
    expect(['', 'HTTP/1.1 408 Request Timeout']).toContain(slowBody);
    expect(silent).toBe('');
    await expect.poll(() => readdirSync(folder)).toEqual([]);
  });

  it('answers 500 at once: as many as are allowed run, the others are told to wait', async () => {
    hold = new Promise((resolve) => {
      release = resolve;
    });
    // the usual time limits: 500 requests of one process take longer than those of this test
    await open();
    const responses = await Promise.all(Array.from({ length: 500 }, () => post({})));
    const statuses = responses.map(({ status }) => status);
    expect(statuses.filter((status) => status === 202)).toHaveLength(20);
    expect(statuses.filter((status) => status === 429)).toHaveLength(480);
    expect(responses.find(({ status }) => status === 429)?.headers.get('retry-after')).toBe('10');
    release();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect((await post({})).status).toBe(202);
  });

  it('describes itself', async () => {
    const description = (await (await ask('/openapi.json')).json()) as {
      openapi: string;
      paths: object;
      components: { schemas: Record<string, { properties: object }> };
    };
    expect(description.openapi).toBe('3.1.0');
    expect(Object.keys(description.paths)).toEqual(['/jobs', '/jobs/{id}', '/jobs/{id}/events', '/jobs/{id}/result']);
    expect(Object.keys(description.components.schemas.decomposeOptions.properties)).toContain('bones');
    expect(Object.keys(description.components.schemas.decomposeOptions.properties)).not.toContain('skeleton');
  });
});

describe('ossify serve', { timeout: 90_000 }, () => {
  it('makes a model from a file, prints its token once, and ends on SIGTERM', async () => {
    const main = join(compileLibrary(), 'hosts/cli/main.js');
    await captureCli(['sample', 'bar-bend', join(folder, 'bar.glb'), '--resolution', '100', '--frames', '4']);
    const child = spawn(process.execPath, [main, 'serve', '--port', '0', '--jobs', '1', '--json']);
    const { url: own, token } = await new Promise<{ url: string; token: string }>((resolve) => {
      child.stdout.once('data', (text: Buffer) => resolve(JSON.parse(text.toString())));
    });
    const auth = { authorization: `Bearer ${token}` };
    const options = encodeURIComponent('{"bones":2,"iterations":1}');
    const created = await fetch(`${own}/jobs?command=decompose&name=bar.glb&options=${options}`, {
      ...{ method: 'POST', headers: auth, body: readFileSync(join(folder, 'bar.glb')) },
    });
    const { id } = (await created.json()) as { id: string };
    await (await fetch(`${own}/jobs/${id}/events`, { headers: auth })).text();
    const result = await fetch(`${own}/jobs/${id}/result`, { headers: auth });
    expect(Buffer.from(await result.arrayBuffer()).toString('latin1', 0, 4)).toBe('glTF');
    child.kill('SIGTERM');
    expect(await new Promise((resolve) => child.on('exit', resolve))).toBe(0);
  });

  it('refuses a short token', async () => {
    const { status, err } = await captureCli(['serve', '--token', 'short']);
    expect([status, err]).toEqual([2, 'ossify: --token: is too short; give 16 characters or more\n']);
  });
});
