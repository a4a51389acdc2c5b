// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { captureCli } from '../../../src/hosts/cli/index.ts';

describe('bench collide', () => {
  it('finds what brute force and the peer find, on a generated animal', async () => {
    const { status, out, err } = await captureCli(['bench', 'collide', '--quick', '--json', '--threads', '1']);
    expect(status, err).toBe(0);
    const rows: { case: string; timings: object; figures: Record<string, number> }[] =
      JSON.parse(out).result.suites.collide;
    const of = (name: string) => rows.find((row) => row.case.endsWith(name))!;
    const random = of('random poses').figures;
    expect([random.falseNegatives, random.falsePositives]).toEqual([0, 0]);
    expect(random.touching).toBeGreaterThan(5);
    expect(random.sphereTestRatio).toBeLessThan(0.05);
    const touching = of('just touching').figures;
    expect(touching.trianglePairs).toBeGreaterThan(0);
    expect(touching.peerPairs).toBeCloseTo(touching.trianglePairs, 0);
    expect(Object.keys(of('queries').timings)).toEqual(['build', 'contacts', 'distance', 'raycast']);
  });
});
