// SPDX-License-Identifier: MIT
// The studio in a real browser, as somebody uses it.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serveFolder } from '../../scripts/launch-browser.ts';
import { compare, type Report, readAsset } from '../../src/entry/index.ts';
import { captureCli } from '../../src/hosts/cli/capture-cli.ts';
import type { Studio } from '../src/state/studio.ts';
import type { Viewport } from '../src/viewport/viewport.ts';
import type { OpenStudio } from './page/open-studio.ts';
import type { TraceEvent } from './page/trace-event.ts';

declare const ossifyStudio: { studio: Studio; viewport: Viewport };

const MAX_SCRIPT_BYTES = 500_000;
const LONGEST_TASK_MS = 50;

/** Opening, solving, cancelling and exporting. */
export function describeSolving(studio: () => OpenStudio): void {
  let open: OpenStudio;
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'ossify-studio-'));
    open = studio();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const openSample = async (page: Page, name: string): Promise<void> => {
    await page.click(`#empty [data-sample="${name}"]`);
    await page.waitForSelector('#versions li');
    await waitForFrames(page);
  };
  const waitForFrames = (page: Page): Promise<unknown> =>
    page.waitForFunction(() => {
      const { studio } = ossifyStudio;
      const { ready, of } = studio.frames.progressOf(studio.shown?.id ?? -1, studio.state.motion);
      return of > 0 && ready === of;
    });
  const waitForResult = (page: Page, count = 2): Promise<unknown> =>
    page.waitForSelector(`#versions li:nth-child(${count})`, { timeout: 60_000 });
  const exportFile = async (page: Page, id: string): Promise<Buffer> => {
    const waiting = page.waitForEvent('download');
    await page.click('#export summary');
    await page.click(`#export [data-export="${id}"]`);
    return readFileSync(await (await waiting).path());
  };
  const toastsOf = (page: Page): Promise<string[]> => page.locator('.toast span').allTextContents();
  const shoot = async (page: Page, name: string): Promise<void> => {
    if (process.env.OSSIFY_PICTURES) await page.screenshot({ path: join(process.env.OSSIFY_PICTURES, `${name}.png`) });
  };

  it('loads little script before the first view', async () => {
    let bytes = 0;
    const page = await open.browser.newPage({ locale: 'en-US', deviceScaleFactor: 0.25 });
    const bodies: Promise<void>[] = [];
    page.on('response', (response) => {
      if (!/\.(js|wasm)$/.test(response.url())) return;
      bodies.push(
        response.body().then((body) => {
          bytes += gzipSync(body).length;
        }),
      );
    });
    await page.goto(open.url, { waitUntil: 'networkidle' });
    await page.waitForFunction('globalThis.ossifyStudio');
    await Promise.all(bodies);
    // workers' own scripts are not responses of the page
    for (const name of await page.evaluate(() => performance.getEntriesByType('resource').map((entry) => entry.name)))
      if (/worker/.test(name))
        bytes += gzipSync(readFileSync(join(open.folder, 'assets', basename(new URL(name).pathname)))).length;
    await open.closePage(page);
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThan(MAX_SCRIPT_BYTES);
  });

  it('decomposes the quadruped: the plot falls, the exported file has the error of the page', async () => {
    const { page, complaints } = await open.openPage(open.url, { scale: 1 });
    await openSample(page, 'quadruped');
    await page.fill('#solve .field[data-key="bones"] input[type="number"]', '12');
    await open.browser.startTracing(page, { categories: ['toplevel', '__metadata'] });
    await page.click('#run');
    await page.waitForSelector('#cancel:visible');
    await waitForResult(page);
    const trace = JSON.parse((await open.browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
    const longest = longestTaskOf(trace.traceEvents);
    expect(longest).toBeGreaterThan(0);
    expect(longest).toBeLessThan(LONGEST_TASK_MS);
    await page.waitForSelector('#outcome dd');
    const plot = await page.$eval('#live', ({ dataset }: HTMLElement) => ({ ...dataset }) as Record<string, string>);
    expect(Number(plot.count)).toBeGreaterThan(3);
    expect(Number(plot.last)).toBeLessThan(0.9 * Number(plot.first));
    const figure = (id: string): Promise<number> =>
      page.$eval(`#outcome [data-figure="${id}"]`, ({ dataset }: HTMLElement) => Number(dataset.value));
    const shown = { eRms: await figure('eRms'), rmse: await figure('rmse'), max: await figure('max') };
    await waitForFrames(page);
    await shoot(page, 'studio-decompose');

    const bytes = await exportFile(page, 'glb');
    const cache = join(folder, 'quadruped.pc2');
    expect((await captureCli(['sample', 'quadruped', cache])).status).toBe(0);
    const files = [join(folder, 'quadruped.obj'), cache];
    const source = await readAsset(
      files.map((path) => ({ name: path, bytes: readFileSync(path) })),
      { fps: 30 },
    );
    const written = await readAsset([{ name: 'out.glb', bytes }]);
    const { error } = (await compare(source, written)).clips[0];
    // the page made the sample by itself: sine and cosine of its engine may round otherwise
    for (const key of ['eRms', 'rmse', 'max'] as const)
      expect(Math.abs(error[key] / shown[key] - 1), key).toBeLessThan(1e-5);
    const report = JSON.parse((await exportFile(page, 'report')).toString()) as Report;
    expect(report.metrics).toMatchObject(shown);
    expect(report).toMatchObject({ command: 'decompose', result: { bones: 12 }, bytes: { file: bytes.length } });

    const picture = await exportFile(page, 'png');
    expect(picture.subarray(1, 4).toString()).toBe('PNG');
    expect(picture.length).toBeGreaterThan(20_000);
    expect(await toastsOf(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await open.closePage(page);
  });

  it('mushes the creature: the mesh follows a slider, and what was tried can be kept', async () => {
    const { page, complaints } = await open.openPage(open.url);
    await page.evaluate(() => ossifyStudio.studio.openSample('creature', { resolution: 900, frames: 8 }));
    await waitForFrames(page);
    await page.click('[data-tab="Smooth"]');
    await page.click('#tune');
    const shape = (): Promise<number[]> =>
      page.evaluate(() => Array.from(ossifyStudio.viewport.slots.result.actor?.positions ?? []));
    const tuned = async (previous: number[]): Promise<number> => {
      await page.waitForFunction(
        (before) => {
          const now = ossifyStudio.viewport.slots.result.actor?.positions ?? [];
          return now.some((x, c) => Math.abs(x - before[c]) > 1e-6);
        },
        previous,
        { timeout: 40_000 },
      );
      return page.$eval('#smooth', ({ dataset }: HTMLElement) => Number(dataset.milliseconds));
    };
    const plain = await page.evaluate(() => Array.from(ossifyStudio.studio.shapeOf('reference')?.positions ?? []));
    expect(await tuned(plain)).toBeGreaterThan(0);
    const mushed = await shape();
    // a slider is dragged: many values, of which the last counts
    const slider = page.locator('#smooth .field[data-key="kappa"] input[type="range"]');
    await slider.scrollIntoViewIfNeeded();
    const box = (await slider.boundingBox())!;
    await page.mouse.move(box.x + 10, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.8 * box.width, box.y + box.height / 2, { steps: 12 });
    await page.mouse.up();
    expect(await tuned(mushed)).toBeGreaterThan(0);
    expect(await page.getAttribute('#smooth', 'data-is-full')).toBe('false');
    const kappa = Number(await page.inputValue('#smooth .field[data-key="kappa"] input[type="number"]'));
    expect(kappa).toBeGreaterThan(10);
    await page.keyboard.press('k');
    await shoot(page, 'studio-smooth');
    await page.click('#smooth >> text=Keep as a version');
    await waitForResult(page);
    await page.waitForSelector('#outcome dd');
    const facts = await page.evaluate(() => ossifyStudio.studio.result?.facts.ddm);
    expect(facts).toMatchObject({ variant: 0, kappa, lambda: 20, iterations: 20 });
    expect(complaints).toEqual([]);
    await open.closePage(page);
  });

  it('gives the bytes of the command line for a file', async () => {
    const rig = join(folder, 'rig.glb');
    const out = join(folder, 'rig-out.glb');
    const { status } = await captureCli(['sample', 'creature', rig, '--resolution', '200', '--frames', '6', '--quiet']);
    expect(status).toBe(0);
    const cache = ['quadruped', join(folder, 'walk.pc2'), '--resolution', '200', '--frames', '6', '--quiet'];
    expect((await captureCli(['sample', ...cache])).status).toBe(0);
    const walk = [join(folder, 'walk.obj'), join(folder, 'walk.pc2')];
    const { page, complaints } = await open.openPage(open.url);
    for (const [files, job, options, words] of [
      [[rig], 'mush', { variant: 1, kappa: 2 }, ['--variant', '1', '--kappa', '2']],
      [
        [rig],
        'compress',
        { virtualBones: 12, iterations: 2, seed: 5 },
        ['--virtual-bones', '12', '--iterations', '2', '--seed', '5'],
      ],
      [[rig], 'reduce', { influences: 2 }, ['--influences', '2']],
      [[rig], 'convert', { helpers: 1, samples: 4 }, ['--helpers', '1', '--samples', '4']],
      [walk, 'decompose', { bones: 6, seed: 1 }, ['--bones', '6', '--seed', '1']],
      [walk, 'skeleton', { bones: 5 }, ['--bones', '5']],
    ] as const) {
      const name = files[0] === rig ? 'rig.glb' : 'walk.obj';
      if (!(await page.evaluate((one) => ossifyStudio.studio.reference?.title.startsWith(one), name))) {
        await page.setInputFiles('#files', [...files]);
        await page.waitForFunction((one) => ossifyStudio.studio.reference?.title.startsWith(one), name);
      }
      const text = await page.evaluate(
        async ([verb, given]) => {
          const { studio } = ossifyStudio;
          const made = await studio.run(studio.state.reference, verb, given);
          const bytes = await studio.assets.call('bytes', { version: made?.id ?? -1 });
          return btoa(bytes.reduce((all, byte) => all + String.fromCharCode(byte), ''));
        },
        [job, options] as [string, Record<string, number>],
      );
      const written = await captureCli([job, files.join('+'), out, '--quiet', ...words]);
      expect(written.status, written.err).toBe(0);
      expect(Buffer.from(text, 'base64').equals(readFileSync(out)), job).toBe(true);
    }
    expect(complaints).toEqual([]);
    await open.closePage(page);
  });

  it('cancels a solve half way, and keeps the best so far', async () => {
    const { page, complaints } = await open.openPage(open.url);
    await openSample(page, 'quadruped');
    await page.fill('#solve .field[data-key="bones"] input[type="number"]', '60');
    await page.click('#run');
    await page.waitForFunction(() => (ossifyStudio.studio.job?.errors.length ?? 0) > 0);
    await page.click('#cancel');
    await waitForResult(page);
    const { bones, status, fraction } = await page.evaluate(() => {
      const { result, lastJob } = ossifyStudio.studio;
      return {
        bones: result?.facts.rig?.joints,
        status: result?.report?.result.status,
        fraction: lastJob?.isCancelled,
      };
    });
    expect({ bones, status, fraction }).toEqual({ bones: 60, status: 'stopped', fraction: true });
    expect((await toastsOf(page)).join()).toContain('best result so far');
    expect(await page.isEnabled('#run')).toBe(true);
    expect(complaints).toEqual([]);
    await open.closePage(page);
  });

  it('says in a sentence what is wrong with a file, and lives on', async () => {
    const { page, complaints } = await open.openPage(open.url);
    const drop = (name: string, text: string) =>
      page.setInputFiles('#files', { name, mimeType: 'application/octet-stream', buffer: Buffer.from(text) });
    await drop('broken.glb', 'glTF\x02\x00\x00\x00 and then nothing of use');
    await page.waitForSelector('.toast');
    await drop('notes.txt', 'no model');
    await page.waitForSelector('.toast:nth-child(2)');
    const toasts = await toastsOf(page);
    expect(toasts[0]).toMatch(/^broken\.glb: /);
    expect(toasts[1]).toContain('notes.txt: this kind of file is not read');
    expect(await page.isVisible('#empty')).toBe(true);
    await shoot(page, 'studio-fault');
    await page.click('.toast button');
    await drop('triangle.obj', 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n');
    await page.waitForSelector('#versions li');
    // it stands still: there is nothing to decompose, and the panel says so
    expect(await page.isDisabled('#run')).toBe(true);
    expect(await page.textContent('#solve .warn')).toMatch(/does not move|no skin/);
    expect(complaints).toEqual([]);
    await open.closePage(page);
  });

  it('works from a plain host on one thread, and gives the same bytes', async () => {
    const plain = await serveFolder(open.folder, false);
    const hashes: string[] = [];
    for (const url of [plain.url, open.url]) {
      const { page, complaints } = await open.openPage(url, { isAlone: url === plain.url });
      const hash = await page.evaluate(async () => {
        const { studio } = ossifyStudio;
        await studio.openSample('sheet', { resolution: 600, frames: 12 });
        const made = await studio.run(studio.shown?.id ?? 0, 'decompose', { bones: 6, transforms: 'affine', seed: 3 });
        const bytes = await studio.assets.call('bytes', { version: made?.id ?? -1 });
        const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>));
        return `${crossOriginIsolated} ${digest.join()}`;
      });
      hashes.push(hash);
      expect(complaints).toEqual([]);
      await open.closePage(page);
    }
    plain.close();
    expect(hashes.map((hash) => hash.split(' ')[0])).toEqual(['false', 'true']);
    expect(hashes[0].split(' ')[1]).toBe(hashes[1].split(' ')[1]);
  });
}

/** Milliseconds of the longest task on the main thread of any page. */
function longestTaskOf(events: readonly TraceEvent[]): number {
  const mains = new Set(
    events
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  let longest = 0;
  let count = 0;
  for (const { name, ph, pid, tid, tdur } of events) {
    if (!name.endsWith('RunTask') || ph !== 'X' || !mains.has(`${pid} ${tid}`) || tdur === undefined) continue;
    longest = Math.max(longest, tdur / 1000);
    count++;
  }
  expect(count).toBeGreaterThan(10);
  return longest;
}
