// SPDX-License-Identifier: MIT
// The examples of three.js in a real browser, through a real bundler.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser, serveFolder } from '../../../../scripts/launch-browser.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const EXAMPLES = join(ROOT, 'examples');
const PICTURES = process.env.OSSIFY_PICTURES;
/** Pictures for the docs are larger than a test needs. */
const SIZE = PICTURES ? { width: 960, height: 540 } : { width: 240, height: 160 };

describe('examples of three.js', () => {
  let browser: Browser;
  let folder: string;
  let server: Awaited<ReturnType<typeof serveFolder>>;
  beforeAll(async () => {
    mkdirSync(join(ROOT, 'tmp'), { recursive: true });
    folder = mkdtempSync(join(ROOT, 'tmp', 'examples-'));
    const doors = ['collide', 'three', 'gpu', 'sample'].map((door) => ({
      find: `ossify/${door}`,
      replacement: join(ROOT, `src/entry/${door}.ts`),
    }));
    const alias = [...doors, { find: /^ossify$/, replacement: join(ROOT, 'src/entry/index.ts') }];
    // one build of all pages: they share most of their code
    const input = ['02-three-load', '03-three-delta-mush', '04-three-crowd', '05-collide'].map((name) =>
      join(EXAMPLES, name, 'index.html'),
    );
    await build({
      root: EXAMPLES,
      base: '/',
      logLevel: 'error',
      resolve: { alias },
      worker: { format: 'es' },
      build: {
        ...{ outDir: folder, target: 'esnext', minify: false, chunkSizeWarningLimit: 10_000 },
        rolldownOptions: { input },
      },
    });
    server = await serveFolder(folder, false);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    { name: '02-three-load', query: '' },
    { name: '03-three-delta-mush', query: PICTURES ? '?time=0.85' : '' },
    { name: '04-three-crowd', query: `?count=${PICTURES ? 225 : 16}` },
    { name: '05-collide', query: PICTURES ? '?steps=150' : '?count=8&resolution=300' },
  ])('$name draws what moves, without a complaint', { timeout: 120_000 }, async ({ name, query }) => {
    const page = await browser.newPage({ viewport: SIZE });
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
    });
    await page.goto(`${server.url}${name}/index.html${query}`);
    const shoot = async (frames: number): Promise<Buffer> => {
      await page.waitForFunction(`Number(document.body.dataset.frames) >= ${frames}`, undefined, { timeout: 100_000 });
      return page.screenshot();
    };
    const first = await shoot(2).catch(() => Buffer.alloc(0));
    expect(complaints).toEqual([]);
    const second = await shoot(Number(await page.evaluate('document.body.dataset.frames')) + 2);
    if (PICTURES) writeFileSync(join(PICTURES, `${name.slice(3)}.png`), second);
    // an empty canvas makes a picture of some 2 kB
    expect(second.length).toBeGreaterThan(4000);
    if (!query.includes('time')) expect(first.equals(second)).toBe(false);
    await page.close();
  });

  it('have at most 150 lines, and import public doors alone', () => {
    for (const name of readdirSync(EXAMPLES)) {
      for (const file of readdirSync(join(EXAMPLES, name)).filter((one) => one.endsWith('.js'))) {
        const text = readFileSync(join(EXAMPLES, name, file), 'utf8');
        expect(text.split('\n').length, `${name}/${file}`).toBeLessThanOrEqual(150);
        for (const [, target] of text.matchAll(/from '([^']+)'/g))
          expect(target, `${name}/${file}`).toMatch(/^((ossify|three)(\/|$)|@dimforge\/rapier3d-compat$|\.\/)/);
      }
    }
  });
});
