// SPDX-License-Identifier: MIT
// Pictures of every state of the page, to look at, and those of docs/guide/studio.md: OSSIFY_PICTURES=folder npx vitest run studio -t photographed
import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { OpenStudio } from './page/open-studio.ts';
import { settlePage } from './page/settle-page.ts';
import { listDocPictures } from './pictures/list-doc-pictures.ts';
import { listStates } from './pictures/list-states.ts';

const PICTURES = process.env.OSSIFY_PICTURES;
/** Only these states, by name. */
const ONLY = process.env.OSSIFY_STATES?.split(',');
const THEMES = (process.env.OSSIFY_THEMES ?? 'dark').split(',');
const SIZES = [
  { width: 1280, height: 720 },
  { width: 1920, height: 1080 },
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
];
const RESOLUTION = 2500;
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const HORSE = join(resolve(ROOT, process.env.OSSIFY_DATA ?? '../shared'), 'datasets/horse-gallop');

export function describePictures(studio: () => OpenStudio): void {
  it.skipIf(!PICTURES).each(THEMES)('are photographed at four sizes: %s', { timeout: 1_200_000 }, async (theme) => {
    mkdirSync(PICTURES!, { recursive: true });
    const { page, complaints } = await studio().openPage(studio().url, { scale: 1 });
    if (theme === 'forced') await page.emulateMedia({ forcedColors: 'active' });
    else await page.emulateMedia({ colorScheme: theme as 'light' | 'dark' });
    for (const { name, enter, leave } of listStates(RESOLUTION)) {
      await enter(page);
      for (const size of ONLY && !ONLY.includes(name) ? [] : SIZES) {
        await page.setViewportSize(size);
        await settlePage(page);
        // on a phone the panels are below the view
        const fullPage = size.width < size.height;
        await page.screenshot({ path: join(PICTURES!, `${name}-${theme}-${size.width}.png`), fullPage });
      }
      await page.setViewportSize(SIZES[0]);
      await leave?.(page);
    }
    expect(complaints).toEqual([]);
    await studio().closePage(page);
  });

  it.skipIf(!PICTURES || !existsSync(HORSE))(
    'are photographed for docs/guide/studio.md',
    { timeout: 600_000 },
    async () => {
      mkdirSync(PICTURES!, { recursive: true });
      const { page, complaints } = await studio().openPage(studio().url, { scale: 1 });
      await page.emulateMedia({ colorScheme: 'dark' });
      for (const { name, enter } of listDocPictures(HORSE)) {
        await enter(page);
        await settlePage(page);
        await page.screenshot({ path: join(PICTURES!, `${name}.png`) });
      }
      expect(complaints).toEqual([]);
      await studio().closePage(page);
    },
  );
}
