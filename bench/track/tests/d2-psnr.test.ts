// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { captureCli } from '../../../src/hosts/cli/index.ts';
import { d2Psnr } from '../d2-psnr.ts';

/** A square of n x n vertices at height z. */
function makeSheet(n: number, z: number) {
  const positions = Float32Array.from({ length: 3 * n * n }, (_, c) => {
    const i = Math.floor(c / 3);
    return [(i % n) / (n - 1), Math.floor(i / n) / (n - 1), z][c % 3];
  });
  const triangles: number[] = [];
  for (let y = 0; y + 1 < n; y++)
    for (let x = 0; x + 1 < n; x++) {
      const a = y * n + x;
      triangles.push(a, a + 1, a + n, a + 1, a + n + 1, a + n);
    }
  return { positions, triangles: Uint32Array.from(triangles) };
}

describe('D2-PSNR', () => {
  it('is the squared distance along normals, relative to the diagonal of the sampled mesh', () => {
    const { fromOriginal, fromDecoded, psnr } = d2Psnr(makeSheet(5, 0), makeSheet(5, 0.01));
    const expected = 20 * Math.log10(Math.SQRT2 / 0.01);
    for (const value of [fromOriginal, fromDecoded, psnr]) expect(value).toBeCloseTo(expected, 4);
  });

  it('ignores distances along the surface, as between vertices of a coarse and a fine mesh', () => {
    expect(d2Psnr(makeSheet(9, 0), makeSheet(4, 0)).psnr).toBe(Number.POSITIVE_INFINITY);
  });

  it('counts the better direction: vertices that only one mesh has do not lower it', () => {
    const sheet = makeSheet(5, 0);
    const [first] = [sheet.positions.length / 3];
    const spike = { ...sheet, positions: Float32Array.from([...sheet.positions, 0.5, 0.5, 1]) };
    const { fromOriginal, fromDecoded, psnr } = d2Psnr(spike, sheet);
    expect(fromOriginal).toBeCloseTo(20 * Math.log10(Math.sqrt(3)) + 10 * Math.log10(first + 1), 4);
    expect([fromDecoded, psnr]).toEqual([Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]);
  });

  it('is measured by the scans suite, beside the bit rate', async () => {
    const { status, out, err } = await captureCli(['bench', 'scans', '--quick', '--json', '--threads', '1']);
    expect(status, err).toBe(0);
    const [{ figures }] = JSON.parse(out).result.suites.scans;
    expect(figures.d2Psnr).toBeGreaterThan(55);
    expect(figures.d2Psnr).toBeGreaterThanOrEqual(Math.max(figures.d2FromOriginal, figures.d2FromDecoded));
    expect(figures.megabitsPerSecond).toBeCloseTo((8 * figures.kilobytes * 30) / 3 / 1000, 6);
    expect(figures.rmsPercent).toBeLessThanOrEqual(0.1);
  });
});
