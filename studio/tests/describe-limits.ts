// SPDX-License-Identifier: MIT
// What the studio costs: time until a file moves, and memory after files are closed.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import type { Studio } from '../src/state/studio.ts';
import type { Viewport } from '../src/viewport/viewport.ts';
import { makeWorkerMeter } from './page/measure-worker.ts';
import type { OpenStudio } from './page/open-studio.ts';
import type { TraceEvent } from './page/trace-event.ts';

declare const ossifyStudio: { studio: Studio; viewport: Viewport };

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MICHELLE = join(resolve(ROOT, process.env.OSSIFY_DATA ?? '../shared'), 'rigs/Michelle.glb');
/** Milliseconds of CPU time, without drawing, from a dropped file to a moving character with its textures. */
const MAX_OPENING = 1500;
/** Closed versions that undo can open again are kept; after this many files, memory stays. */
const SETTLED = 5;
const FILES = 10;
/** Each file takes a seventh of the memory that is used then; compiled code grows a little. */
const MAX_GROWTH = 1.1;

/** Time and memory. */
export function describeLimits(studio: () => OpenStudio): void {
  let open: OpenStudio;
  beforeAll(() => {
    open = studio();
  });

  it('returns to the same memory of its worker after ten files', async () => {
    const { page, complaints } = await open.openPage(open.url, { isAlone: true });
    const measure = await makeWorkerMeter(page);
    const sizes: number[] = [];
    for (let n = 0; n < FILES; n++) {
      await page.evaluate(async () => {
        const { studio } = ossifyStudio;
        await studio.openSample('creature', { resolution: 6000, frames: 6 });
        while (studio.isWaiting) await new Promise((resolve) => setTimeout(resolve, 10));
        for (const id of [...studio.versions.keys()]) studio.close(id);
      });
      sizes.push(await measure());
    }
    expect(Math.max(...sizes.slice(SETTLED)) / Math.min(...sizes.slice(SETTLED))).toBeLessThan(MAX_GROWTH);
    expect(complaints).toEqual([]);
    await open.closePage(page);
  });

  it.skipIf(!existsSync(MICHELLE))(
    'shows Michelle moving, with her textures, in 1.5 s (needs the data folder)',
    async () => {
      const page = await open.browser.newPage({ locale: 'en-US', viewport: { width: 1280, height: 720 } });
      page.setDefaultTimeout(90_000);
      await page.goto(open.url);
      await page.waitForFunction('globalThis.ossifyStudio');
      await page.evaluate(() => {
        const { viewport } = ossifyStudio;
        Object.assign(globalThis, { drawing: 0 });
        viewport.onDrawn(() => {
          (globalThis as unknown as { drawing: number }).drawing += viewport.frameMilliseconds;
        });
      });
      await open.browser.startTracing(page, { categories: ['toplevel', '__metadata'] });
      await page.setInputFiles('#files', MICHELLE);
      const drawing = await waitForMoving(page);
      const trace = JSON.parse((await open.browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
      await open.closePage(page);
      const busy = busyOf(trace.traceEvents);
      expect(busy).toBeGreaterThan(100);
      expect(busy - drawing).toBeLessThan(MAX_OPENING);
    },
  );
}

/** Waits until the character moves with its textures; returns the milliseconds that were spent on drawing. */
async function waitForMoving(page: Page): Promise<number> {
  await page.waitForFunction(() => {
    const { studio, viewport } = ossifyStudio;
    const material = viewport.slots.result.actor?.mesh.material;
    const hasTexture = Array.isArray(material) && (material[0] as { map?: { image?: unknown } }).map?.image;
    return hasTexture && studio.state.frame > 0;
  });
  return page.evaluate(() => (globalThis as unknown as { drawing: number }).drawing);
}

/** Milliseconds of CPU time of the busiest of the main thread and the workers of a page: they run side by side. */
function busyOf(events: readonly TraceEvent[]): number {
  const names = new Map(
    events
      .filter(({ name }) => name === 'thread_name')
      .map(({ pid, tid, args }) => [`${pid} ${tid}`, args?.name ?? ''] as const),
  );
  const sums = new Map<string, number>();
  for (const { name, ph, pid, tid, tdur = 0 } of events) {
    const thread = names.get(`${pid} ${tid}`) ?? '';
    if (!name.endsWith('RunTask') || ph !== 'X' || !/CrRendererMain|DedicatedWorker/.test(thread)) continue;
    sums.set(`${pid} ${tid}`, (sums.get(`${pid} ${tid}`) ?? 0) + tdur / 1000);
  }
  return Math.max(0, ...sums.values());
}
