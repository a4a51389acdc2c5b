// SPDX-License-Identifier: MIT
// For tests: one build of the studio and one browser, and pages that remember what went wrong on them.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { build } from 'vite';
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
  const configs = ['studio/vite.config.ts', 'studio/vite.viewer.config.ts'];
  for (const config of configs) await build({ configFile: join(ROOT, config), build: { outDir: folder } });
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
