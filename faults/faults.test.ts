// SPDX-License-Identifier: MIT
// The small setting of `npm run faults`: every write of two commands fails in every way, and a few processes are killed.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const at = (...names: string[]) => join(ROOT, ...names);

describe.skipIf(process.platform === 'win32')('faults while files are written', () => {
  let folder = '';
  beforeAll(() => {
    mkdirSync(at('tmp'), { recursive: true });
    folder = mkdtempSync(at('tmp/faults-'));
    const compiler = at('node_modules/typescript/bin/tsc');
    const line = [
      compiler,
      '-p',
      at('tsconfig.build.json'),
      '--outDir',
      join(folder, 'dist'),
      '--declaration',
      'false',
    ];
    execFileSync(process.execPath, line);
    copyFileSync(at('package.json'), join(folder, 'package.json'));
    for (const name of readdirSync(at('src/core/compute')).filter((one) => one.endsWith('.wasm')))
      copyFileSync(at('src/core/compute', name), join(folder, 'dist/core/compute', name));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('leave the old or the new file, whole, and nothing else after the next run', () => {
    const small = ['--errors', 'info,sample', '--kills', '9', '--commands', 'decompose', '--json'];
    const line = [at('faults/run-faults.mjs'), '--dist', join(folder, 'dist'), ...small];
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
