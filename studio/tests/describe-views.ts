// SPDX-License-Identifier: MIT
// What the studio shows, in a real browser: quality, poses, the herd, exported pages, and how it looks.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchBrowser } from '../../scripts/launch-browser.ts';
import { captureCli } from '../../src/hosts/cli/capture-cli.ts';
import { listViewInput } from '../../src/hosts/cli/server/view-inputs.ts';
import { startViewServer, type ViewServer } from '../../src/hosts/cli/server/view-server.ts';
import type { Studio } from '../src/state/studio.ts';
import type { Viewport } from '../src/viewport/viewport.ts';
import type { OpenStudio } from './page/open-studio.ts';
import { listLooks } from './pictures/list-looks.ts';

declare const ossifyStudio: { studio: Studio; viewport: Viewport };

/** Of the window, over a session of opening files and tabs; 0.1 is called good. */
const MOST_SHIFT = 0.02;

/** Pages of which no pixels are looked at: a sixteenth of them is drawn. */
const SMALL = { locale: 'en-US', reducedMotion: 'reduce', deviceScaleFactor: 0.25 } as const;

/** How far things moved on their own; runs in the page. */
function measureShift(): Promise<number> {
  return new Promise((resolve) => {
    let sum = 0;
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[])
        if (!entry.hadRecentInput) sum += entry.value;
    });
    observer.observe({ type: 'layout-shift', buffered: true });
    setTimeout(() => resolve(sum), 100);
  });
}

