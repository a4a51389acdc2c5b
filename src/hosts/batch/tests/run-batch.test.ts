// SPDX-License-Identifier: MIT
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writePc2 } from '../../../formats/caches/write-pc2.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import type { BatchJob, JobRecord } from '../batch-job.ts';
import { hashBytes } from '../hash-file.ts';
import { runTask } from '../process/run-task.ts';
import { TaskError } from '../process/task-error.ts';
import { type BatchOptions, runBatch, type TaskRunner } from '../run-batch.ts';

let folder = '';
const at = (...names: string[]) => join(folder, ...names);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ossify-batch-'));
  for (const name of ['a', 'b', 'c']) writeFileSync(at(`${name}.glb`), name);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const job = (name: string): BatchJob => ({ command: 'mush', inputs: [at(`${name}.glb`)], output: `${name}.glb` });

/** A runner that copies its input, and counts. */
function makeCopier(fail: (name: string, count: number) => void = () => undefined) {
  const counts: Record<string, number> = {};
  const runner: TaskRunner = {
    async run({ id, job: { command, inputs, output = '' }, out }, { commit }) {
      counts[output] = (counts[output] ?? 0) + 1;
      fail(output, counts[output]);
      const text = readFileSync(inputs[0], 'utf8');
      const files = [{ path: output, bytes: text.length, sha256: hashBytes(text) }];
      const empty = { resources: [], result: {}, metrics: {}, seconds: 0 };
      const record: JobRecord = { id, status: 'done', command, inputs, output, files, ...empty };
      await commit(record);
      mkdirSync(dirname(join(out, output)), { recursive: true });
      writeFileSync(join(out, output), text);
      return record;
    },
  };
  return { runner, counts };
}

const run = (jobs: BatchJob[], runner: TaskRunner, more: Partial<BatchOptions> = {}) =>
  runBatch(jobs, { out: at('out'), lanes: 2, runner, ...more });

describe('runBatch', () => {
  it('keeps finished jobs, and runs those whose input, options or output changed', async () => {
    const { runner, counts } = makeCopier();
    const jobs = ['a', 'b', 'c'].map(job);
    expect((await run(jobs, runner)).map(({ status }) => status)).toEqual(['done', 'done', 'done']);
    writeFileSync(at('a.glb'), 'A');
    rmSync(at('out/b.glb'));
    const rows = await run(jobs, runner);
    expect(rows.map(({ status }) => status)).toEqual(['done', 'done', 'kept']);
    expect(counts).toEqual({ 'a.glb': 2, 'b.glb': 2, 'c.glb': 1 });
    const other = await run([{ ...job('c'), options: { iterations: 3 } }], runner);
    expect(other[0].status).toBe('done');
    expect((await run(jobs.slice(0, 2), runner, { force: true })).map(({ status }) => status)).toEqual([
      'done',
      'done',
    ]);
  });

  it('waits for another batch in its folder, and keeps what that one finished', async () => {
    const { runner, counts } = makeCopier();
    const slow: TaskRunner = {
      async run(...words) {
        await sleep(20);
        return runner.run(...words);
      },
    };
    const jobs = ['a', 'b', 'c'].map(job);
    const waits: string[] = [];
    const both = await Promise.all([1, 2].map(() => run(jobs, slow, { onWait: (holder) => waits.push(holder) })));
    expect(both.map((rows) => rows[0].status).sort()).toEqual(['done', 'kept']);
    expect(counts).toEqual({ 'a.glb': 1, 'b.glb': 1, 'c.glb': 1 });
    expect(waits).toEqual([expect.stringMatching(`^process ${process.pid} of `)]);
    // parts of one list have no common jobs
    await Promise.all([1, 2].map((n) => run([jobs[n]], slow, { writer: `part-${n}-of-2`, force: true })));
    expect(waits).toHaveLength(1);
  });

  it('records nothing more when another batch has taken its folder over', async () => {
    const { runner, counts } = makeCopier();
    const jobs = ['a', 'b', 'c'].map(job);
    const taking: TaskRunner = {
      async run(task, hooks) {
        // the second job starts after another process has made the next lock
        if (task.job.output === 'b.glb') writeFileSync(at('out/.ossify-lock.2'), '');
        await hooks.claim?.();
        return runner.run(task, hooks);
      },
    };
    await expect(run(jobs, taking, { lanes: 1 })).rejects.toThrow('another batch took this output folder over');
    expect(counts).toEqual({ 'a.glb': 1 });
  });

  it('keeps a job that another batch recorded after this one began', async () => {
    const jobs = ['a', 'b'].map(job);
    await run(jobs, makeCopier().runner);
    const lines = readFileSync(at('out/ossify-ledger.jsonl'), 'utf8');
    rmSync(at('out/ossify-ledger.jsonl'));
    const { runner, counts } = makeCopier();
    const late: TaskRunner = {
      async run(task, hooks) {
        // the record of a batch that was suspended between its claim and its record
        writeFileSync(at('out/ossify-ledger-other.jsonl'), lines);
        await hooks.claim?.();
        return runner.run(task, hooks);
      },
    };
    expect((await run(jobs, late, { lanes: 1 })).map(({ status }) => status)).toEqual(['kept', 'kept']);
    expect(counts).toEqual({});
    expect((await run(jobs, late, { force: true })).map(({ status }) => status)).toEqual(['done', 'done']);
  });

  it('ends at once if it is interrupted while it waits', async () => {
    mkdirSync(at('out'));
    writeFileSync(at('out/.ossify-lock.1'), '{');
    const stop = new AbortController();
    const rows = await run([job('a')], makeCopier().runner, { signal: stop.signal, onWait: () => stop.abort() });
    expect(rows.map(({ status }) => status)).toEqual(['stopped']);
  });

  it('tries again after a crash, and not after an error of the data', async () => {
    const { runner, counts } = makeCopier((name, count) => {
      if (name === 'a.glb' && count < 3) throw new TaskError('crashed', 'crash');
      if (name === 'b.glb') throw new TaskError('bad data', 'input');
    });
    const rows = await run(['a', 'b', 'c'].map(job), runner);
    expect(rows.map(({ status, attempts }) => [status, attempts])).toEqual([
      ['done', 3],
      ['failed', 1],
      ['done', 1],
    ]);
    expect(rows[1].error).toBe('bad data');
    expect(counts['b.glb']).toBe(1);
    // a failed job is run again by the next batch
    expect((await run([job('b')], makeCopier().runner))[0].status).toBe('done');
  });

  it('reports an input that is missing, and runs the others', async () => {
    rmSync(at('b.glb'));
    const rows = await run(['a', 'b', 'c'].map(job), makeCopier().runner);
    expect(rows.map(({ status }) => status)).toEqual(['done', 'failed', 'done']);
    expect(rows[1].error).toContain('b.glb: no such file');
  });

  it('starts no job after an interrupt', async () => {
    const stop = new AbortController();
    const { runner } = makeCopier(() => stop.abort());
    const rows = await run(['a', 'b', 'c'].map(job), runner, { signal: stop.signal, lanes: 1 });
    expect(rows.map(({ status }) => status)).toEqual(['done', 'stopped', 'stopped']);
  });
});

