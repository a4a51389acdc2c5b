// SPDX-License-Identifier: MIT
// For tests: the states of the page that docs/guide/studio.md shows, one after the other.
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { Studio } from '../../src/state/studio.ts';
import type { PageState } from './list-states.ts';

declare const ossifyStudio: { studio: Studio };

/** @param horse folder of the clip horse-gallop */
export function listDocPictures(horse: string): PageState[] {
  const ready = (page: Page): Promise<unknown> =>
    page.waitForFunction(() => ossifyStudio.studio.shown !== undefined && !ossifyStudio.studio.isWaiting);
  const closeAll = (page: Page): Promise<void> =>
    page.evaluate(() => {
      for (const id of [...ossifyStudio.studio.versions.keys()]) ossifyStudio.studio.close(id);
    });
  const openSample = async (page: Page, name: string, options: Record<string, number> = {}): Promise<void> => {
    await closeAll(page);
    await page.evaluate(([one, given]) => ossifyStudio.studio.openSample(one, given), [name, options] as const);
    await ready(page);
  };
  const run = async (page: Page, bones: number): Promise<void> => {
    await page.fill('#solve .field[data-key="bones"] input[type="number"]', String(bones));
    await page.click('#run');
    await page.waitForSelector('#versions li:nth-child(2)');
    await page.waitForSelector('#outcome dd');
    await ready(page);
  };
  return [
    {
      name: 'studio-solve',
      enter: async (page) => {
        await openSample(page, 'quadruped');
        await run(page, 12);
        await page.evaluate(() => ossifyStudio.studio.set({ coloring: 'heat', frame: 9 }, 'view', 'frame'));
      },
    },
    {
      name: 'studio-bones',
      enter: async (page) => {
        await closeAll(page);
        await page.evaluate(() => ossifyStudio.studio.set({ coloring: 'shaded' }, 'view'));
        await page.setInputFiles(
          '#files',
          ['rest.obj', 'motion.pc2'].map((name) => join(horse, name)),
        );
        await ready(page);
        await run(page, 20);
        await page.evaluate(() => ossifyStudio.studio.setFrame(20));
        await page.click('[data-tab="Bones"]');
        await page.click('#other-bones');
        await page.waitForSelector('#bone-count:visible');
        for (const count of [40, 34, 26, 30]) {
          await page.locator('#bone-slider input[type="range"]').fill(String(count));
          await page.waitForFunction((n) => ossifyStudio.studio.bones.grown.has(n), count);
          await page.waitForFunction(() => !ossifyStudio.studio.bones.isRefining);
        }
      },
    },
    {
      name: 'studio-smooth',
      enter: async (page) => {
        await openSample(page, 'creature');
        await page.evaluate(() => ossifyStudio.studio.setFrame(10));
        await page.click('[data-tab="Smooth"]');
        await page.click('#tune');
        await page.waitForFunction(() => ossifyStudio.studio.live?.reply && !ossifyStudio.studio.live.isBusy);
        await page.evaluate(() => ossifyStudio.studio.set({ coloring: 'checker', view: 'side' }, 'view', 'frame'));
      },
    },
    {
      name: 'studio-stampede',
      enter: async (page) => {
        await openSample(page, 'creature', { resolution: 600 });
        await page.click('[data-tab="Stampede"]');
        await page.locator('#herd').fill('3');
        await page.click('#stampede');
        await page.waitForFunction(() => Number(document.querySelector<HTMLElement>('#crowd')?.dataset.frames) >= 3);
      },
    },
  ];
}
