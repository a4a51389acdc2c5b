// SPDX-License-Identifier: MIT
// For tests: one build of the studio and one browser, and pages that remember what went wrong on them.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../scripts/launch-browser.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

export interface OpenStudio {
  /** Where the static files are. */
  folder: string;
  browser: Browser;
  /** Opens a page; `complaints` are errors of scripts and of the console. */
  openPage(url: string, size?: { width: number; height: number }): Promise<{ page: Page; complaints: string[] }>;
  close(): Promise<void>;
}

export async function openStudio(): Promise<OpenStudio> {
  mkdirSync(join(ROOT, 'tmp'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, 'tmp', 'studio-'));
  if (isBuilt()) cpSync(join(ROOT, 'dist/studio'), folder, { recursive: true });
  else await buildStudio(folder);
  const browser = await launchBrowser();
  return {
    folder,
    browser,
    async openPage(url, size = { width: 1280, height: 720 }) {
      // models stand still until a test plays them
      const page = await browser.newPage({ viewport: size, locale: 'en-US', reducedMotion: 'reduce' });
      page.setDefaultTimeout(90_000);
      const complaints: string[] = [];
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('console', (message) => {
        // a software renderer says that it is slow
        if (message.type() === 'error' || (message.type() === 'warning' && !message.text().includes('GPU stall')))
          complaints.push(message.text());
      });
      await page.goto(url);
      await page.waitForFunction('globalThis.ossifyStudio');
      return { page, complaints };
    },
    async close() {
      await browser.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Whether `npm run build` has made the studio of the present sources. */
function isBuilt(): boolean {
  // written last
  const last = join(ROOT, 'dist/studio/NOTICES.txt');
  if (!existsSync(last)) return false;
  const { mtimeMs } = statSync(last);
  const sources = ['src', 'studio'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  return [...sources, 'package.json', 'package-lock.json', 'scripts/build-studio.mjs'].every(
    (name) => statSync(join(ROOT, name)).mtimeMs < mtimeMs,
  );
}

async function buildStudio(folder: string): Promise<void> {
  const { build } = await import('vite');
  for (const config of ['studio/vite.config.ts', 'studio/vite.viewer.config.ts'])
    await build({ configFile: join(ROOT, config), build: { outDir: folder } });
}
