// SPDX-License-Identifier: MIT
// For tests: the states of the page, one after the other. Each starts where the one before it ended.
import type { Page } from 'playwright-core';
import type { Studio } from '../../src/state/studio.ts';
import type { Viewport } from '../../src/viewport/viewport.ts';
import { settlePage } from '../page/settle-page.ts';

declare const ossifyStudio: { studio: Studio; viewport: Viewport; open(files: File[]): Promise<void> };

export interface PageState {
  name: string;
  enter(page: Page): Promise<unknown>;
  /** Ends what would cover the next state. */
  leave?(page: Page): Promise<unknown>;
}

const openTab = (page: Page, name: string): Promise<void> => page.click(`[data-tab="${name}"]`);
const pressEscape = (page: Page): Promise<void> => page.keyboard.press('Escape');

/** @param resolution vertices of the models, about */
export function listStates(resolution: number): PageState[] {
  const openSample = async (page: Page, name: string): Promise<void> => {
    await page.evaluate(
      async ([sample, count]) => {
        const { studio } = ossifyStudio;
        for (const id of [...studio.versions.keys()]) studio.close(id);
        await studio.openSample(sample, { resolution: count, frames: 12 });
      },
      [name, resolution] as const,
    );
    await waitForFrames(page);
  };
  const run = async (page: Page, job: string, options: Record<string, number>): Promise<void> => {
    await page.evaluate(
      async ([name, values]) => {
        const { studio } = ossifyStudio;
        await studio.run(studio.state.reference, name, values);
      },
      [job, options] as const,
    );
    await waitForFrames(page);
    await dismissToasts(page);
  };
  const set = (change: Partial<Studio['state']>) => async (page: Page) => {
    await page.evaluate((given) => ossifyStudio.studio.set(given, 'view', 'frame'), change);
  };
  return [
    { name: 'empty', enter: async () => {} },
    { name: 'empty-queue', enter: (page) => openTab(page, 'Queue') },
    { name: 'empty-info', enter: (page) => openTab(page, 'Info'), leave: (page) => openTab(page, 'Solve') },
    {
      name: 'opening',
      enter: (page) =>
        page.evaluate(() => {
          const file = { name: 'slow.glb', size: 5, arrayBuffer: () => new Promise(() => {}) };
          void ossifyStudio.open([file as unknown as File]);
        }),
      leave: async (page) => {
        await page.click('#cancel-busy');
        await dismissToasts(page);
      },
    },
    {
      name: 'faults',
      enter: async (page) => {
        const buffer = Buffer.from('no model');
        await page.setInputFiles('#files', { name: 'notes.txt', mimeType: '', buffer });
        await page.waitForSelector('.toast');
        await page.setInputFiles('#files', { name: 'broken.glb', mimeType: '', buffer });
        await page.waitForSelector('.toast:nth-child(2)');
      },
      leave: dismissToasts,
    },
    { name: 'opened', enter: (page) => openSample(page, 'quadruped') },
    {
      name: 'field-fault',
      enter: (page) => page.fill('#solve .field[data-key="bones"] input[type="number"]', '-3'),
      leave: (page) => page.fill('#solve .field[data-key="bones"] input[type="number"]', '8'),
    },
    {
      name: 'running',
      enter: async (page) => {
        // a job that takes longer than a look at it
        await page.evaluate(async () => {
          const { studio } = ossifyStudio;
          for (const id of [...studio.versions.keys()]) studio.close(id);
          await studio.openSample('quadruped', { resolution: 6000, frames: 30 });
          void studio.run(studio.state.reference, 'decompose', { bones: 100 });
        });
        await page.waitForFunction(() => (ossifyStudio.studio.job?.errors.length ?? 0) > 3);
      },
      leave: async (page) => {
        await page.evaluate(() => ossifyStudio.studio.cancel());
        await page.waitForFunction(() => !ossifyStudio.studio.job);
        await dismissToasts(page);
      },
    },
    {
      name: 'solved',
      enter: async (page) => {
        await openSample(page, 'quadruped');
        await run(page, 'decompose', { bones: 8, iterations: 4 });
        await page.waitForSelector('#outcome dd');
      },
    },
    { name: 'error', enter: set({ coloring: 'heat', frame: 5 }) },
    { name: 'wipe', enter: set({ view: 'wipe', hasBones: true }) },
    { name: 'difference', enter: set({ view: 'difference', hasBones: false }) },
    {
      name: 'waiting',
      enter: (page) =>
        page.evaluate(() => {
          const { studio } = ossifyStudio;
          studio.frames.drop(studio.result!.id);
          studio.frames.expect(studio.result!, 0);
          studio.setFrame(7);
        }),
      leave: async (page) => {
        await page.evaluate(() => {
          const { studio } = ossifyStudio;
          return studio.assets.call('frames', { version: studio.state.result, motion: 0 });
        });
        await waitForFrames(page);
      },
    },
    { name: 'clusters', enter: set({ view: 'side', coloring: 'clusters' }) },
    { name: 'checker', enter: set({ coloring: 'checker', hasWire: true }), leave: set({ hasWire: false }) },
    { name: 'samples-menu', enter: (page) => page.click('#samples summary'), leave: pressEscape },
    { name: 'export-menu', enter: (page) => page.click('#export summary'), leave: pressEscape },
    {
      name: 'share',
      enter: async (page) => {
        await page.click('#share summary');
        await page.locator('#share').scrollIntoViewIfNeeded();
      },
      leave: (page) => page.click('#share summary'),
    },
    {
      name: 'rename',
      enter: (page) => page.click('#versions li:nth-child(2) [aria-label^="Rename"]'),
      leave: pressEscape,
    },
    { name: 'help', enter: (page) => page.click('#help'), leave: pressEscape },
    {
      name: 'bone-count',
      enter: async (page) => {
        await openTab(page, 'Bones');
        await page.click('#other-bones');
        await page.waitForSelector('#bone-count:visible');
        await page.locator('#bone-slider input[type="range"]').fill('4');
        await page.waitForFunction(() => ossifyStudio.studio.edited.size > 0);
      },
    },
    {
      name: 'queue',
      enter: async (page) => {
        await openTab(page, 'Queue');
        const obj = 'v 0 0 0\nv 3 0 0\nv 0 1 0\nf 1 2 3\n';
        const files = ['still.obj', 'notes.txt'].map((name) => ({ name, mimeType: '', buffer: Buffer.from(obj) }));
        await page.setInputFiles('#queue-files', files);
        await page.click('#run-queue');
        await page.waitForFunction(
          () => !document.querySelector('#queue tr:is([data-status="waiting"], [data-status="running"])'),
        );
      },
      leave: dismissToasts,
    },
    { name: 'rig', enter: async (page) => openSample(page, 'creature') },
    {
      name: 'locked-bone',
      enter: async (page) => {
        await openTab(page, 'Bones');
        await page.click('.tree li:nth-child(3)');
      },
      leave: (page) => page.click('text=Show all bones'),
    },
    {
      name: 'smooth',
      enter: async (page) => {
        await set({ coloring: 'shaded' })(page);
        await openTab(page, 'Smooth');
        await page.click('#tune');
        await page.waitForFunction(() => ossifyStudio.studio.live?.reply && !ossifyStudio.studio.live.isBusy);
      },
      leave: (page) => page.click('#smooth >> text=Stop'),
    },
    {
      name: 'pose',
      enter: async (page) => {
        await openTab(page, 'Pose');
        await page.waitForFunction(() => (ossifyStudio.studio.shapeOf('result')?.bones.length ?? 0) > 0);
        const foot = await page.evaluate(() => ossifyStudio.studio.reference?.rig?.names.indexOf('Leg0LFoot') ?? -1);
        await page.selectOption('#bone', String(foot));
        await page.locator('#pose [data-axis="x"]').fill('45');
        await page.waitForFunction(() => ossifyStudio.studio.posing.shapes.size > 0);
        await page.click('#save-pose');
      },
    },
    { name: 'edit', enter: (page) => openTab(page, 'Edit') },
    {
      name: 'info',
      enter: async (page) => {
        await openTab(page, 'Info');
        await page.click('#validate');
        await page.waitForSelector('#remarks li');
      },
    },
    {
      name: 'herd',
      enter: async (page) => {
        await openTab(page, 'Stampede');
        await page.locator('#herd').fill('2');
        await page.click('#stampede');
        await page.waitForFunction(() => Number(document.querySelector<HTMLElement>('#crowd')?.dataset.frames) >= 3);
      },
      leave: (page) => openTab(page, 'Solve'),
    },
  ];
}

async function waitForFrames(page: Page): Promise<void> {
  await page.waitForFunction(() => ossifyStudio.studio.shown !== undefined && !ossifyStudio.studio.isWaiting);
  await settlePage(page);
}

async function dismissToasts(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const button of document.querySelectorAll<HTMLElement>('.toast button')) button.click();
  });
}
