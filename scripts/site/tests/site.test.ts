// SPDX-License-Identifier: MIT
// The site from a folder of a host: every link leads somewhere, and pages, studio and examples run without a complaint.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listPages as listSources } from '../../../docs/list-pages.ts';
import { launchBrowser, serveFolder } from '../../launch-browser.ts';
import { ADDRESSES } from '../site-pages.mjs';
import { REDIRECTS } from '../site-redirects.mjs';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PREFIX = 'some/sub/path';
const PICTURES = process.env.OSSIFY_PICTURES;
const isBuilt = ['dist/entry/index.js', 'dist/studio/index.html'].every((path) => existsSync(join(ROOT, path)));

const decode = (text: string): string => decodeURIComponent(text.replaceAll('&amp;', '&'));

/** Addresses that a page names, without those of other hosts. */
function listLinks(html: string): string[] {
  const tags = html.match(/<(?:a|img|link|script)\b[^>]*>/g) ?? [];
  const found = tags.flatMap((tag) =>
    [...tag.matchAll(/\s(?:href|src)="([^"]*)"/g)].map(([, target]) => decode(target)),
  );
  return found.filter((target) => !/^(https?:|data:|mailto:)/.test(target));
}

function listIds(html: string): Set<string> {
  return new Set([...html.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => decode(id)));
}

