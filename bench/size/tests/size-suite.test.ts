// SPDX-License-Identifier: MIT
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeSample } from '../../../src/entry/sample.ts';
import { captureCli } from '../../../src/hosts/cli/index.ts';
import { SIZE_METHODS } from '../size-methods.ts';
import { makeVertexTexture } from '../vertex-texture.ts';

describe('the size suite', () => {
  it('measures every method on a generated clip, and writes a page with plots', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ossify-page-'));
    const page = join(folder, 'size.md');
    const { status, out, err } = await captureCli([
      'bench',
      'size',
      '--quick',
      '--page',
      page,
      '--json',
      '--threads',
      '1',
    ]);
    expect(status, err).toBe(0);
    const rows: { case: string; figures: Record<string, number> }[] = JSON.parse(out).result.suites.size;
    const kilobytesOf = (method: string) =>
      rows.find((row) => row.case === `quadruped, ${method}` || row.case === `quadruped, ${method}, 4 %`)?.figures
        .kilobytes;
    for (const method of Object.values(SIZE_METHODS)) expect(kilobytesOf(method), method).toBeGreaterThan(0);
    const { small, plain, morphs, pca } = SIZE_METHODS;
    expect(kilobytesOf(small)).toBeLessThan(kilobytesOf(plain)!);
    expect(kilobytesOf(small)).toBeLessThan(kilobytesOf(morphs)!);
    for (const method of [small, SIZE_METHODS.compact, pca])
      expect(rows.find((row) => row.case === `quadruped, ${method}, 4 %`)?.figures.distortion).toBeLessThan(4.01);
    const text = await readFile(page, 'utf8');
    for (const method of [small, plain, morphs, pca]) expect(text).toContain(`| ${method} | `);
    expect(text).toContain('## The codec');
    const { compact } = SIZE_METHODS;
    expect(kilobytesOf(compact)).toBeLessThan(0.7 * kilobytesOf(small)!);
    expect(rows.find((row) => row.case === `quadruped, ${compact}, 4 %`)?.figures.decodeMilliseconds).toBeGreaterThan(
      0,
    );
    expect(await readFile(join(folder, 'images', 'size-quadruped.svg'), 'utf8')).toMatch(/^<svg/);
    await rm(folder, { recursive: true });
  });

  it('rounds textures to their bits', () => {
    const { clip } = makeSample('bar-bend', { resolution: 200, frames: 4 });
    const largest = (bits: 8 | 16) => {
      const { decoded } = makeVertexTexture(clip, bits);
      return decoded.positions.reduce((most, x, n) => Math.max(most, Math.abs(x - clip.positions[n])), 0);
    };
    const size = Math.max(...clip.positions) - Math.min(...clip.positions);
    expect(largest(8)).toBeLessThan(size / 500);
    expect(largest(16)).toBeLessThan(size / 100_000);
    const vertexCount = clip.mesh.positions.length / 3;
    expect(makeVertexTexture(clip, 16).byteLength).toBe(vertexCount * clip.times.length * 8);
  });
});
