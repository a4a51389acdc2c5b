// SPDX-License-Identifier: MIT
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { identifyJob } from '../../identify-job.ts';
import { resolveInput } from '../../resolve-job.ts';
import { planJobs } from '../plan-jobs.ts';

let folder = '';
const at = (...names: string[]) => join(folder, ...names);
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ossify-plan-'));
  for (const name of ['shot1', 'shot2']) mkdirSync(at(name));
  for (const name of ['shot1/a.glb', 'shot1/b.glb', 'shot2/a.glb', 'shot2/a.abc']) writeFileSync(at(name), name);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const listJobs = (...lines: (object | string)[]) => {
  writeFileSync(
    at('jobs.jsonl'),
    lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
  );
  return planJobs([at('jobs.jsonl')], {});
};

describe('planJobs', () => {
  it('makes a job per file, with outputs that keep the folders below the pattern', async () => {
    const jobs = await planJobs([at('**/*.glb')], { command: 'decompose', options: { bones: 5 } });
    expect(jobs.map(({ output }) => output)).toEqual(['shot1/a.glb', 'shot1/b.glb', 'shot2/a.glb']);
    expect(jobs[0]).toMatchObject({ command: 'decompose', inputs: [at('shot1/a.glb')], options: { bones: 5 } });
    const others = await planJobs([at('shot1/*.glb')], { command: 'decompose', extension: 'fbx' });
    expect(others.map(({ output }) => output)).toEqual(['a.fbx', 'b.fbx']);
    const facts = await planJobs([at('shot1/*.glb')], { command: 'info' });
    expect(facts.map(({ output }) => output)).toEqual([undefined, undefined]);
  });

  it('refuses a length with a unit for a format without units, in lists and for patterns, before anything runs', async () => {
    const fault = '--max-error: "2mm" needs a file that has units, and Alembic files have none';
    const options = { maxError: '2mm' };
    const job = { command: 'decompose', inputs: [at('shot2/a.abc')], options };
    await expect(listJobs(job)).rejects.toThrow(`jobs.jsonl, line 1: ${fault}`);
    await expect(planJobs([at('**/*.abc')], { command: 'decompose', options })).rejects.toThrow(fault);
    expect(await listJobs({ ...job, options: { ...options, unit: 'cm' } })).toHaveLength(1);
  });

  it('reads a list, sorts it by priority, and names outputs by their inputs', async () => {
    const jobs = await listJobs(
      { command: 'mush', inputs: ['late.glb'], priority: 9 },
      '',
      { command: 'decompose', inputs: ['rest.obj+walk.pc2'], options: { bones: 4 } },
      { command: 'mush', inputs: ['x/rig.glb'], output: 'y/mushed.glb' },
    );
    expect(jobs.map(({ output }) => output)).toEqual(['walk.glb', 'y/mushed.glb', 'late.glb']);
  });

  it('divides jobs into parts that are all jobs together', async () => {
    const parts = await Promise.all(
      [1, 2].map((n) => planJobs([at('**/*.glb')], { command: 'mush', part: { n, of: 2 } })),
    );
    expect(parts.map((jobs) => jobs.map(({ output }) => output))).toEqual([
      ['shot1/a.glb', 'shot2/a.glb'],
      ['shot1/b.glb'],
    ]);
  });

  it('refuses two jobs with one output, in one sentence that names both', async () => {
    const colliding = planJobs([at('shot2/*')], { command: 'decompose' });
    await expect(colliding).rejects.toThrow(/shot2\/a\.abc" and ".*shot2\/a\.glb" would both be written to "a\.glb"/);
    const cased = listJobs(
      { command: 'mush', inputs: ['a.glb'], output: 'A.glb' },
      { command: 'mush', inputs: ['b.glb'], output: './a.glb' },
    );
    await expect(cased).rejects.toThrow('would both be written');
  });

  it('refuses outputs outside of the output folder', async () => {
    for (const output of ['../a.glb', '/etc/a.glb', 'x/../../a.glb', 'c:\\a.glb'])
      await expect(listJobs({ command: 'mush', inputs: ['a.glb'], output })).rejects.toThrow('leads out of');
  });

  it.each([
    ['{', 'line 1: is not JSON'],
    ['[]', 'is not a job object'],
    [{ inputs: [] }, 'needs a command'],
    [{ command: 'mush' }, 'needs inputs'],
    [{ command: 'mush', inputs: [1] }, 'needs inputs'],
    [{ command: 'mush', inputs: ['a.glb'], output: 3 }, 'not a file name'],
    [{ command: 'mush', inputs: ['a.glb'], options: [] }, 'are no object'],
    [{ command: 'mush', inputs: ['a.glb'], priority: -1 }, 'priority'],
    [{ command: 'mush', inputs: ['a.glb'], input: 'b' }, 'unknown field "input"'],
    [{ command: 'nope', inputs: ['a.glb'] }, 'there is no command "nope"'],
    [{ command: 'mush', inputs: ['a.glb'], options: { bonez: 1 } }, 'there is no option "bonez"'],
    [{ command: 'decompose', inputs: ['a.glb'], options: { bones: 'x' } }, 'whole number'],
    [{ command: 'demo', inputs: [] }, 'cannot be used in a batch'],
    ['', 'contains no jobs'],
  ])('names the fault of the line %j', async (line, fault) => {
    await expect(listJobs(line)).rejects.toThrow(fault);
  });
});

describe('identifyJob', () => {
  const job = () => ({ command: 'decompose', inputs: [at('shot1/a.glb')], output: 'a.glb', options: { bones: 5 } });

  it('depends on bytes, options after defaults and output, and on nothing else', async () => {
    const id = await identifyJob(job());
    const same = { ...job(), options: { threads: 7, bones: 5, seed: 0, maxMemory: '1GB' } };
    expect(await identifyJob(same)).toBe(id);
    expect(await identifyJob({ ...job(), options: { bones: 6 } })).not.toBe(id);
    expect(await identifyJob({ ...job(), output: 'b.glb' })).not.toBe(id);
    writeFileSync(at('shot1/a.glb'), 'other');
    expect(await identifyJob(job())).not.toBe(id);
    writeFileSync(at('shot1/a.glb'), 'shot1/a.glb');
    expect(await identifyJob(job())).toBe(id);
  });

  it('includes the bytes of files that options name', async () => {
    const withRig = { ...job(), options: { skeleton: at('shot1/b.glb') } };
    const id = await identifyJob(withRig);
    writeFileSync(at('shot1/b.glb'), 'other');
    expect(await identifyJob(withRig)).not.toBe(id);
    const words = { command: 'compress', inputs: [at('shot1/a.glb')], output: 'a.glb', options: { ranges: 'auto' } };
    expect(await identifyJob(words)).toMatch(/^[0-9a-f]{64}$/);
  });

  it('reports inputs that cannot be read', async () => {
    await expect(identifyJob({ ...job(), inputs: [at('nope.glb')] })).rejects.toThrow('no such file');
    await expect(identifyJob({ ...job(), inputs: [folder] })).rejects.toThrow('is a folder');
  });
});

describe('resolveInput', () => {
  it('makes every name of an input absolute', () => {
    const here = process.cwd();
    expect(resolveInput('rest.obj+a.pc2,b.pc2')).toBe(`${here}/rest.obj+${here}/a.pc2,${here}/b.pc2`);
    expect(resolveInput('frames/*.obj')).toBe(`${here}/frames/*.obj`);
    expect(resolveInput('s3://bucket/a.glb')).toBe('s3://bucket/a.glb');
  });
});
