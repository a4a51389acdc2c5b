// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeSample } from '../sample/make-sample.ts';
import { assetOfSample } from './asset-of-sample.ts';
import { benchCase } from './bench-decompose.ts';
import { findDataFolder, listDecomposeCases } from './bench-decompose-cases.ts';

describe('the decompose suite', () => {
  it('measures the written file, and when an error was passed', async () => {
    const asset = assetOfSample(makeSample('bar-bend', { resolution: 300, frames: 10 }));
    const opened = { input: { input: 'bar', asset, paths: [] }, clips: asset.clips, bones: 6 };
    const one = { name: 'bar', transforms: 'rigid', atMost: 1, passing: [1000, 1e-12] } as const;
    const row = await benchCase(one, opened, { seed: 0, threads: 1 });
    expect(row.case).toBe('bar');
    expect(row.timings.solve).toMatchObject({ runs: 1, least: row.timings.solve.mean });
    expect(row.timings.solve.least).toBeGreaterThan(0);
    expect(row.figures).toMatchObject({ bones: 6, atMost: 1 });
    expect(row.figures!.eRms).toBeLessThan(1);
    expect(row.figures!.kilobytes).toBeGreaterThan(1);
    expect(row.figures!.secondsTo1000).toBeLessThanOrEqual(row.timings.solve.least / 1000);
    expect(Object.keys(row.figures!)).not.toContain('secondsTo1e-12');
  });

  it('has generated cases without any data, and its quick ones are few', () => {
    const cases = listDecomposeCases(findDataFolder({ OSSIFY_DATA: '/nowhere' }));
    expect(cases.filter(({ name }) => name.startsWith('creature'))).toHaveLength(5);
    expect(cases.filter(({ isQuick }) => isQuick).length).toBeLessThan(cases.length / 2);
    for (const { twiceOf } of cases)
      if (twiceOf !== undefined) expect(cases.map(({ name }) => name)).toContain(twiceOf);
  });
});
