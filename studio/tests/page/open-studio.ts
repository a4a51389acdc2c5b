// SPDX-License-Identifier: MIT
// For tests: one build of the studio and one browser, and pages that remember what went wrong on them.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, ConsoleMessage, Page } from 'playwright-core';
import { launchBrowser } from '../../../scripts/launch-browser.ts';
import { startViewServer } from '../../../src/hosts/cli/server/view-server.ts';

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
  /** A page of its own, for tests that measure it, listen to it or change more of it than its size. Default: it may be the one that was closed last. */
  isAlone?: boolean;
}

export interface OpenStudio {
  /** Where the static files are. */
  folder: string;
  /** Where they are served, without inputs. */
  url: string;
  browser: Browser;
  /** Opens a page; `complaints` are errors of scripts and of the console. */
  openPage(url: string, settings?: PageSettings): Promise<{ page: Page; complaints: string[] }>;
  /** Closes a page, or keeps it empty for the next test: its process has compiled the scripts. */
  closePage(page: Page): Promise<void>;
  close(): Promise<void>;
}

const SCALE = 0.25;
/** Models stand still until a test plays them. */
const LOOK: BrowserContextOptions = { locale: 'en-US', reducedMotion: 'reduce' };
/** All that a page can leave behind for the next one. */
const STORED = 'cookies,file_systems,indexeddb,local_storage,cache_storage,service_workers';

export async function openStudio(): Promise<OpenStudio> {
  mkdirSync(join(ROOT, 'tmp'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, 'tmp', 'studio-'));
  if (isBuilt()) cpSync(join(ROOT, 'dist/studio'), folder, { recursive: true });
  else await buildStudio(folder);
  const own = await launchBrowser({}, FLAGS);
  const server = await startViewServer(folder, []);
  const shared = await own.newContext({ ...LOOK, deviceScaleFactor: SCALE });
  await shared.addInitScript(disableSmoothing);
  /** Pages that are open in the shared context, and what ends their complaints. */
  const used = new Map<Page, () => void>();
  let idle: Page | undefined;

  const takePage = async (): Promise<Page> => {
    const page = idle ?? (await shared.newPage());
    idle = undefined;
    return page;
  };
  return {
    folder,
    url: server.url,
    browser: own,
    async openPage(url, { width = 1280, height = 720, scale = SCALE, browser = own, isAlone = false } = {}) {
      const viewport = { width, height };
      let page: Page;
      if (isAlone || scale !== SCALE || browser !== own) {
        page = await browser.newPage({ ...LOOK, viewport, deviceScaleFactor: scale });
        await page.addInitScript(disableSmoothing);
      } else {
        page = await takePage();
        await page.setViewportSize(viewport);
      }
      page.setDefaultTimeout(90_000);
      const complaints: string[] = [];
      const addError = (error: Error): void => void complaints.push(error.message);
      const addMessage = (message: ConsoleMessage): void => {
        // a software renderer says that it is slow
        if (message.type() === 'error' || (message.type() === 'warning' && !message.text().includes('GPU stall')))
          complaints.push(message.text());
      };
      page.on('pageerror', addError);
      page.on('console', addMessage);
      if (page.context() === shared)
        used.set(page, () => {
          page.off('pageerror', addError);
          page.off('console', addMessage);
        });
      await page.goto(url);
      await page.waitForFunction('globalThis.ossifyStudio');
      return { page, complaints };
    },
    async closePage(page) {
      const endComplaints = used.get(page);
      used.delete(page);
      endComplaints?.();
      if (!endComplaints || idle) return page.close();
      // a file of the same server that runs nothing: the process stays, the studio and its workers end
      await page.goto(new URL('session.json', page.url()).href);
      await page.evaluate(() => sessionStorage.clear());
      const session = await shared.newCDPSession(page);
      await session.send('Storage.clearDataForOrigin', { origin: new URL(page.url()).origin, storageTypes: STORED });
      await session.detach();
      idle = page;
    },
    async close() {
      await own.close();
      await server.close();
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
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => !/(^|[\\/])tests([\\/]|$)/.test(name))
      .map((name) => join(folder, name)),
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
