// SPDX-License-Identifier: MIT
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeSample } from '../../../src/entry/sample.ts';
import { captureCli } from '../../../src/hosts/cli/index.ts';
import { assetOfSample } from '../../../src/jobs/sample/index.ts';
import { findDataFolder, listDecomposeCases } from '../../shared/decompose-cases.ts';
import { benchCase } from '../decompose-suite.ts';
import { TABLE_METHODS } from '../decompose-table.ts';

describe('the decompose suite', () => {
  it('measures the written file, and when an error was passed', async () => {
    const asset = assetOfSample(makeSample('bar-bend', { resolution: 300, frames: 10 }));
    const opened = { input: { input: 'bar', asset, paths: [] }, clips: asset.clips, bones: 6 };
    const one = { name: 'bar', transforms: 'rigid', atMost: 1, passing: [1000, 1e-12] } as const;
    const row = await benchCase(one, opened, { seed: 0, threads: 1 });
    expect(row.case).toBe('bar');
    expect(row.timings.solve).toMatchObject({ runs: 1, least: row.timings.solve.mean });
    expect(row.timings.solve.least).toBeGreaterThan(0);
    expect(row.figures).toMatchObject({ bones: 6, atMost: 1 });
    expect(row.figures!.eRms).toBeLessThan(1);
    expect(row.figures!.kilobytes).toBeGreaterThan(1);
    expect(row.figures!.secondsTo1000).toBeLessThanOrEqual(row.timings.solve.least / 1000);
    expect(Object.keys(row.figures!)).not.toContain('secondsTo1e-12');
  });

  it('compares every method on the same clip, and writes a page with plots', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ossify-page-'));
    const page = join(folder, 'page.md');
    const words = ['bench', 'decompose', '--quick', '--page', page, '--json', '--threads', '1'];
    const { status, out, err } = await captureCli(words);
    expect(status, err).toBe(0);
    const rows: { case: string; figures: Record<string, number> }[] = JSON.parse(out).result.suites.decompose;
    expect(rows.map((row) => row.case)).toEqual(TABLE_METHODS.map(({ label }) => `quadruped, ${label}`));
    const errorOf = (label: string) => rows.find((row) => row.case.endsWith(`, ${label}`))?.figures.eRms ?? 0;
    expect(errorOf('FSD')).toBeLessThan(errorOf('SSDR'));
    expect(errorOf('SSDR')).toBeLessThan(errorOf('LSSP'));
    const text = await readFile(page, 'utf8');
    for (const { label } of TABLE_METHODS) expect(text).toContain(`| ${label} | `);
    const plot = await readFile(join(folder, 'images', 'decompositions-quadruped-bones.svg'), 'utf8');
    expect(plot).toMatch(/^<svg/);
    await rm(folder, { recursive: true });
  });

  it('makes a page of one suite only, and only as .md', async () => {
    for (const words of [
      ['--page', 'a.md'],
      ['kernels', '--page', 'a.md'],
      ['decompose', '--page', 'a.html'],
    ])
      expect((await captureCli(['bench', ...words])).status).toBe(2);
  });

  it('has generated cases without any data, and its quick ones are few', () => {
    const cases = listDecomposeCases(findDataFolder({ OSSIFY_DATA: '/nowhere' }));
    expect(cases.filter(({ name }) => name.startsWith('creature'))).toHaveLength(5);
    expect(cases.filter(({ isQuick }) => isQuick).length).toBeLessThan(cases.length / 2);
    for (const { twiceOf } of cases)
      if (twiceOf !== undefined) expect(cases.map(({ name }) => name)).toContain(twiceOf);
  });
});
