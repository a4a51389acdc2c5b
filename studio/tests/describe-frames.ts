// SPDX-License-Identifier: MIT
// Materials, frames that are awaited, the toolbar, and what the picture shows of errors.
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import type { Studio } from '../src/state/studio.ts';
import type { Viewport } from '../src/viewport/viewport.ts';
import type { OpenStudio, PageSettings } from './page/open-studio.ts';
import { settlePage } from './page/settle-page.ts';
import { makeTexturedQuad } from './pictures/make-textured-quad.ts';

declare const ossifyStudio: { studio: Studio; viewport: Viewport; open(files: File[]): Promise<void> };

/** Materials, awaited frames, toolbar, labels, legends and cameras. */
export function describeFrames(studio: () => OpenStudio): void {
  let open: OpenStudio;
  beforeAll(() => {
    open = studio();
  });

  const waitForFrames = (page: Page): Promise<unknown> =>
    page.waitForFunction(() => !ossifyStudio.studio.isWaiting && ossifyStudio.studio.shown !== undefined);
  /** Colours of pixels at ratios of the viewport. */
  const pixelsAt = (page: Page, places: [number, number][]): Promise<number[][]> =>
    page.evaluate((list) => {
      const { viewport } = ossifyStudio;
      viewport.draw(true);
      const copy = document.createElement('canvas');
      Object.assign(copy, { width: viewport.canvas.width, height: viewport.canvas.height });
      const context = copy.getContext('2d', { willReadFrequently: true })!;
      context.drawImage(viewport.canvas, 0, 0);
      return list.map(([x, y]) => [
        ...context.getImageData(Math.round(x * copy.width), Math.round(y * copy.height), 1, 1).data.slice(0, 3),
      ]);
    }, places);
  const openSolved = async (settings?: PageSettings) => {
    const opened = await open.openPage(open.url, settings);
    await opened.page.evaluate(async () => {
      const { studio } = ossifyStudio;
      await studio.openSample('quadruped', { resolution: 500, frames: 10 });
      await studio.run(studio.shown?.id ?? 0, 'decompose', { bones: 6, iterations: 4 });
    });
    await opened.page.waitForSelector('#outcome dd');
    await waitForFrames(opened.page);
    return opened;
  };

  it('draw the textures of a file by default, beside clay, and in the exported viewer', async () => {
    const { page, complaints } = await open.openPage(open.url);
    await page.setInputFiles('#files', { name: 'quad.glb', mimeType: 'model/gltf-binary', buffer: makeTexturedQuad() });
    await page.waitForFunction(() => {
      const material = ossifyStudio.viewport.slots.result.actor?.mesh.material;
      return Array.isArray(material) && (material[0] as { map?: { image?: unknown } }).map?.image;
    });
    expect(await page.getAttribute('#tools [data-value="material"]', 'aria-pressed')).toBe('true');
    await page.keyboard.press('7');
    await settlePage(page);
    const isReddish = ([r, g]: number[]) => r > 1.6 * g;
    const isGreenish = ([r, g]: number[]) => g > 1.6 * r;
    const [left, right] = await pixelsAt(page, [
      [0.47, 0.5],
      [0.53, 0.5],
    ]);
    expect([isReddish(left), isGreenish(right)], `${left} ${right}`).toEqual([true, true]);
    await page.click('#tools [data-value="shaded"]');
    await settlePage(page);
    const [clay] = await pixelsAt(page, [[0.47, 0.5]]);
    expect(isReddish(clay)).toBe(false);
    const waiting = page.waitForEvent('download');
    await page.click('#export summary');
    await page.click('#export [data-export="html"]');
    const html = readFileSync(await (await waiting).path(), 'utf8');
    const alone = await open.browser.newPage({ viewport: { width: 160, height: 120 } });
    await alone.setContent(html);
    await alone.waitForFunction(() => document.body.dataset.frame !== undefined);
    await alone.waitForTimeout(500);
    const picture = (await alone.screenshot()).toString('base64');
    const isRed = await page.evaluate(async (png) => {
      const image = new Image();
      image.src = `data:image/png;base64,${png}`;
      await image.decode();
      const copy = document.createElement('canvas');
      Object.assign(copy, { width: image.width, height: image.height });
      const context = copy.getContext('2d', { willReadFrequently: true })!;
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, image.width, image.height);
      return data.some((red, n) => n % 4 === 0 && red > 90 && red > 1.8 * data[n + 1]);
    }, picture);
    expect(isRed).toBe(true);
    await alone.close();

    // a texture that browsers do not decode
    const packed = { name: 'packed.glb', mimeType: 'model/gltf-binary', buffer: makeTexturedQuad('ktx2') };
    await page.click('#versions [aria-label^="Close"]');
    await page.setInputFiles('#files', packed);
    await page.waitForFunction(() => {
      const material = ossifyStudio.viewport.slots.result.actor?.mesh.material;
      return Array.isArray(material) && (material[0] as { map?: { image?: ImageBitmap } }).map?.image?.width === 8;
    });
    await page.keyboard.press('7');
    await settlePage(page);
    const sides = await pixelsAt(page, [
      [0.44, 0.5],
      [0.56, 0.5],
    ]);
    expect([isReddish(sides[0]), isGreenish(sides[1])], sides.join('; ')).toEqual([true, true]);
    expect(complaints).toEqual([]);
    await open.closePage(page);
  });

  it('show no error of a frame that has not arrived, and which frames have', async () => {
    const { page, complaints } = await openSolved();
    await page.click('#tools [data-value="heat"]');
    await page.evaluate(() => {
      const { studio } = ossifyStudio;
      const result = studio.result!;
      studio.frames.drop(result.id);
      studio.frames.expect(result, 0);
      studio.setFrame(7);
    });
    await settlePage(page);
    expect(await page.textContent('#veil')).toContain('Waiting for frame 7');
    expect(await page.isVisible('#veil')).toBe(true);
    expect(await page.evaluate(() => ossifyStudio.viewport.worst)).toBeUndefined();
    expect(await page.isVisible('#legend')).toBe(false);
    expect(await page.isVisible('#marker span')).toBe(false);
    await page.evaluate(() => {
      const { studio } = ossifyStudio;
      void studio.assets.call('seek', { version: studio.state.result, frame: 7 });
      return studio.assets.call('frames', { version: studio.state.result, motion: 0 });
    });
    await waitForFrames(page);
    await settlePage(page);
    expect(await page.isVisible('#veil')).toBe(false);
    const { worst, max } = await page.evaluate(() => ({
      worst: ossifyStudio.viewport.worst?.distance ?? 0,
      max: ossifyStudio.studio.comparison?.perFrame.max[7] ?? 0,
    }));
    expect(Math.abs(worst / max - 1)).toBeLessThan(1e-3);
    expect(await page.locator('#buffered i').count()).toBeGreaterThanOrEqual(2);
    expect(complaints).toEqual([]);
    await open.closePage(page);
  });

  it('have a toolbar that is never clipped, labels at the wipe line, and a legend in pictures', async () => {
    const { page, complaints } = await openSolved({ width: 1024, height: 640, scale: 1 });
    for (const size of [
      { width: 1024, height: 640 },
      { width: 1280, height: 720 },
    ]) {
      await page.setViewportSize(size);
      await page.click('#tools [data-value="difference"]');
      await settlePage(page);
      const clipped = await page.evaluate(() => {
        const isInside = (element: Element, box: DOMRect): boolean => {
          const own = element.getBoundingClientRect();
          const isHeld = own.left >= box.left && own.right <= box.right + 0.5 && own.top >= box.top;
          return isHeld && own.bottom <= box.bottom + 0.5;
        };
        const bar = document.querySelector('#tools')!.getBoundingClientRect();
        const view = document.querySelector('#viewport')!.getBoundingClientRect();
        const shown = [...document.querySelectorAll<HTMLElement>('#tools button')].filter((one) => !one.hidden);
        const wrong = shown.filter((one) => !isInside(one, bar)).map((one) => one.textContent);
        if (!isInside(document.querySelector('#gain input')!, view)) wrong.push('exaggeration');
        return wrong;
      });
      expect(clipped, `${size.width}`).toEqual([]);
    }
    const waiting = page.waitForEvent('download');
    await page.click('#export summary');
    await page.click('#export [data-export="png"]');
    const picture = readFileSync(await (await waiting).path()).toString('base64');
    // the upper end of the scale is dark red, the lower end pale
    const [top, bottom] = await page.evaluate(async (png) => {
      const image = new Image();
      image.src = `data:image/png;base64,${png}`;
      await image.decode();
      const copy = document.createElement('canvas');
      Object.assign(copy, { width: image.width, height: image.height });
      const context = copy.getContext('2d', { willReadFrequently: true })!;
      context.drawImage(image, 0, 0);
      return [40, 196].map((y) => [...context.getImageData(18, y, 1, 1).data]);
    }, picture);
    expect(top[0] - top[1]).toBeGreaterThan(40);
    expect(bottom[1]).toBeGreaterThan(150);

    // the marker belongs to errors
    expect(await page.isVisible('#marker i')).toBe(true);
    await page.click('#tools [data-value="wipe"]');
    await settlePage(page);
    expect(await page.isVisible('#marker i')).toBe(false);
    const places = async (): Promise<number[]> =>
      page.$$eval('#labels span', (list) => list.map((one) => one.getBoundingClientRect().x));
    const before = await places();
    await page.evaluate(() => ossifyStudio.studio.set({ wipe: 0.25 }, 'view'));
    await settlePage(page);
    const after = await places();
    expect(after[0]).toBeLessThan(before[0] - 20);
    expect(after[1]).toBeLessThan(before[1] - 20);
    expect(complaints).toEqual([]);
    await open.closePage(page);
  });

  it('have a camera that frames the whole motion, axis views, focus, a loop range and frames between frames', async () => {
    const { page, complaints } = await open.openPage(open.url);
    await page.evaluate(() => ossifyStudio.studio.openSample('bar-bend', { resolution: 200, frames: 12 }));
    await waitForFrames(page);
    const outside = await page.evaluate(() => {
      const { studio, viewport } = ossifyStudio;
      const { clientWidth, clientHeight } = viewport.canvas;
      let count = 0;
      for (let k = 0; k < studio.frameCount; k++) {
        const shape = studio.frames.get(studio.state.reference, 0, k)?.positions ?? new Float32Array(0);
        for (let c = 0; c < shape.length; c += 3) {
          const at = viewport.project(shape[c], shape[c + 1], shape[c + 2], 'result');
          if (!at || at.x < 0 || at.y < 0 || at.x > clientWidth || at.y > clientHeight) count++;
        }
      }
      return count;
    });
    expect(outside).toBe(0);
    await page.keyboard.press('9');
    const camera = (): Promise<number[]> => page.evaluate(() => ossifyStudio.viewport.cameraNumbers);
    const above = await camera();
    expect(Math.abs(above[0] - above[3])).toBeLessThan(0.01 * Math.abs(above[1] - above[4]));
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('-');
    expect(await camera()).not.toEqual(above);

    await page.evaluate(() => ossifyStudio.studio.setFrame(3));
    await page.keyboard.press('i');
    await page.evaluate(() => ossifyStudio.studio.setFrame(6));
    await page.keyboard.press('u');
    await page.keyboard.press(' ');
    const seen = await page.evaluate(async () => {
      const { studio } = ossifyStudio;
      const frames = new Set<number>();
      let isBetween = false;
      const start = performance.now();
      while (performance.now() - start < 1500) {
        await new Promise(requestAnimationFrame);
        frames.add(studio.state.frame);
        isBetween ||= studio.state.between > 0;
      }
      return { frames: [...frames], isBetween };
    });
    expect(Math.min(...seen.frames)).toBeGreaterThanOrEqual(3);
    expect(Math.max(...seen.frames)).toBeLessThanOrEqual(6);
    expect(seen.isBetween).toBe(true);
    expect(complaints).toEqual([]);
    await open.closePage(page);
  });
}
