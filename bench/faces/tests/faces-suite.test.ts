// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { captureCli } from '../../../src/hosts/cli/index.ts';

describe('bench faces', () => {
  it('measures errors, memory and time of a generated face', async () => {
    const { status, out, err } = await captureCli(['bench', 'faces', '--quick', '--json', '--threads', '1']);
    expect(status, err).toBe(0);
    const [row] = JSON.parse(out).result.suites.faces as { figures: Record<string, number> }[];
    expect(row.figures.rmsMm).toBeGreaterThan(0);
    expect(row.figures.rmsMm).toBeLessThan(2);
    expect(row.figures.drivenToFree).toBeGreaterThan(0);
    expect(row.figures.morphToModelBytes).toBeGreaterThan(1);
  });
});
