// SPDX-License-Identifier: MIT
// Small settings of `npm run faults:batch`: 40 jobs of two batches, and a few faults of every kind.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { compileLibrary } from '../scripts/build/compile-library.ts';
import { hasRedis } from '../scripts/start-redis.mjs';

const SCRIPT = fileURLToPath(new URL('batch-chaos.mjs', import.meta.url));

describe.skipIf(process.platform !== 'linux')('two batches whose processes are killed', { timeout: 180_000 }, () => {
  it.skipIf(!hasRedis)('in a queue lose nothing and record nothing twice, for two folders', () => {
    attack('queue', 'kill,restart,flush,clock,version', ['--folders', '2']);
  });
  it('on one folder of one machine lose nothing and record nothing twice', () => attack('pool', 'kill,clock'));
});

function attack(mode: string, faults: string, more: string[] = []): void {
  const small = { mode, faults, clips: 40, workers: 2, interval: 1, kills: 3, 'stalled-after': 1 };
  const words = Object.entries(small).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const line = [SCRIPT, ...words, ...more, '--dist', compileLibrary(), '--json'];
  const { stdout, stderr } = spawnSync(process.execPath, line, { encoding: 'utf8' });
  expect(stderr).toBe('');
  const result = JSON.parse(stdout) as { finished: number; folders: number; defects: string[] };
  expect(result.defects).toEqual([]);
  expect(result.finished).toBe(40 * result.folders);
}
