// SPDX-License-Identifier: MIT
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { settleReport } from '../../docs/settle-report.ts';
import { captureCli } from '../../src/hosts/cli/index.ts';
import type { BenchRow } from '../shared/bench-suite.ts';

/** The suite, a table of it, and columns that must have numbers on generated data. */
const SUITES: readonly [string, string, readonly string[]][] = [
  ['decompose', 'Course, Table 1', ['SSDR', 'SSDR rank 5', 'LSSP', 'SMA']],
  ['skeleton', 'Course, Table 2', ['I, multi-pass', 'II, Schaefer', 'III, de Aguiar', 'IV, Hasler']],
  ['weights', 'Course, Table 3, dense to 4 bones per vertex', ['k-largest', 'two-layer', 'MP', 'OMP', 'K-SVD, OMP']],
  ['ddm', 'DDM slides, Table 2', ['seconds']],
  ['compress', 'DDMC, Tables 1 and 2', ['RMSE_fit %', 'ours kB']],
  ['convert', 'Helper, Table 1', ['α', 'seconds']],
  ['sma', 'SMA, Table 1', ['bones', 'η', 'rigid NNLS', 'flexible NNLS, rank 10']],
];

describe('published tables', () => {
  it('of DDMC, section 7.7: swing/twist keeps the volume of the twisted bar, and Euler angles flip', async () => {
    const { status, out, err } = await captureCli(['bench', 'elastic', '--quick', '--json', '--threads', '1']);
    expect(status, err).toBe(0);
    const golden = fileURLToPath(new URL('../../docs/reference/reports/bench.json', import.meta.url));
    await expect(settleReport(JSON.parse(out), '', true)).toMatchFileSnapshot(golden);
    const rows: BenchRow[] = JSON.parse(out).result.suites.elastic;
    const of = (name: string) => rows.find((row) => row.case.endsWith(name))?.figures ?? {};
    expect(of('Fig. 17, elastic swing/twist').twist).toBeGreaterThan(99.5);
    expect(of('Fig. 17, DDM, λ 20, κ 20').twist).toBeLessThan(of('Fig. 17, elastic swing/twist').twist);
    expect(of('Euler angles')['90°']).toBeGreaterThan(3 * of('Euler angles')['45°']);
    expect(of('by quaternions')['90°']).toBeLessThan(1.2 * of('by quaternions')['45°']);
    expect(of('biharmonic swing/twist').RMS).toBeCloseTo(of('Fig. 18, biharmonic linear').RMS, 6);
  });

  it('keeps results in a folder, continues after a stop and makes a page of them without measuring', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ossify-published-'));
    try {
      const words = ['bench', 'sma', '--published', '--quick', '--json', '--threads', '1', '--results', folder];
      const run = async (...more: string[]) => {
        const { status, out, err } = await captureCli([...words, ...more]);
        expect(status, err).toBe(0);
        const [row]: BenchRow[] = JSON.parse(out).result.suites.sma;
        return row;
      };
      const nothing = await run('--time-limit', '0');
      expect(nothing.figures).toEqual({});
      const first = await run();
      const file = join(folder, 'sma.jsonl');
      const lines = (await readFile(file, 'utf8')).trim().split('\n');
      expect(lines).toHaveLength(Object.keys(first.figures!).length);
      // the last line was not finished
      await writeFile(file, `${lines.slice(0, -1).join('\n')}\n${lines.at(-1)!.slice(0, 20)}`);
      const stopped = await run('--time-limit', '0');
      expect(Object.keys(stopped.figures!)).toHaveLength(lines.length - 1);
      expect((await run('--time-limit', '600.5')).figures).toEqual(first.figures);
      const page = join(folder, 'page.md');
      await run('--time-limit', '0', '--page', page);
      expect(await readFile(page, 'utf8')).toMatch(/Measured on .*, --threads 1, load/);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }, 60_000);

  it.each(SUITES)(
    'ossify bench %s --published prints its table on generated data and writes a page',
    async (suite, table, columns) => {
      const folder = await mkdtemp(join(tmpdir(), 'ossify-published-'));
      try {
        const page = join(folder, 'page.md');
        const words = ['bench', suite, '--published', '--quick', '--page', page, '--json', '--threads', '1'];
        const { status, out, err } = await captureCli(words);
        expect(status, err).toBe(0);
        const rows: BenchRow[] = JSON.parse(out).result.suites[suite];
        const [row] = rows.flatMap(({ paper }) => (paper?.table === table ? [paper] : []));
        for (const column of columns) {
          const cell = row.cells.find((one) => one.column === column);
          expect(Number.isFinite(cell?.ours), `${column} ${err}`).toBe(true);
        }
        const text = await readFile(page, 'utf8');
        expect(text).toContain(`## ${table}`);
        expect(text).toContain(`ossify bench ${suite} --published`);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    180_000,
  );
});
