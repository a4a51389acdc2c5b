// SPDX-License-Identifier: MIT
// The small setting of `npm run faults:batch`: 40 jobs, two kills, one restart of Redis.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { compileLibrary } from '../scripts/compile-library.ts';
import { hasRedis } from '../scripts/start-redis.mjs';

const SCRIPT = fileURLToPath(new URL('batch-chaos.mjs', import.meta.url));

describe.skipIf(process.platform !== 'linux')('a batch whose processes are killed', { timeout: 180_000 }, () => {
  it.skipIf(!hasRedis).each(['queue'])('in a queue loses and repeats nothing', attack);
  it.each(['pool'])('on one machine loses and repeats nothing', attack);
});

function attack(mode: string): void {
  const small = [
    '--clips',
    '40',
    '--workers',
    '2',
    '--interval',
    '2',
    '--kills',
    '2',
    '--restarts',
    '1',
    '--stalled-after',
    '1',
  ];
  const line = [SCRIPT, '--mode', mode, ...small, '--dist', compileLibrary(), '--json'];
  const { stdout, stderr } = spawnSync(process.execPath, line, { encoding: 'utf8' });
  expect(stderr).toBe('');
  const result = JSON.parse(stdout) as { finished: number; defects: string[] };
  expect(result.defects).toEqual([]);
  expect(result.finished).toBe(40);
}
