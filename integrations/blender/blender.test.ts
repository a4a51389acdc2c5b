// SPDX-License-Identifier: MIT
// The add-on in Blender itself, without a display: what Blender evaluates is compared with the reports.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const CLI = join(FOLDER, '../../dist/cli/main.js');
const hasBlender = spawnSync('blender', ['--version']).status === 0;

type Case = Record<string, never> & {
  case: string;
  status: string[];
  reportMax: number;
  boneLengths: [number, number];
  materials: string[];
};

describe.skipIf(!hasBlender || !existsSync(CLI))(
  'the Blender add-on (needs blender on the path and npm run build)',
  { timeout: 240_000 },
  () => {
    const temporary = mkdtempSync(join(tmpdir(), 'ossify-blender-'));
    afterAll(() => rmSync(temporary, { recursive: true, force: true }));

    const run = (wanted: string, ...words: string[]): Case[] => {
      const line = ['-b', ...words, '--python-exit-code', '7', '--python', join(FOLDER, 'test_addon.py')];
      const { status, stdout, stderr } = spawnSync('blender', [...line, '--', wanted, temporary], {
        encoding: 'utf8',
        env: { ...process.env, OSSIFY: CLI },
      });
      expect(status, stdout.slice(-3000) + stderr.slice(-3000)).toBe(0);
      const cases = stdout.split('\n').filter((text) => text.startsWith('CASE '));
      return cases.map((text) => JSON.parse(text.slice(5)) as Case);
    };

    it('gives bones to simulated cloth, with the error of the report in every frame', () => {
      const cases = run('cloth', '--factory-startup');
      expect(cases.map((one) => one.case)).toEqual(['bones', 'error', 'size', 'corrections']);
      for (const one of cases) {
        expect(one.status, one.case).toEqual(['FINISHED']);
        expect(one.motion, one.case).toBeGreaterThan(0.5);
        expect(one.reportMax, one.case).toBeGreaterThan(1e-3);
        expect(one.maxOff, one.case).toBeLessThan(1e-5);
        expect(one.rmsOff, one.case).toBeLessThan(1e-5);
        expect(one).toMatchObject({ hidden: true, materials: ['red', 'blue'], polygonCorners: 4, empties: [] });
        // the curtain is 2 m wide
        expect(one.boneLengths[1], one.case).toBeLessThan(0.6);
      }
      expect(cases[0]).toMatchObject({ bones: 8, colors: ['Ossify error'] });
      expect(cases[1].reportMax).toBeLessThan(0.02);
      expect(cases[2].bytes).toBeLessThan(20_000);
    });

    it('converts rigs to plain bones whose drivers survive saving', () => {
      const [reduced, mushed, converted] = run('rig', '--factory-startup');
      expect(reduced).toMatchObject({ status: ['FINISHED'], influences: 1 });
      for (const one of [mushed, converted]) {
        expect(one.status).toEqual(['FINISHED']);
        expect(one.shownMax).toBeLessThan(0.05);
      }
      expect(converted.drivers).toBe(10);
      const [reopened] = run('reopened', '-y', join(temporary, 'arm.blend'));
      expect(reopened.motion).toBeGreaterThan(0.5);
      expect(reopened.off).toBeLessThan(1e-5);
    });
  },
);
