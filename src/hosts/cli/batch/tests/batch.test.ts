// SPDX-License-Identifier: MIT
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settleReport } from '../../../../../docs/settle-report.ts';
import { compileLibrary } from '../../../../../scripts/build/compile-library.ts';
import { hasRedis, startRedis, type TestRedis } from '../../../../../scripts/start-redis.mjs';
import { plainText } from '../../../../core/model/plain-text.ts';
import { captureCli } from '../../capture-cli.ts';

const ROOT = fileURLToPath(new URL('../../../../..', import.meta.url));
let folder = '';
let main = '';
const at = (...names: string[]) => join(folder, ...names);

beforeAll(async () => {
  main = join(compileLibrary(), 'hosts/cli/main.js');
  folder = mkdtempSync(join(tmpdir(), 'ossify-batch-cli-'));
  mkdirSync(at('in/deep'), { recursive: true });
  await captureCli(['sample', 'bar-bend', at('in/one.glb'), '--resolution', '100', '--frames', '6']);
  copyFileSync(at('in/one.glb'), at('in/deep/two.glb'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function batch(...words: string[]): { status: number | null; err: string; lines: Record<string, unknown>[] } {
  const line = [main, 'batch', ...words];
  const { status, stdout, stderr } = spawnSync(process.execPath, line, { cwd: folder, encoding: 'utf8' });
  const lines = stdout.split('\n').filter((text) => text !== '');
  return { status, err: stderr, lines: lines.map((text) => JSON.parse(text)) };
}

describe('ossify batch', () => {
  it('runs a job per file, prints JSON lines, writes page and report, and does nothing the second time', async () => {
    const words = ['in/**/*.glb', '--job', 'decompose', '--bones', '3', '--iterations', '2', '--out', 'out'];
    const first = batch(...words, '--report', 'batch.json', '--page', 'batch.html');
    expect(first.err).toBe('');
    expect(first.status).toBe(0);
    expect(
      first.lines
        .slice(0, 2)
        .map(({ output }) => output)
        .sort(),
    ).toEqual(['deep/two.glb', 'one.glb']);
    expect(first.lines[2]).toMatchObject({ jobs: 2, done: 2, kept: 0, failed: 0 });
    expect(readdirSync(at('out')).sort()).toEqual(['.ossify-lock.1', 'deep', 'one.glb', 'ossify-ledger.jsonl']);
    expect(readFileSync(at('out/one.glb'))).toEqual(readFileSync(at('out/deep/two.glb')));
    const report = JSON.parse(readFileSync(at('batch.json'), 'utf8'));
    expect(report).toMatchObject({ command: 'batch', result: { jobs: 2, done: 2, rows: [{ status: 'done' }, {}] } });
    report.result.rows.sort((a: { output: string }, b: { output: string }) => (a.output < b.output ? -1 : 1));
    const golden = join(ROOT, 'docs/reference/reports/batch.json');
    await expect(settleReport(report, folder, true)).toMatchFileSnapshot(golden);
    const page = readFileSync(at('batch.html'), 'utf8');
    expect(page.match(/data:image\/png;base64,iVBOR/g)).toHaveLength(2);
    const second = batch(...words);
    expect(second.lines[2]).toMatchObject({ done: 0, kept: 2 });
  });

  it('escapes what changes a terminal in the names of its JSON lines', () => {
    mkdirSync(at('marks'));
    writeFileSync(at('marks/a\u202egnp\u009b.glb'), 'no model');
    const line = [main, 'batch', 'marks/*.glb', '--job', 'info', '--out', 'marked'];
    const { stdout, stderr } = spawnSync(process.execPath, line, { cwd: folder, encoding: 'utf8' });
    expect(stdout).toContain('marks/a\\u202egnp\\u009b.glb');
    expect([...(stdout + stderr)].filter((one) => one !== '\n' && plainText(one) !== one)).toEqual([]);
  });

  it('runs every job once if the same batch is started twice', async () => {
    const words = ['batch', 'in/one.glb', '--job', 'info', '--out', 'twice'];
    const ends = await Promise.all(
      [1, 2].map(
        () =>
          new Promise<{ out: string; err: string }>((resolve) => {
            const child = spawn(process.execPath, [main, ...words], { cwd: folder });
            const texts = { out: '', err: '' };
            child.stdout.on('data', (text) => {
              texts.out += text;
            });
            child.stderr.on('data', (text) => {
              texts.err += text;
            });
            child.on('close', () => resolve(texts));
          }),
      ),
    );
    const counts = ends.map(({ out }) => JSON.parse(out.trim().split('\n').at(-1) ?? '') as { done: number });
    expect(counts.reduce((sum, { done }) => sum + done, 0)).toBe(1);
    expect(readFileSync(at('twice/ossify-ledger.jsonl'), 'utf8').trim().split('\n')).toHaveLength(1);
  });

  it('gives the bytes of the plain command', async () => {
    await captureCli(['decompose', at('in/one.glb'), at('plain.glb'), '--bones', '3', '--iterations', '2']);
    expect(readFileSync(at('plain.glb'))).toEqual(readFileSync(at('out/one.glb')));
  });

  it('exits with 1 if a job failed, and finishes the others', () => {
    writeFileSync(at('in/broken.glb'), 'no model');
    const { status, lines } = batch('in/*.glb', '--job', 'info', '--out', 'facts');
    expect(status).toBe(1);
    expect(lines.find((line) => line.status === 'failed')?.error).toContain('broken.glb');
    expect(lines.at(-1)).toMatchObject({ jobs: 2, done: 1, failed: 1 });
    rmSync(at('in/broken.glb'));
  });

  it('exits with 3 if an error limit was not met, also when the job was done before', () => {
    const words = ['in/one.glb', '--job', 'decompose', '--bones', '2', '--max-error', '0.0001%', '--out', 'gate'];
    expect(batch(...words).status).toBe(3);
    const again = batch(...words);
    expect([again.status, again.lines.at(-1)?.kept, again.lines.at(-1)?.gatesMissed]).toEqual([3, 1, 1]);
  });

  it('exits with 2 on wrong usage', async () => {
    const lines: [string[], string][] = [
      [['in/*.glb', '--job', 'info'], '--out: is needed'],
      [['in/*.glb', '--out', 'x'], '--job: is needed'],
      [['in/*.glb', '--out', 'x', '--bones', '3'], '--bones: is no option of batch; options of a command need --job'],
      [['in/*.glb', '--out', 'x', '--job', 'decompose', '--bonez', '3'], '--bonez: is no option of batch or decompose'],
      [['in/*.glb', '--out', 'x', '--job', 'decompose', '--bones', 'x'], 'Give a whole number'],
      [
        [at('in/*.glb'), at('in/*/*.glb'), at('in/one.glb'), '--out', 'x', '--job', 'mush'],
        'would both be written to "one.glb"',
      ],
    ];
    // the status of a process, once; the sentences need none
    expect(batch(...lines[0][0]).status).toBe(2);
    for (const [words, fault] of lines) {
      const { status, err } = await captureCli(['batch', ...words]);
      expect(err).toContain(fault);
      expect([status, err.split('\n').length]).toEqual([2, 2]);
    }
  });

  it('shows a table on a terminal, and prints nothing with --quiet', async () => {
    expect(batch('in/*.glb', '--job', 'info', '--out', 'facts', '--quiet').lines).toEqual([]);
    // finished jobs need no process, so that they can be listed by this process
    const words = [
      'batch',
      at('in/**/*.glb'),
      '--job',
      'decompose',
      '--bones',
      '3',
      '--iterations',
      '2',
      '--out',
      at('out'),
    ];
    const { status, out } = await captureCli(words, { isTerminal: true });
    expect(status).toBe(0);
    expect(out).toMatch(/^job +command +bones +max error/m);
    expect(out).toMatch(/^one\.glb +decompose +3 .*done before$/m);
    expect(out).toContain('2 jobs: 0 done, 2 done before, 0 failed');
  });

  it('ends with 130 on an interrupt and leaves only whole files', async () => {
    const list = Array.from({ length: 40 }, (_, n) => ({
      command: 'decompose',
      inputs: ['in/one.glb'],
      output: `${n}.glb`,
    }));
    writeFileSync(at('jobs.jsonl'), list.map((job) => JSON.stringify(job)).join('\n'));
    const child = spawn(process.execPath, [main, 'batch', 'jobs.jsonl', '--out', 'stopped'], { cwd: folder });
    child.stdout.once('data', () => child.kill('SIGINT'));
    const status = await new Promise((resolve) => child.on('close', resolve));
    expect(status).toBe(130);
    const names = readdirSync(at('stopped'));
    expect(names.filter((name) => name.startsWith('.'))).toEqual(['.ossify-lock.1']);
    expect(names.length).toBeLessThan(40);
  });
});

describe.skipIf(!hasRedis || process.platform !== 'linux')(
  'ossify batch and ossify worker on a queue',
  { timeout: 90_000 },
  () => {
    let redis: TestRedis;
    beforeAll(async () => {
      redis = await startRedis('hunter2');
    });
    afterAll(() => redis.stop());

    it('make the files of a batch on one machine, and show the password nowhere', async () => {
      const url = redis.url.replace('//', '//:hunter2@');
      const worker = spawn(process.execPath, [main, 'worker', '--queue', url, '--jobs', '1'], { cwd: folder });
      let printed = '';
      for (const stream of [worker.stdout, worker.stderr])
        stream.on('data', (text: Buffer) => {
          printed += text;
        });
      const words = ['in/**/*.glb', '--job', 'decompose', '--bones', '3', '--iterations', '2', '--out', 'farm'];
      const { status, err, lines } = batch(...words, '--queue', url, '--report', 'farm.json');
      // the worker may still be starting
      const other = err.replace(/note: no worker of ossify \S+ is connected; the jobs wait in the queue for one\n/, '');
      expect([status, other]).toEqual([0, '']);
      expect(lines.at(-1)).toMatchObject({ jobs: 2, done: 2, failed: 0 });
      for (const name of ['one.glb', 'deep/two.glb'])
        expect(readFileSync(at('farm', name))).toEqual(readFileSync(at('out', name)));
      const children = readFileSync(`/proc/${worker.pid}/task/${worker.pid}/children`, 'utf8').trim().split(' ');
      expect(children).toHaveLength(1);
      for (const pid of [worker.pid, ...children]) {
        expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain('hunter2');
        if (pid !== worker.pid) expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain('hunter2');
      }
      worker.kill('SIGTERM');
      expect(await new Promise((resolve) => worker.on('exit', resolve))).toBe(0);
      expect(printed + JSON.stringify(lines) + readFileSync(at('farm.json'), 'utf8')).not.toContain('hunter2');
      // finished jobs are not even queued
      const again = batch(...words, '--queue', url);
      expect(again.lines.at(-1)).toMatchObject({ done: 0, kept: 2 });
    });
  },
);
