// SPDX-License-Identifier: MIT
// Every option of every command that names a file, over HTTP, in lists of jobs, and in tasks of a queue.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JOBS } from '../../../jobs/table/jobs.ts';
import { identifyJob } from '../../batch/identify-job.ts';
import { placeOutput } from '../../batch/plan/place-output.ts';
import { planJobs } from '../../batch/plan/plan-jobs.ts';
import { runTask } from '../../batch/process/run-task.ts';
import { makeOpenApi } from '../open-api.ts';
import { SERVED_COMMANDS, ServedJobs } from '../served-jobs.ts';

let folder = '';
const at = (...names: string[]) => join(folder, ...names);
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ossify-options-'));
  mkdirSync(at('served'));
  writeFileSync(at('in.glb'), 'input');
  writeFileSync(at('secret.obj'), 'v 0 0 0');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const FILES = JOBS.flatMap(({ name, options, output }) =>
  Object.entries(options).flatMap(([key, { type }]) =>
    type.names === undefined || output?.isFolder ? [] : [{ command: name, key, names: type.names }],
  ),
);
const faultOf = (promise: Promise<unknown>) =>
  promise.then(
    () => '',
    (error: Error) => error.message,
  );

describe('options that name files', () => {
  it('are known: a job cannot open what is not listed here', () => {
    const keys = (use: string) => [...new Set(FILES.filter(({ names }) => names === use).map(({ key }) => key))].sort();
    expect(keys('output')).toEqual(['bvh', 'clip', 'controllers', 'denoise', 'fix', 'page']);
    expect(keys('input')).toEqual(
      expect.arrayContaining(['cage', 'edit', 'edited', 'error', 'poses', 'ranges', 'rest', 'skeleton', 'template']),
    );
  });

  it('are refused over HTTP, with the same sentence whether the file exists or not', async () => {
    const jobs = new ServedJobs({
      runner: { run: () => Promise.reject(new Error()) },
      folder: at('served'),
      maxJobs: 9,
      keep: 9,
      maxStorage: 1e9,
    });
    const served = FILES.filter(({ command }) => SERVED_COMMANDS.some(({ name }) => name === command));
    expect(served.length).toBeGreaterThan(20);
    for (const { command, key } of served)
      for (const path of [at('secret.obj'), at('missing.obj'), '../secret.obj', [at('secret.obj')]]) {
        const options = { [key]: path, ...(command === 'track' ? { force: true } : {}) };
        expect(await faultOf(jobs.open({ command, name: 'a.glb', options }))).toMatch(
          /^--[a-z-]+: names a file, which jobs over HTTP cannot use$/,
        );
      }
    expect(readdirSync(at('served'))).toEqual([]);
    await jobs.close();
  });

  it('are not in the description of the server, and neither are commands that need a second file', () => {
    const { paths, components } = makeOpenApi() as {
      paths: Record<string, { post: { parameters: { name: string; schema: { enum?: string[] } }[] } }>;
      components: { schemas: Record<string, { properties: object }> };
    };
    const [command] = paths['/jobs'].post.parameters;
    expect(command.schema.enum).toEqual(SERVED_COMMANDS.map(({ name }) => name));
    for (const { command: name, key } of FILES) {
      const { type } = JOBS.filter((job) => job.name === name)[0].options[key];
      const listed = Object.keys(components.schemas[`${name}Options`]?.properties ?? {});
      // one that is also a word is listed for its words
      if (!type.isWord) expect(listed, `${name} --${key}`).not.toContain(key);
    }
    const names = SERVED_COMMANDS.map(({ name }) => name);
    expect(names).not.toContain('edit');
    expect(names).toEqual(expect.arrayContaining(['decompose', 'track', 'convert', 'bake']));
  });

  it('cannot write outside of the output folder, in a list of jobs or in a task of a queue', async () => {
    const written = FILES.filter(({ names }) => names === 'output');
    for (const { command, key } of written)
      for (const path of ['../../x.abc', at('x.abc'), 'a/../../x.abc', 's3://bucket/x.abc']) {
        const inputs = command === 'compare' ? [at('in.glb'), at('in.glb')] : [at('in.glb')];
        const job = placeOutput({ command, inputs, options: { [key]: path } });
        writeFileSync(at('jobs.jsonl'), JSON.stringify(job));
        const [fault] = (await faultOf(planJobs([at('jobs.jsonl')], {}))).split(';');
        // some commands refuse the name before, for its extension
        if (!/must end in|leads out of the output folder/.test(fault))
          expect.fail(`${command} --${key} ${path}: ${fault}`);
        const host = { threads: 1, maxMemory: 1e9, commit: async () => undefined };
        expect(await faultOf(runTask({ id: 'x', out: at('out/deep'), job }, host))).toContain(
          'leads out of the output folder',
        );
      }
    expect(readdirSync(folder).sort()).toEqual(['in.glb', 'jobs.jsonl', 'secret.obj', 'served']);
  });

  it('make two jobs that write one file an error, also where an option names it', async () => {
    const job = (n: number) => ({
      command: 'decompose',
      inputs: [at('in.glb')],
      output: `${n}.glb`,
      options: { denoise: './same.abc' },
    });
    writeFileSync(at('jobs.jsonl'), [1, 2].map((n) => JSON.stringify(job(n))).join('\n'));
    expect(await faultOf(planJobs([at('jobs.jsonl')], {}))).toContain('would both be written to "./same.abc"');
  });

  it('change the identity of a job when the contents of a file that is read change', async () => {
    const read = FILES.filter(
      ({ names, command, key }) => names === 'input' && key !== 'rest' && command !== 'compare',
    );
    for (const { command, key } of read) {
      const more = { ...(command === 'edit' && key !== 'edited' ? { edited: at('in.glb') } : {}) };
      const job = placeOutput({ command, inputs: [at('in.glb')], options: { ...more, [key]: at('secret.obj') } });
      writeFileSync(at('secret.obj'), 'v 0 0 0');
      const before = await identifyJob(job);
      writeFileSync(at('secret.obj'), 'v 0 0 1');
      expect(await identifyJob(job), `${command} --${key}`).not.toBe(before);
    }
    expect(read.map(({ command, key }) => `${command} ${key}`)).toContain('track template');
  });
});