describe.skipIf(!isBuilt)('the site (needs npm run build)', { timeout: 120_000 }, () => {
  let folder = '';
  let site = '';
  let browser: Browser;
  let server: Awaited<ReturnType<typeof serveFolder>>;
  let url = '';

  beforeAll(async () => {
    mkdirSync(join(ROOT, 'tmp'), { recursive: true });
    folder = mkdtempSync(join(ROOT, 'tmp', 'site-'));
    site = join(folder, PREFIX);
    execFileSync(process.execPath, [join(ROOT, 'scripts/site/build-site.mjs'), site], { stdio: 'inherit' });
    server = await serveFolder(folder, false);
    url = `${server.url}${PREFIX}/`;
    // pages are put together without the software GPU
    browser = await launchBrowser({}, ['--disable-gpu-compositing']);
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const openPage = async (
    address: string,
    serviceWorkers: 'allow' | 'block' = 'block',
  ): Promise<{ page: Page; complaints: string[] }> => {
    const size = { width: 1280, height: 800 };
    // the page is laid out the same with a quarter of the pixels
    const deviceScaleFactor = PICTURES ? 1 : 0.5;
    const page = await browser.newPage({ viewport: size, deviceScaleFactor, locale: 'en-US', serviceWorkers });
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.message}`));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(`${page.url()}: ${message.text()}`);
    });
    page.on('response', (response) => {
      if (response.status() >= 400) complaints.push(`${page.url()}: ${response.status()} ${response.url()}`);
    });
    await page.goto(url + address);
    return { page, complaints };
  };

  const listPages = (): string[] =>
    readdirSync(site, { recursive: true, encoding: 'utf8' })
      .map((name) => name.replaceAll('\\', '/'))
      .filter((name) => name.endsWith('.html'));

  it('has a page for every page of the documentation and every example', () => {
    expect([...ADDRESSES.keys()].sort()).toEqual(listSources());
    expect(new Set(ADDRESSES.values()).size).toBe(ADDRESSES.size);
    const examples = readdirSync(join(ROOT, 'examples'));
    expect(listPages()).toEqual(
      expect.arrayContaining([
        ...['studio/index.html', 'api/index.html'],
        ...ADDRESSES.values(),
        ...examples.map((name) => `examples/${name}/index.html`),
      ]),
    );
  });

  it('leads from every old address and anchor to a page and a heading that exist', async () => {
    const faults: string[] = [];
    for (const { from, to, anchors } of REDIRECTS) {
      for (const target of [to, ...Object.values(anchors ?? {})]) {
        const [source, anchor] = target.split('#');
        const address = ADDRESSES.get(source);
        if (!address) faults.push(`${from}: ${source} is not on the site`);
        else if (anchor && !listIds(readFileSync(join(site, address), 'utf8')).has(anchor))
          faults.push(`${from}: ${target} has no such heading`);
      }
    }
    expect(faults).toEqual([]);
    for (const [old, now] of [
      ['docs/track.html#limits', 'docs/methods/track.html#limits'],
      ['docs/track.html#touching-parts', 'docs/benchmarks/track.html#touching-parts'],
    ]) {
      const { page, complaints } = await openPage(old);
      await page.waitForURL(url + now);
      await page.close();
      expect(complaints).toEqual([]);
    }
  });

  it('has no link that leads nowhere, outside its folder, or to a heading that does not exist', () => {
    const pages = listPages();
    expect(pages.length).toBeGreaterThan(300);
    const htmls = new Map(pages.map((name) => [name, readFileSync(join(site, name), 'utf8')]));
    const ids = new Map([...htmls].map(([name, html]) => [name, listIds(html)]));
    const faults = new Set<string>();
    for (const [name, html] of htmls) {
      for (const link of listLinks(html)) {
        const [path, anchor] = link.split('#');
        const target = path === '' ? name : posix.join(dirname(name), path);
        if (link.startsWith('/') || target.startsWith('..')) faults.add(`${name}: ${link} leaves the site`);
        else if (!existsSync(join(site, target))) faults.add(`${name}: ${link} does not exist`);
        else if (anchor && ids.get(target)?.has(anchor) === false) faults.add(`${name}: ${link} has no such heading`);
      }
    }
    expect([...faults]).toEqual([]);
  });

  it('shows every page and its pictures without a complaint', async () => {
    const plain = [...ADDRESSES.values()];
    const { page, complaints } = await openPage('index.html');
    for (const address of [...plain, 'api/index.html', 'api/functions/ossify.decompose.html']) {
      await page.goto(url + address);
      const broken = await page.evaluate(async () => {
        const images = [...document.images];
        for (const image of images) image.loading = 'eager';
        await Promise.allSettled(images.map((image) => image.decode()));
        return images.filter((image) => image.naturalWidth === 0).map((image) => image.src);
      });
      complaints.push(...broken.map((src) => `${address}: ${src} is no picture`));
    }
    await page.close();
    expect(complaints).toEqual([]);
  });

  it('opens with a moving picture, three lines to paste, and a table of commands', async () => {
    const { page, complaints } = await openPage('index.html');
    const { src, code, rows } = await page.evaluate(() => ({
      src: document.querySelector('main img')?.getAttribute('src') ?? '',
      code: document.querySelector('main pre')?.textContent ?? '',
      rows: document.querySelectorAll('main table')[0]?.querySelectorAll('tbody tr').length,
    }));
    await page.close();
    expect(complaints).toEqual([]);
    const picture = readFileSync(join(site, src));
    expect(picture.includes('acTL')).toBe(true);
    expect(picture.length).toBeLessThan(300_000);
    expect(code.trim().split('\n').length).toBe(3);
    expect(rows).toBeGreaterThan(5);
  });

  it('runs the studio, on one thread where service workers are off and on several where they are on', async () => {
    for (const serviceWorkers of ['block', 'allow'] as const) {
      const { page, complaints } = await openPage('studio/index.html', serviceWorkers);
      const isIsolated = serviceWorkers === 'allow';
      await page.waitForFunction(
        (wanted) => 'ossifyStudio' in globalThis && crossOriginIsolated === wanted,
        isIsolated,
        { timeout: 60_000 },
      );
      await page.close();
      expect(complaints).toEqual([]);
    }
  });

  it('runs an example', async () => {
    const { page, complaints } = await openPage('examples/02-three-load/index.html');
    await page.waitForFunction('Number(document.body.dataset.frames) >= 2', undefined, { timeout: 100_000 });
    await page.close();
    expect(complaints).toEqual([]);
  });

  it.skipIf(!PICTURES)('is photographed, light and dark', async () => {
    for (const address of [
      'index.html',
      'docs/reference/cli.html',
      'docs/methods/mush.html',
      'api/functions/ossify.decompose.html',
    ])
      for (const colorScheme of ['light', 'dark'] as const) {
        const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, colorScheme });
        await page.goto(url + address, { waitUntil: 'networkidle' });
        await page.screenshot({ path: join(PICTURES!, `${posix.basename(address, '.html')}-${colorScheme}.png`) });
        await page.setViewportSize({ width: 390, height: 800 });
        await page.screenshot({
          path: join(PICTURES!, `${posix.basename(address, '.html')}-${colorScheme}-narrow.png`),
        });
        await page.close();
      }
  });
});
