// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { captureCli } from '../../../src/hosts/cli/index.ts';

describe('bench sma', () => {
  it('measures what the paper plots, on a generated animal', async () => {
    const { status, out, err } = await captureCli(['bench', 'sma', '--quick', '--json', '--threads', '1']);
    expect(status, err).toBe(0);
    const rows: { case: string; figures: Record<string, number> }[] = JSON.parse(out).result.suites.sma;
    const of = (words: string) => rows.find((row) => row.case.endsWith(words))?.figures ?? {};
    const [first] = rows;
    expect(first.figures.eta).toBeGreaterThan(0.5);
    expect(first.figures.frameBytesStreamed).toBeGreaterThan(10 * first.figures.frameBytesSkinned);
    expect(first.figures.compressRigid).toBeGreaterThan(first.figures.compressAffine);
    for (const kind of ['rigid', 'affine']) {
      const [nnls, tsvd] = [of(`${kind}, nnls`), of(`${kind}, tsvd`)];
      expect(tsvd.distortion).toBeLessThan(nnls.distortion);
      expect([nnls.weightAt0, tsvd.weightAt0 < 0]).toEqual([0, true]);
      for (const figures of [nnls, tsvd]) {
        expect(figures.distortionRank5).toBeLessThan(figures.distortion);
        expect(figures.distortionRank10).toBeLessThan(figures.distortionRank5);
      }
    }
    // one bone needs many more components for the same
    expect(of('one bone (PCA)').distortionRank5).toBeGreaterThan(3 * of('affine, nnls').distortionRank5);
  });
});