describe('runTask', () => {
  const inputs = () => {
    const { clip } = makeSample('bar-bend', { resolution: 100, frames: 5 });
    const { positions, triangles } = clip.mesh;
    const lines = [
      ...Array.from({ length: positions.length / 3 }, (_, i) => `v ${positions.slice(3 * i, 3 * i + 3).join(' ')}`),
      ...Array.from(
        { length: triangles.length / 3 },
        (_, f) =>
          `f ${triangles
            .slice(3 * f, 3 * f + 3)
            .map((i) => i + 1)
            .join(' ')}`,
      ),
    ];
    writeFileSync(at('bar.obj'), lines.join('\n'));
    writeFileSync(at('bar.pc2'), writePc2(clip));
    return `${at('bar.obj')}+${at('bar.pc2')}`;
  };
  const task = () => ({
    id: 'x',
    out: at('out'),
    job: { command: 'decompose', inputs: [inputs()], output: 'deep/bar.glb', options: { bones: 2, iterations: 2 } },
  });
  const limits = { threads: 1, maxMemory: 1e9 };

  it('stores the record when the file has its name, and makes the same bytes each time', async () => {
    const seen: string[][] = [];
    const claimed: string[][] = [];
    const reserved: number[] = [];
    const host = {
      ...limits,
      claim: async () => void claimed.push(readdirSync(at('out/deep'))),
      commit: async () => void seen.push(readdirSync(at('out/deep'))),
      reserveMemory: async (bytes: number) => void reserved.push(bytes),
    };
    const record = await runTask(task(), host);
    expect(claimed[0]).toEqual([expect.stringMatching(/^\.ossify-.*\.tmp$/)]);
    expect(seen[0]).toEqual(['bar.glb']);
    expect(readdirSync(at('out/deep'))).toEqual(['bar.glb']);
    expect(record.files).toEqual([
      { path: 'deep/bar.glb', bytes: readFileSync(at('out/deep/bar.glb')).length, sha256: expect.any(String) },
    ]);
    expect(record.result.bones).toBe(2);
    expect(record.metrics.max).toBeGreaterThan(0);
    expect(reserved[0]).toBeGreaterThan(0);
    const again = await runTask(task(), host);
    expect(again.files).toEqual(record.files);
  });

  it('leaves the files that were there before if the record cannot be stored, or if another run has taken over', async () => {
    const full = () => Promise.reject(new Error('the disk is full'));
    const done = async () => undefined;
    await expect(runTask(task(), { ...limits, commit: full })).rejects.toThrow('the disk is full');
    await expect(runTask(task(), { ...limits, claim: full, commit: done })).rejects.toThrow('the disk is full');
    expect(readdirSync(at('out/deep'))).toEqual([]);
    writeFileSync(at('out/deep/bar.glb'), 'before');
    await expect(runTask(task(), { ...limits, commit: full })).rejects.toThrow('the disk is full');
    expect(readdirSync(at('out/deep'))).toEqual(['bar.glb']);
    expect(readFileSync(at('out/deep/bar.glb'), 'utf8')).toBe('before');
  });
});
