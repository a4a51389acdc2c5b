// SPDX-License-Identifier: MIT
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emitScript } from '../emit-script.ts';

const jobs = [
  {
    command: 'decompose',
    inputs: ['/in/a b.glb'],
    output: "x/a'b $c.glb",
    options: { bones: 4, quantize: true, meshopt: false },
  },
  { command: 'mush', inputs: ['/in/c.glb'], output: 'c.glb' },
];
const facts = { jobs, list: '/out dir/jobs.jsonl', out: '/out dir', timeLimit: 60 };
const hasMake = spawnSync('make', ['--version']).status === 0;

describe('emitScript', () => {
  it.skipIf(!hasMake)('makes a file that make runs, with names of any characters', () => {
    const folder = mkdtempSync(join(tmpdir(), 'ossify-make-'));
    try {
      mkdirSync(join(folder, 'in'));
      const own = jobs.map((job) => ({ ...job, inputs: job.inputs.map((name) => folder + name) }));
      for (const job of own) writeFileSync(job.inputs[0], '');
      // a program that writes its arguments into its output
      writeFileSync(join(folder, 'ossify'), '#!/bin/sh\nprintf "%s|" "$@" > "$3"\n', { mode: 0o755 });
      writeFileSync(join(folder, 'Makefile'), emitScript('make', { ...facts, jobs: own, out: join(folder, 'out') }));
      const { status, stderr } = spawnSync('make', ['-C', folder, `OSSIFY=${folder}/ossify`], { encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
      const first = join(folder, 'out', "x/a'b $c.glb");
      expect(readFileSync(first, 'utf8')).toBe(`decompose|${folder}/in/a b.glb|${first}|--bones|4|--quantize|`);
      expect(existsSync(join(folder, 'out/c.glb'))).toBe(true);
      const again = spawnSync('make', ['-C', folder, `OSSIFY=${folder}/ossify`], { encoding: 'utf8' });
      expect(again.stdout).toContain('Nothing to be done');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('divides a list among the tasks of a Slurm array', () => {
    const script = emitScript('slurm', facts);
    expect(script).toContain('#SBATCH --array=1-2\n');
    expect(script).toContain(`ossify batch '/out dir/jobs.jsonl' --out '/out dir' --part "$SLURM_ARRAY_TASK_ID/2"`);
    expect(spawnSync('sh', ['-n'], { input: script }).status).toBe(0);
    const many = { ...facts, jobs: Array.from({ length: 2500 }, () => jobs[0]) };
    expect(emitScript('slurm', many)).toContain('--array=1-1000\n');
    expect(emitScript('slurm', many)).toContain('--time=3\n');
  });

  it('describes a job for Open Job Description', () => {
    const script = emitScript('openjd', facts);
    expect(script).toMatch(/^specificationVersion: jobtemplate-2023-09\n/);
    expect(script).toContain('range: "1-2"');
    expect(script).toContain('default: "/out dir/jobs.jsonl"');
    expect(script).toContain('"--part", "{{Task.Param.Part}}/2"');
  });
});
