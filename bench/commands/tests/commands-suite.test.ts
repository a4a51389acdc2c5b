// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { captureCli } from '../../../src/hosts/cli/index.ts';
import type { BenchRow } from '../../shared/bench-suite.ts';
import { listCommands } from '../commands-suite.ts';

describe('bench commands', () => {
  it('measures a command on generated data', async () => {
    const { status, out, err } = await captureCli(['bench', 'commands', '--quick', '--only', 'reduce', '--json']);
    expect(status, err).toBe(0);
    const rows: BenchRow[] = JSON.parse(out).result.suites.commands;
    expect(rows.map((row) => row.case)).toEqual(['reduce, small']);
    const { cpuSeconds, megabytes, kernelRuns, ...shares } = rows[0].figures ?? {};
    for (const figure of [cpuSeconds, megabytes, kernelRuns]) expect(figure).toBeGreaterThan(0);
    for (const share of Object.values(shares)) {
      expect(share).toBeGreaterThanOrEqual(0);
      expect(share).toBeLessThanOrEqual(100);
    }
  });

  it('has a line for every command that works on characters and clips', () => {
    const named = Object.values(listCommands('folder')).map(([command]) => command);
    expect(named).toEqual(Object.keys(listCommands('folder')));
    expect(new Set(named).size).toBe(named.length);
  });
});