/** Views, poses, the herd, exported pages and looks. */
export function describeViews(studio: () => OpenStudio): void {
  let open: OpenStudio;
  let server: ViewServer;
  let folder = '';
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ossify-views-'));
    open = studio();
    const cache = join(folder, 'walk.pc2');
    const input = `${join(folder, 'walk.obj')}+${cache}`;
    const output = join(folder, 'walk.glb');
    for (const words of [
      ['sample', 'quadruped', cache, '--resolution', '900', '--frames', '12'],
      ['decompose', input, output, '--bones', '8', '--fps', '30', '--quiet'],
    ]) {
      const { status, err } = await captureCli(words);
      expect(status, err).toBe(0);
    }
    const options = { seed: 0, fps: 30 };
    const inputs = [await listViewInput(input, options), await listViewInput(output, options)];
    server = await startViewServer(open.folder, inputs);
  });
  afterAll(async () => {
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The page with both files of the command line: the second is the result of the first. */
  const openPair = async (size?: { width: number; height: number }) => {
    const opened = await open.openPage(server.url, size);
    await opened.page.waitForSelector('#versions li:nth-child(2)');
    await opened.page.waitForSelector('#outcome dd');
    return opened;
  };
  /** The picture of the viewport once it has drawn what it should. */
  const shoot = (page: Page): Promise<string> =>
    page.evaluate(async () => {
      for (let n = 0; n < 3; n++) await new Promise(requestAnimationFrame);
      const { viewport } = ossifyStudio;
      viewport.draw(true);
      return viewport.canvas.toDataURL();
    });
  const shapeOf = (page: Page): Promise<number[]> =>
    page.evaluate(() => Array.from(ossifyStudio.viewport.slots.result.actor?.positions ?? []));
  const farthest = (a: number[], b: number[]): number =>
    a.reduce((most, x, c) => Math.max(most, Math.abs(x - b[c])), 0);

  it('show where a result is off: views, heat, worst vertex, and a plot that jumps', async () => {
    const { page, complaints } = await openPair();
    // two files of the command line are shown side by side
    await page.waitForFunction(() => ossifyStudio.studio.state.view === 'side');
    const pictures: string[] = [];
    for (const view of ['result', 'reference', 'side', 'wipe', 'difference']) {
      await page.click(`#tools [data-value="${view}"]`);
      pictures.push(await shoot(page));
    }
    for (let a = 0; a < pictures.length; a++)
      for (let b = 0; b < a; b++) expect(pictures[a] === pictures[b], `${a} ${b}`).toBe(false);
    expect(await page.textContent('#legend')).toMatch(/[\d.]+ (mm|cm)/);

    await page.click('#tools [data-value="side"]');
    await page.click('#tools [data-value="heat"]');
    const box = (await page.locator('#plot .u-over').boundingBox())!;
    await page.mouse.click(box.x + (7 / 11) * box.width, box.y + box.height / 2);
    expect(await page.evaluate(() => ossifyStudio.studio.state.frame)).toBe(7);
    await shoot(page);
    const { worst, max } = await page.evaluate(() => ({
      worst: ossifyStudio.viewport.worst?.distance ?? 0,
      max: ossifyStudio.studio.comparison?.perFrame.max[7] ?? 0,
    }));
    expect(worst).toBeGreaterThan(0);
    expect(Math.abs(worst / max - 1)).toBeLessThan(1e-3);
    expect(await page.isVisible('#marker span')).toBe(true);

    await page.click('#tools [data-value="result"]');
    await page.click('#tools [data-value="weights"]');
    const middle = (await page.locator('#viewport').boundingBox())!;
    await page.mouse.move(middle.x + middle.width / 2, middle.y + middle.height / 2);
    await page.waitForSelector('#hint:visible');
    const bone = await page.evaluate(() => ossifyStudio.studio.state.bone);
    expect(bone).toBeGreaterThanOrEqual(0);
    // the strongest bone comes first, with its weight if there are others
    const name = await page.evaluate((j) => ossifyStudio.studio.result?.rig?.names[j], bone);
    expect((await page.textContent('#hint'))?.split(/ [\d.]+( ·|$)/)[0]).toBe(name);

    const before = await page.evaluate(() => ossifyStudio.studio.state.frame);
    await page.keyboard.press(' ');
    await page.waitForFunction((k) => ossifyStudio.studio.state.frame !== k, before);
    expect(complaints).toEqual([]);
    await open.closePage(page);
  });

  it('bend joints by sliders and by dragging, within their ranges', async () => {
    const { page, complaints } = await open.openPage(open.url);
    await page.evaluate(() => ossifyStudio.studio.openSample('creature', { resolution: 900, frames: 8 }));
    await page.click('[data-tab="Pose"]');
    await page.waitForFunction(() => (ossifyStudio.studio.shapeOf('result')?.bones.length ?? 0) > 0);
    const foot = await page.evaluate(() => ossifyStudio.studio.reference?.rig?.names.indexOf('Leg0LFoot') ?? -1);
    const rest = await shapeOf(page);
    await page.selectOption('#bone', String(foot));
    await page.locator('#pose [data-axis="x"]').fill('45');
    await page.waitForFunction(() => ossifyStudio.studio.posing.shapes.size > 0);
    await shoot(page);
    const turned = await shapeOf(page);
    expect(farthest(rest, turned)).toBeGreaterThan(0.01);

    const drag = await page.evaluate((j) => {
      const { viewport } = ossifyStudio;
      const heads = viewport.slots.result.bones?.heads ?? new Float64Array(0);
      const at = viewport.project(heads[3 * j], heads[3 * j + 1], heads[3 * j + 2], 'result') ?? { x: 0, y: 0 };
      const { left, top } = viewport.canvas.getBoundingClientRect();
      return { x: at.x + left, y: at.y + top };
    }, foot);
    await page.selectOption('#bone', '-1');
    await page.mouse.move(drag.x, drag.y);
    await page.mouse.down();
    await page.mouse.move(drag.x - 60, drag.y - 70, { steps: 6 });
    await page.mouse.up();
    await page.waitForTimeout(400);
    await shoot(page);
    const dragged = await shapeOf(page);
    expect(farthest(turned, dragged)).toBeGreaterThan(0.02);
    await page.click('text=Back to the animation');
    await shoot(page);
    expect(farthest(rest, await shapeOf(page))).toBeLessThan(1e-6);
    expect(complaints).toEqual([]);
    await open.closePage(page);
  });

  it('run a herd on the GPU', async () => {
    const browser = await launchBrowser();
    const { page, complaints } = await open.openPage(open.url, { browser, scale: 1 });
    await page.evaluate(() => ossifyStudio.studio.openSample('creature', { resolution: 300, frames: 8 }));
    await page.click('[data-tab="Stampede"]');
    await page.locator('#herd').fill('2');
    await page.click('#stampede');
    await page.waitForFunction(
      () => Number(document.querySelector<HTMLElement>('#crowd')?.dataset.frames) >= 3,
      undefined,
      {
        timeout: 50_000,
      },
    );
    // what belongs to the model is not shown over the herd, and what has no effect on it is disabled
    for (const overlay of ['#stats', '#labels span', '#legend']) expect(await page.isVisible(overlay)).toBe(false);
    expect(await page.locator('#tools button:not([hidden]):not(:disabled)').count()).toBe(0);
    const first = await page.locator('#viewport').screenshot();
    await page.waitForTimeout(500);
    const second = await page.locator('#viewport').screenshot();
    expect(first.equals(second)).toBe(false);
    expect(second.length).toBeGreaterThan(15_000);
    expect(await page.textContent('#herd-times')).toMatch(/Frame[\d.]+ ms/);
    await page.click('text=Back to the model');
    expect(await page.isEnabled('#tools [data-value="shaded"]')).toBe(true);
    expect(complaints).toEqual([]);
    await browser.close();
  });

  it('say what is missing where there is no WebGPU', async () => {
    const page = await open.browser.newPage(SMALL);
    await page.addInitScript(() => Object.defineProperty(Navigator.prototype, 'gpu', { get: () => undefined }));
    await page.goto(server.url);
    await page.waitForSelector('#outcome dd');
    await page.click('[data-tab="Stampede"]');
    expect(await page.textContent('#crowd .warn')).toContain('no WebGPU');
    expect(await page.isDisabled('#stampede')).toBe(true);
    await open.closePage(page);
  });

  it('work without WebGL: jobs and exports need no picture', async () => {
    const page = await open.browser.newPage(SMALL);
    await page.addInitScript(() => {
      HTMLCanvasElement.prototype.getContext = new Proxy(HTMLCanvasElement.prototype.getContext, {
        apply: (get, canvas, words) => (/^webgl/.test(words[0]) ? null : Reflect.apply(get, canvas, words)),
      });
    });
    await page.goto(server.url);
    await page.waitForSelector('#outcome dd');
    expect(await page.textContent('#viewport .fault')).toContain('no WebGL 2');
    const waiting = page.waitForEvent('download');
    await page.click('#export summary');
    await page.click('#export [data-export="glb"]');
    expect(
      readFileSync(await (await waiting).path())
        .subarray(0, 4)
        .toString(),
    ).toBe('glTF');
    await open.closePage(page);
  });

  it('are exported as a page that plays alone, with its source if asked for, and still where less motion is wanted', async () => {
    const { page } = await openPair();
    const pages: string[] = [];
    for (const id of ['html', 'html-pair']) {
      const waiting = page.waitForEvent('download');
      await page.click('#export summary');
      await page.click(`#export [data-export="${id}"]`);
      const path = join(folder, `${id}.html`);
      writeFileSync(path, readFileSync(await (await waiting).path()));
      pages.push(pathToFileURL(path).href);
    }
    await open.closePage(page);
    const size = { width: 480, height: 320 };
    const alone = await open.browser.newPage({ locale: 'en-US', viewport: size });
    const requests: string[] = [];
    const faults: string[] = [];
    alone.on('request', (request) => requests.push(request.url()));
    alone.on('pageerror', (error) => faults.push(error.message));
    await alone.goto(pages[0]);
    await alone.waitForFunction(() => Number(document.body.dataset.frame) > 1, undefined, { timeout: 30_000 });
    expect((await alone.screenshot()).length).toBeGreaterThan(15_000);
    expect(await alone.isVisible('#side')).toBe(false);
    expect(faults).toEqual([]);
    expect(requests.filter((url) => !/^(file|data|blob):/.test(url))).toEqual([]);
    await alone.close();

    const calm = await open.browser.newPage({ viewport: size, reducedMotion: 'reduce' });
    await calm.goto(pages[1]);
    await calm.waitForFunction(() => document.body.dataset.frame === '0');
    await calm.waitForTimeout(400);
    expect(await calm.evaluate(() => document.body.dataset.frame)).toBe('0');
    const both = await calm.screenshot();
    await calm.selectOption('#side', 'reference');
    await calm.waitForTimeout(200);
    expect((await calm.screenshot()).equals(both)).toBe(false);
    await calm.selectOption('#speed', '2');
    await calm.click('#play');
    await calm.waitForFunction(() => Number(document.body.dataset.frame) > 1);
    await calm.close();
  });

  it.each([
    { width: 1280, height: 720 },
    { width: 390, height: 844 },
  ])('are readable and reachable at $width x $height', async (size) => {
    const { page, complaints } = await openPair(size);
    for (const tab of ['Solve', 'Bones', 'Smooth', 'Pose', 'Edit', 'Stampede', 'Queue', 'Info']) {
      await page.click(`[data-tab="${tab}"]`);
      const looks = await page.evaluate(listLooks);
      expect(looks.faint, tab).toEqual([]);
      expect(looks.nameless, tab).toEqual([]);
      expect(looks.overflow, tab).toBeLessThanOrEqual(0);
    }
    expect(await page.evaluate(measureShift)).toBeLessThan(MOST_SHIFT);
    await page.evaluate(() => scrollTo(0, 0));
    await page.locator('#viewport canvas').first().focus();
    await page.keyboard.press('?');
    expect(await page.isVisible('#shortcuts')).toBe(true);
    expect((await page.evaluate(listLooks)).faint).toEqual([]);
    await page.keyboard.press('Escape');
    expect(await page.isVisible('#shortcuts')).toBe(false);
    expect(complaints).toEqual([]);
    await open.closePage(page);
  });
}
