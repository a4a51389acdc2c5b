// SPDX-License-Identifier: MIT
// The small setting of `npm run faults`: every write of two commands fails in every way, and a few processes are killed.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { compileLibrary } from '../scripts/build/compile-library.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

describe.skipIf(process.platform === 'win32')('faults while files are written', () => {
  it('leave the old or the new file, whole, and nothing else after the next run', () => {
    const small = ['--errors', 'info,sample', '--kills', '9', '--commands', 'decompose', '--json'];
    const line = [join(ROOT, 'faults/run-faults.mjs'), '--dist', compileLibrary(), ...small];
    const { stdout, stderr } = spawnSync(process.execPath, line, { encoding: 'utf8' });
    expect(stderr).toBe('');
    const { errors, signals, defects } = JSON.parse(stdout) as {
      errors: { command: string; faults: number }[];
      signals: { kills: number; broken: number }[];
      defects: string[];
    };
    expect(defects).toEqual([]);
    expect(errors.map(({ command }) => command)).toEqual(['info', 'sample']);
    for (const { faults } of errors) expect(faults).toBeGreaterThan(30);
    expect(signals.reduce((sum, { kills }) => sum + kills, 0)).toBe(9);
  });
});
