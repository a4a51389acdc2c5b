// SPDX-License-Identifier: MIT
// The example page in a real browser, through a real bundler.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser, serveFolder } from '../../../../scripts/launch-browser.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

describe('examples/01-gpu-crowd', () => {
  let browser: Browser;
  let folder: string;
  beforeAll(async () => {
    mkdirSync(join(ROOT, 'tmp'), { recursive: true });
    folder = mkdtempSync(join(ROOT, 'tmp', 'example-'));
    const alias = [
      { find: 'ossify/gpu', replacement: join(ROOT, 'src/entry/gpu.ts') },
      { find: 'ossify/sample', replacement: join(ROOT, 'src/entry/sample.ts') },
      { find: /^ossify$/, replacement: join(ROOT, 'src/entry/index.ts') },
    ];
    await build({
      root: join(ROOT, 'examples/01-gpu-crowd'),
      logLevel: 'error',
      resolve: { alias },
      build: { outDir: folder, target: 'esnext' },
    });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('draws animals that move', async () => {
    const server = await serveFolder(folder, false);
    const page = await browser.newPage({ viewport: { width: 640, height: 360 } });
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
    await page.goto(`${server.url}?count=${process.env.OSSIFY_PICTURES ? 36 : 9}`);
    const shoot = async (frames: number): Promise<Buffer> => {
      await page.waitForFunction(`Number(document.body.dataset.frames) >= ${frames}`, undefined, { timeout: 40_000 });
      return page.screenshot();
    };
    const first = await shoot(2);
    const second = await shoot(Number(await page.evaluate('document.body.dataset.frames')) + 2);
    if (process.env.OSSIFY_PICTURES) writeFileSync(join(process.env.OSSIFY_PICTURES, 'gpu-crowd.png'), second);
    expect(faults.filter((fault) => !fault.includes('404'))).toEqual([]);
    // an empty canvas makes a picture of some 5 kB
    expect(second.length).toBeGreaterThan(12_000);
    expect(first.equals(second)).toBe(false);
    await page.close();
    server.close();
  });
});
