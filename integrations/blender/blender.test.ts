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
const hasBlender =
  spawnSync('blender', ['--background', '--python-exit-code', '1', '--python-expr', 'import numpy']).status === 0;
const hasDisplay = spawnSync('xvfb-run', ['--help']).status === 0;

type Case = Record<string, never> & {
  case: string;
  status: string[];
  reportMax: number;
  boneLengths: [number, number];
  materials: string[];
};

describe.skipIf(!hasBlender || !existsSync(CLI))(
  'the Blender add-on (needs blender with numpy on the path and npm run build)',
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
      for (const text of cases) console.log(`Blender: ${text.slice(5)}`);
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

    it('gives a bending arm a skeleton, with the error of the report in every frame', () => {
      const [one] = run('skeleton', '--factory-startup');
      expect(one).toMatchObject({ case: 'skeleton', status: ['FINISHED'], hidden: true });
      expect(one.motion).toBeGreaterThan(0.5);
      // joints form a tree, and their rotations are keyed
      expect(one.children).toBeGreaterThanOrEqual(1);
      expect(one.keyed).toBeGreaterThanOrEqual(1);
      expect(one.reportMax).toBeLessThan(0.05);
      expect(one.maxOff).toBeLessThan(1e-5);
      expect(one.rmsOff).toBeLessThan(1e-5);
    });

    it.skipIf(!hasDisplay)('stops at Esc and keeps the best result so far (needs Xvfb)', () => {
      const words = ['--factory-startup', '--enable-event-simulate', '-p', '0', '0', '800', '600'];
      const script = ['--python', join(FOLDER, 'test_cancel.py')];
      const { stdout, stderr } = spawnSync(
        'xvfb-run',
        ['-a', '-s', '-screen 0 800x600x24', 'blender', ...words, ...script],
        { encoding: 'utf8', timeout: 120_000, env: { ...process.env, OSSIFY: CLI, LIBGL_ALWAYS_SOFTWARE: '1' } },
      );
      const line = stdout.split('\n').find((text) => text.startsWith('CASE '));
      expect(line, stdout.slice(-2000) + stderr.slice(-2000)).toBeDefined();
      console.log(`Blender: ${line!.slice(5)}`);
      expect(JSON.parse(line!.slice(5))).toMatchObject({
        ...{ case: 'cancel', status: ['RUNNING_MODAL'], exit: 130, solve: 'stopped', folderLeft: false },
        ...{ seen: expect.stringContaining('error'), bones: 81 },
      });
    });

    it('converts rigs to plain bones whose drivers survive saving', () => {
      const [reduced, mushed, converted] = run('rig', '--factory-startup');
      expect(reduced).toMatchObject({ status: ['FINISHED'], influences: 1 });
      expect(reduced.unmatched).toBeLessThan(1e-5);
      expect(reduced.reportMax).toBeGreaterThan(0.01);
      expect(reduced.maxOff).toBeLessThan(1e-5);
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
