// SPDX-License-Identifier: MIT
// Working with the studio: jobs that are measured and stopped, versions, undo, projects, menus, fields and files that cannot be read.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchBrowser } from '../../scripts/launch-browser.ts';
import type { Studio } from '../src/state/studio.ts';
import type { Viewport } from '../src/viewport/viewport.ts';
import type { OpenStudio } from './page/open-studio.ts';
import { settlePage } from './page/settle-page.ts';

declare const ossifyStudio: { studio: Studio; viewport: Viewport; open(files: File[]): Promise<void> };

/** Whether the browser has stored work that was changed at a time; runs in the page. */
async function isStored(since: number): Promise<boolean> {
  const wait = <T>(request: IDBRequest<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  if (!(await indexedDB.databases()).some(({ name }) => name === 'ossify-studio')) return false;
  const database = await wait(indexedDB.open('ossify-studio'));
  const recent: { time: number }[] = await wait(database.transaction('recent').objectStore('recent').getAll());
  database.close();
  return recent.some(({ time }) => time >= since);
}

/** Jobs, versions, undo, projects, menus, fields and faults. */
export function describeWork(studio: () => OpenStudio): void {
  let open: OpenStudio;
  let folder = '';
  beforeAll(() => {
    open = studio();
    folder = mkdtempSync(join(tmpdir(), 'ossify-work-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const toastsOf = (page: Page): Promise<string[]> => page.locator('.toast span').allTextContents();
  const run = (page: Page, job: string, values: Record<string, number>): Promise<void> =>
    page.evaluate(
      async ([name, given]) => {
        const { studio } = ossifyStudio;
        await studio.run(studio.state.reference, name, given);
      },
      [job, values] as [string, Record<string, number>],
    );

  it('measures as part of the bar, and stops at once while it measures', async () => {
    const { page, complaints } = await open.openPage(open.url);
    const seen = await page.evaluate(async () => {
      const { studio } = ossifyStudio;
      await studio.openSample('creature', { resolution: 600, frames: 24 });
      const marks: { phase: string; fraction: number }[] = [];
      studio.on(['job'], () => studio.job && marks.push({ ...studio.job.progress }));
      await studio.run(0, 'compress', { virtualBones: 12, iterations: 2 });
      return marks;
    });
    const fractions = seen.map(({ fraction }) => fraction);
    expect(fractions).toEqual([...fractions].sort((a, b) => a - b));
    const measuring = seen.filter(({ phase }) => phase === 'measure' || phase.startsWith('compare'));
    expect(new Set(measuring.map(({ fraction }) => fraction.toFixed(3))).size).toBeGreaterThan(3);
    const last = await page.evaluate(async () => {
      const { studio } = ossifyStudio;
      let progress = { phase: '', fraction: 0 };
      studio.on(['job'], () => {
        if (studio.job) progress = studio.job.progress;
        if (progress.phase === 'measure' && !studio.job?.isCancelled) void studio.cancel();
      });
      const made = await studio.run(0, 'compress', { virtualBones: 16, iterations: 1 });
      return { ...progress, hasReport: made?.report !== undefined };
    });
    // the measurement does not go on to its end
    expect(last).toMatchObject({ phase: 'measure', hasReport: false });
    // its result is kept, and marked
    expect(await page.locator('#versions li').count()).toBe(3);
    expect(await page.textContent('#versions li:nth-child(3) .badge')).toBe('stopped');
    await page.waitForSelector('#outcome dd');
    expect(complaints).toEqual([]);
    await open.closePage(page);
  });

  it('shows that it smooths, and a preview while a slider moves', async () => {
    const { page, complaints } = await open.openPage(open.url);
    await page.evaluate(() => ossifyStudio.studio.openSample('creature', { resolution: 600, frames: 6 }));
    await page.waitForFunction(() => !ossifyStudio.studio.isWaiting);
    const seen = await page.evaluate(async () => {
      const { studio } = ossifyStudio;
      const options = { lambda: 20, kappa: 1, alpha: 0.9, iterations: 20, variant: 0 as const };
      const log = { busy: 0, draft: 0, full: 0 };
      studio.on(['live'], () => {
        const sign = document.querySelector<HTMLElement>('#busy');
        if (studio.live?.isBusy && sign && !sign.hidden) log.busy++;
        if (studio.live?.reply?.isDraft) log.draft++;
        else if (studio.live?.reply) log.full++;
      });
      const rest = () => new Promise((resolve) => setTimeout(resolve, 40));
      studio.tune(0, options);
      while (studio.live?.isBusy) await rest();
      for (const lambda of [22, 25, 30]) studio.tune(0, { ...options, lambda });
      while (studio.live?.isBusy) await rest();
      return { ...log, isDraft: studio.live?.reply?.isDraft };
    });
    expect(seen.busy).toBeGreaterThan(0);
    expect(seen.draft).toBeGreaterThan(0);
    expect(seen.isDraft).toBe(false);
    await settlePage(page);
    expect(await page.isVisible('#busy')).toBe(false);
    expect(complaints).toEqual([]);
    await open.closePage(page);
  });

  it('tells versions apart, undoes, warns before results are lost, and keeps projects', async () => {
    const { page, complaints } = await open.openPage(open.url);
    await page.evaluate(() => ossifyStudio.studio.openSample('quadruped', { resolution: 300, frames: 8 }));
    await run(page, 'decompose', { bones: 4, iterations: 3 });
    await run(page, 'decompose', { bones: 7, iterations: 3 });
    await page.waitForSelector('#versions li:nth-child(3) small:has-text("RMSE")');
    // figures of a version are not broken between a number and its unit
    const row = async (n: number): Promise<string> =>
      ((await page.textContent(`#versions li:nth-child(${n})`)) ?? '').replaceAll('\u00a0', ' ');
    expect(await row(3)).toMatch(/SSDR, 7 bones.*RMSE.*7 bones.*kB/s);

    // the curve belongs to the version that is selected
    const curve = (): Promise<string | undefined> =>
      page.$eval('#live', ({ dataset }: HTMLElement) => `${dataset.first} ${dataset.last}`);
    await settlePage(page);
    const second = await curve();
    await page.click('#versions li:nth-child(2) .name');
    await settlePage(page);
    expect(await curve()).not.toBe(second);

    await page.click('#versions li:nth-child(2) [aria-label^="Rename"]');
    await page.keyboard.type('small');
    await page.keyboard.press('Enter');
    expect(await row(2)).toContain('small');
    await page.selectOption('[aria-label="Sort versions"]', 'size');
    const order = await page.$$eval('#versions li', (list) => list.map((one) => Number(one.dataset.version)));
    expect([...order].sort()).toEqual([0, 1, 2]);
    await page.selectOption('[aria-label="Sort versions"]', 'made');

    await page.click('#versions li:nth-child(3) [aria-label^="Close"]');
    expect(await page.locator('#versions li').count()).toBe(2);
    await page.keyboard.press('Control+z');
    expect(await page.locator('#versions li').count()).toBe(3);
    await page.keyboard.press('Control+z');
    expect(await row(2)).toContain('SSDR, 4 bones');
    await page.keyboard.press('Control+y');
    expect(await row(2)).toContain('small');
    await page.click('#tools [data-value="wipe"]');
    await page.click('#undo');
    expect(await page.evaluate(() => ossifyStudio.studio.state.view)).not.toBe('wipe');
    await page.click('#redo');
    const changed = Date.now();
    expect(await page.evaluate(() => ossifyStudio.studio.state.view)).toBe('wipe');

    const warns = (): Promise<boolean> =>
      page.evaluate(() => !dispatchEvent(new Event('beforeunload', { cancelable: true })));
    expect(await warns()).toBe(true);
    const waiting = page.waitForEvent('download');
    await page.click('#export summary');
    await page.click('#export [data-export="project"]');
    const project = readFileSync(await (await waiting).path());
    expect(await warns()).toBe(false);

    // the browser keeps it too
    await expect.poll(() => page.evaluate(isStored, changed), { timeout: 60_000, interval: 100 }).toBe(true);
    await page.reload();
    await page.click('#recent [data-recent]');
    await page.waitForSelector('#versions li:nth-child(3)');
    expect(await page.evaluate(() => ossifyStudio.studio.state.view)).toBe('wipe');
    await page.evaluate(() => {
      for (const id of [...ossifyStudio.studio.versions.keys()]) ossifyStudio.studio.close(id);
    });
    await page.setInputFiles('#files', { name: 'walk.ossify', mimeType: '', buffer: project });
    await page.waitForSelector('#versions li:nth-child(3)');
    expect(await row(2)).toContain('small');
    expect(complaints).toEqual([]);
    await open.closePage(page);
  });

  it('closes menus by Escape, moves in them by arrows, and refuses nonsense beside its field', async () => {
    const { page, complaints } = await open.openPage(open.url);
    await page.evaluate(() => ossifyStudio.studio.openSample('quadruped', { resolution: 2000, frames: 30 }));
    const bones = '#solve .field[data-key="bones"]';
    await page.fill(`${bones} input[type="number"]`, '-3');
    expect(await page.textContent(`${bones} .fault-note`)).toMatch(/from \d+ to/);
    expect(await page.isDisabled('#run')).toBe(true);
    await page.fill(`${bones} input[type="number"]`, '2.5');
    expect(await page.textContent(`${bones} .fault-note`)).toContain('whole number');
    await page.fill(`${bones} input[type="number"]`, '40');
    expect(await page.isVisible(`${bones} .fault-note`)).toBe(false);
    await page.click('#run');
    await page.waitForSelector('#cancel:visible');
    await page.click('#samples summary');
    const focused = (): Promise<string | undefined> =>
      page.evaluate(() => (document.activeElement as HTMLElement).dataset.entry);
    await expect.poll(focused).toBeDefined();
    const first = await focused();
    await page.keyboard.press('ArrowDown');
    expect(await focused()).not.toBe(first);
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe(first);
    await page.keyboard.press('Escape');
    expect(await page.getAttribute('#samples', 'open')).toBeNull();
    expect(await page.evaluate(() => ossifyStudio.studio.job?.isCancelled)).toBe(false);
    await page.click('#cancel');
    await page.waitForFunction(() => !ossifyStudio.studio.job);
    expect(complaints).toEqual([]);
    await open.closePage(page);
  });

  it('names results by what they are, goes on with a smoothed rig, and shows the bones of a skeleton', async () => {
    const { page, complaints } = await open.openPage(open.url);
    await page.evaluate(() => ossifyStudio.studio.openSample('creature', { resolution: 200, frames: 6 }));
    await page.waitForSelector('#solve [data-job]');
    // every job can be run with its defaults, or states why not
    const jobs = await page.$$eval('#solve [data-job]', (list) => list.map((one) => one.dataset.job));
    expect(jobs.length).toBeGreaterThan(6);
    for (const job of jobs) {
      await page.click(`#solve [data-job="${job}"]`);
      await page.waitForSelector(`#solve [data-job="${job}"][aria-pressed="true"]`);
      expect((await page.isEnabled('#run')) || (await page.isVisible('#solve .warn')), job).toBe(true);
    }
    await page.click('#solve [data-job="convert"]');
    await page.fill('#solve .field[data-key="helpers"] input[type="number"]', '2');
    await page.click('#run:has-text("convert")');
    await page.waitForSelector('#versions li:nth-child(2)');
    expect(await page.textContent('#versions li:nth-child(2)')).toContain('Plain bones already');
    await page.click('#solve [data-job="mush"]');
    await page.click('#run:has-text("mush")');
    await page.waitForSelector('#versions li:nth-child(3)');
    const made = await page.getAttribute('#versions li:nth-child(3)', 'data-version');
    await page.waitForFunction(
      (id) => document.querySelector<HTMLSelectElement>('#solve select[aria-label="Input"]')?.value === id,
      made,
    );
    await page.evaluate(() => ossifyStudio.studio.set({ hasBones: false }, 'view'));
    await run(page, 'skeleton', { bones: 5 });
    expect(await page.evaluate(() => ossifyStudio.studio.state.hasBones)).toBe(true);
    expect(complaints).toEqual([]);
    await open.closePage(page);
  });

  it('names files that it cannot open, and cancels the opening of others', async () => {
    const { page, complaints } = await open.openPage(open.url);
    await page.evaluate(() => ossifyStudio.open([{ name: 'scan.abc', size: 3.1e9 } as File]));
    expect((await toastsOf(page)).join()).toMatch(/scan\.abc has 3\.1 GB; the page reads files up to 2 GB/);
    await page.evaluate(() => {
      void ossifyStudio.open([
        { name: 'slow.glb', size: 5, arrayBuffer: () => new Promise(() => {}) } as unknown as File,
      ]);
    });
    await page.click('#cancel-busy');
    await page.waitForFunction(() => document.querySelector<HTMLElement>('#busy')?.hidden);
    expect((await toastsOf(page)).join()).toContain('slow.glb: opening was cancelled');
    const obj = 'v 0 0 0\nv 3 0 0\nv 0 1 0\nf 1 2 3\n';
    await page.setInputFiles('#files', { name: 'triangle.obj', mimeType: '', buffer: Buffer.from(obj) });
    await page.waitForSelector('#versions li');
    await page.click('[data-tab="Info"]');
    expect(await page.textContent('#info .figures')).toContain('3.16 file units');
    // read again with a unit and another axis
    await page.selectOption('#info [aria-label="Unit"]', '0.01');
    await page.waitForFunction(() => document.querySelector('#info .figures')?.textContent?.includes('cm'));
    await page.selectOption('#info [aria-label="Up axis"]', 'z');
    await page.waitForFunction(() => ossifyStudio.studio.shown?.facts.size.up === 'z');
    expect(complaints).toEqual([]);
    await open.closePage(page);
  });

  it('shows a remedy when it is opened as a file, and runs under a POSIX locale', async () => {
    const alone = await open.browser.newPage();
    await alone.goto(pathToFileURL(join(open.folder, 'index.html')).href);
    expect(await alone.textContent('#file-note')).toContain('ossify view');
    await alone.close();
    const browser = await launchBrowser({ LANG: 'C.UTF-8', LANGUAGE: '', LC_ALL: 'C.UTF-8' });
    try {
      const page = await browser.newPage({ reducedMotion: 'reduce', deviceScaleFactor: 0.25 });
      page.setDefaultTimeout(90_000);
      const faults: string[] = [];
      page.on('pageerror', (error) => faults.push(error.message));
      await page.goto(open.url);
      await page.waitForFunction('globalThis.ossifyStudio');
      expect(await page.evaluate(() => navigator.language)).toBe('en-US@posix');
      await page.evaluate(async () => {
        const { studio } = ossifyStudio;
        await studio.openSample('bar-bend', { resolution: 120, frames: 5 });
        await studio.run(0, 'decompose', { bones: 2, iterations: 2 });
      });
      await page.waitForSelector('#plot .u-over');
      expect(faults).toEqual([]);
    } finally {
      await browser.close();
    }
  });
}
