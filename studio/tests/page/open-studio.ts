// SPDX-License-Identifier: MIT
// For tests: one build of the studio and one browser, and pages that remember what went wrong on them.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../../../scripts/launch-browser.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** The page itself is put together without the software GPU, whose time is proportional to pixels. It cannot show what WebGPU draws. */
const FLAGS = ['--disable-gpu-compositing'];

/** How a page is opened. */
export interface PageSettings {
  width?: number;
  height?: number;
  /** Pixels per CSS pixel. Default 0.25: the software GPU draws a sixteenth of the pixels, and the page is laid out the same. */
  scale?: number;
  /** Default: the browser of all tests. */
  browser?: Browser;
}

export interface OpenStudio {
  /** Where the static files are. */
  folder: string;
  browser: Browser;
  /** Opens a page; `complaints` are errors of scripts and of the console. */
  openPage(url: string, settings?: PageSettings): Promise<{ page: Page; complaints: string[] }>;
  close(): Promise<void>;
}

export async function openStudio(): Promise<OpenStudio> {
  mkdirSync(join(ROOT, 'tmp'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, 'tmp', 'studio-'));
  if (isBuilt()) cpSync(join(ROOT, 'dist/studio'), folder, { recursive: true });
  else await buildStudio(folder);
  const own = await launchBrowser({}, FLAGS);
  return {
    folder,
    browser: own,
    async openPage(url, { width = 1280, height = 720, scale = 0.25, browser = own } = {}) {
      const look = { viewport: { width, height }, deviceScaleFactor: scale } as const;
      // models stand still until a test plays them
      const page = await browser.newPage({ ...look, locale: 'en-US', reducedMotion: 'reduce' });
      await page.addInitScript(disableSmoothing);
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
      await own.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Leaves out the smoothing of edges, for which the software GPU draws every pixel four times; runs in the page. */
function disableSmoothing(): void {
  const prototype = HTMLCanvasElement.prototype;
  prototype.getContext = new Proxy(prototype.getContext, {
    apply: (get, canvas, [kind, settings]) =>
      Reflect.apply(get, canvas, [kind, /^webgl/.test(kind) ? { ...settings, antialias: false } : settings]),
  });
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
  return [...sources, 'package.json', 'package-lock.json', 'scripts/build/studio.mjs'].every(
    (name) => statSync(join(ROOT, name)).mtimeMs < mtimeMs,
  );
}

async function buildStudio(folder: string): Promise<void> {
  const { build } = await import('vite');
  for (const config of ['studio/vite.config.ts', 'studio/vite.viewer.config.ts'])
    await build({ configFile: join(ROOT, config), build: { outDir: folder } });
}
