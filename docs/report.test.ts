// SPDX-License-Identifier: MIT
// docs/reference/report.md describes every field of the reports of all commands, and docs/reference/reports/ has one of each: vitest -u writes them anew.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { captureCli } from '../src/hosts/cli/capture-cli.ts';
import type { Report } from '../src/jobs/engine/report/report.ts';
import { settleReport } from './settle-report.ts';

const page = readFileSync(new URL('reference/report.md', import.meta.url), 'utf8');
let folder = '';
const at = (name: string) => join(folder, name);

const printReport = async (...argv: string[]): Promise<Report> => {
  const { out, err } = await captureCli([...argv, '--json']);
  if (out === '') throw new Error(err);
  return JSON.parse(out) as Report;
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ossify-report-'));
  const size = ['--resolution', '400', '--frames', '8'];
  await captureCli(['sample', 'quadruped', at('walk.glb'), ...size]);
  await captureCli(['sample', 'quadruped', at('walk.pc2'), ...size]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The part of the page about a command, with the general parts. */
function sectionOf(command: string): string {
  const sections = page.split(/^(?=##)/m);
  const own = sections.find((section) => section.startsWith(`### ${command}\n`));
  const others = sections.filter((section) => !section.startsWith('###') || section.startsWith('### Others'));
  return [...others, own ?? ''].join('');
}

const JOBS: readonly (readonly [command: string, ...words: string[]])[] = [
  ['info', 'walk.glb'],
  ['info', 'walk.obj+walk.pc2'],
  [
    'decompose',
    'walk.obj+walk.pc2',
    'out.glb',
    '--bones',
    '4',
    '--iterations',
    '2',
    '--corrections',
    '1',
    '--max-error',
    '50%',
  ],
  ['decompose', 'walk.obj+walk.pc2', 'out.glb', '--method', 'sma'],
  ['decompose', 'walk.obj+walk.pc2', 'out.glb', '--method', 'fsd', '--bones', '4', '--iterations', '2'],
  ['decompose', 'walk.obj+walk.pc2', 'out.glb', '--method', 'lssp', '--bones', '4', '--iterations', '2'],
  ['decompose', 'walk.obj+walk.pc2', 'out.glb', '--method', 'auto', '--bones', '4'],
  ['skeleton', 'walk.obj+walk.pc2', 'out.glb', '--bones', '4', '--passes', '1', '--iterations', '2'],
  ['track', 'walk.obj+walk.obj', 'out.glb', '--bones', '4'],
  ['reduce', 'walk.glb', 'out.glb', '--max-error', '50%'],
  ['reduce', 'walk.glb', 'out.glb', '--method', 'twolayer', '--influences', '3'],
  ['mush', 'walk.glb', 'out.glb'],
  ['edit', 'walk.glb', 'out.glb', '--edited', 'walk.obj'],
  ['bake', 'walk.glb', 'out.abc'],
  ['lod', 'walk.glb', 'out.glb', '--levels', '0.5,0.2', '--max-error', '50%'],
  ['retarget', 'walk.glb', 'walk.glb', 'out.glb'],
  ['light', 'walk.glb', 'out.glb', '--rays', '8', '--rank', '2'],
  ['compress', 'walk.glb', 'out.glb', '--virtual-bones', '8,12', '--iterations', '2'],
  [
    'convert',
    'sample:helper-bone',
    'out.glb',
    '--helpers',
    '1',
    '--samples',
    '4',
    '--poses',
    '20',
    '--iterations',
    '2',
  ],
  ['check', 'walk.glb', '--for', 'unreal'],
  ['compare', 'walk.glb', 'walk.glb', '--max-error', '1%'],
  ['draw', 'walk.glb', 'out.png', '--size', '64x48'],
  ['sample', 'sheet', 'out.glb', '--resolution', '100', '--frames', '3'],
  ['sample', '--list'],
  ['demo', 'out.demo', '--resolution', '300'],
];

/** A command line of the table, with files of the folder. */
function placeWords(words: readonly string[]): string[] {
  const isFile = (word: string) => /^(walk|out)\./.test(word);
  return words.map((word) => (isFile(word) ? word.split('+').map(at).join('+') : word));
}

describe('docs/reference/report.md', () => {
  it.each(JOBS)(
    'describes the report of %s %s %s %s %s',
    async (...job) => {
      const [command, ...words] = job;
      const report = await printReport(command, ...placeWords(words), '--threads', '1');
      const section = sectionOf(command);
      const isDescribed = (field: string) => new RegExp(`[\`{ ]${field}[\`, }:]`).test(section);
      const { options, seconds, ...described } = report;
      for (const [field, value] of Object.entries(described)) {
        expect(isDescribed(field), field).toBe(true);
        const parts = Array.isArray(value) ? value[0] : value;
        for (const name of Object.keys(typeof parts === 'object' ? parts : {}))
          expect(isDescribed(name), `${field}.${name}`).toBe(true);
      }
      expect([typeof options, typeof seconds.total]).toEqual(['object', 'number']);
      const isFirst = JOBS.find(([other]) => other === command)?.join() === job.join();
      if (isFirst) await expect(settleReport(report, folder)).toMatchFileSnapshot(`reference/reports/${command}.json`);
    },
    300_000,
  );
});
