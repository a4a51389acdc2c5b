// SPDX-License-Identifier: MIT
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { describe, expect, it } from 'vitest';
import { hasBrowser, launchBrowser, serveFolder } from '../../../../scripts/launch-browser.ts';
import { frameCountOf } from '../../../core/model/clip/clip.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { decompose } from '../decompose.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const SAMPLE = { resolution: 300, frames: 6 };

describe('decompose', () => {
  it('gives one skin and a motion per clip for several clips of one mesh', async () => {
    const { clip } = makeSample('quadruped', { resolution: 400, frames: 10 });
    const stride = clip.mesh.positions.length;
    const part = (name: string, from: number, to: number) => ({
      kind: 'clip' as const,
      name,
      mesh: clip.mesh,
      positions: clip.positions.slice(from * stride, to * stride),
      times: clip.times.slice(from, to),
    });
    const clips = [part('a', 0, 4), part('b', 4, 10)];
    const { model } = await decompose(clips, { bones: 6, iterations: 2, threads: 1 });
    expect(model.motions.map((m) => [m.name, m.times.length])).toEqual([
      ['a', 4],
      ['b', 6],
    ]);
    const whole = await decompose(clip, { bones: 6, iterations: 2, threads: 1 });
    expect(frameCountOf(clip)).toBe(10);
    const joined = [...model.motions[0].matrices, ...model.motions[1].matrices];
    expect(joined).toEqual([...whole.model.motions[0].matrices]);
  });

  it('refuses clips of different meshes', async () => {
    const a = makeSample('sheet', { resolution: 200, frames: 2 }).clip;
    const b = makeSample('sheet', { resolution: 400, frames: 2 }).clip;
    await expect(decompose([a, b], { bones: 2 })).rejects.toThrow('vertices');
    await expect(decompose([], { bones: 2 })).rejects.toThrow('no clip given');
  });

  it.skipIf(!hasBrowser)('gives the bytes of Node in a browser, with and without threads', async () => {
    mkdirSync(join(ROOT, 'tmp'), { recursive: true });
    const folder = mkdtempSync(join(ROOT, 'tmp', 'decompose-'));
    const page = `
      import { decompose } from '${ROOT}src/jobs/decompose/decompose.ts';
      import { makeSample } from '${ROOT}src/samples/make-sample.ts';
      globalThis.solve = async (threads) => {
        const { clip } = makeSample('quadruped', ${JSON.stringify(SAMPLE)});
        const { model } = await decompose(clip, { bones: 5, iterations: 2, threads });
        const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', model.motions[0].matrices.buffer));
        return [...digest].map((b) => b.toString(16).padStart(2, '0')).join('');
      };`;
    writeFileSync(join(folder, 'page.ts'), page);
    writeFileSync(join(folder, 'index.html'), '<!doctype html><script type="module" src="./page.ts"></script>');
    await build({ root: folder, logLevel: 'error', build: { outDir: join(folder, 'dist'), assetsInlineLimit: 0 } });
    const { model } = await decompose(makeSample('quadruped', SAMPLE).clip, { bones: 5, iterations: 2, threads: 2 });
    const expected = createHash('sha256').update(new Uint8Array(model.motions[0].matrices.buffer)).digest('hex');
    const browser = await launchBrowser();
    const server = await serveFolder(join(folder, 'dist'), true);
    const tab = await browser.newPage();
    await tab.goto(server.url);
    await tab.waitForFunction('globalThis.solve');
    expect(await tab.evaluate('solve(1)')).toBe(expected);
    expect(await tab.evaluate('solve(2)')).toBe(expected);
    await browser.close();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
});
