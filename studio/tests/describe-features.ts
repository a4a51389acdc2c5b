// SPDX-License-Identifier: MIT
// Bones as a tree and a slider, an edited rest shape, levels, light, poses, presets, links, the queue, and formats.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { captureCli } from '../../src/hosts/cli/capture-cli.ts';
import type { Studio } from '../src/state/studio.ts';
import type { Viewport } from '../src/viewport/viewport.ts';
import type { OpenStudio } from './page/open-studio.ts';
import { settlePage } from './page/settle-page.ts';

declare const ossifyStudio: { studio: Studio; viewport: Viewport };

/** Bones, edits, levels, light, poses, presets, links, the queue and formats. */
export function describeFeatures(studio: () => OpenStudio): void {
  let open: OpenStudio;
  let folder = '';
  beforeAll(() => {
    open = studio();
    folder = mkdtempSync(join(tmpdir(), 'ossify-features-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const waitForFrames = (page: Page): Promise<unknown> =>
    page.waitForFunction(() => ossifyStudio.studio.shown !== undefined && !ossifyStudio.studio.isWaiting);
  const openCreature = async (page: Page): Promise<void> => {
    await page.evaluate(() => ossifyStudio.studio.openSample('creature', { resolution: 300, frames: 8 }));
    await waitForFrames(page);
  };
  const shapeOf = (page: Page): Promise<number[]> =>
    page.evaluate(() => Array.from(ossifyStudio.viewport.slots.result.actor?.positions ?? []));
  const farthest = (a: number[], b: number[]): number =>
    a.reduce((most, x, c) => Math.max(most, Math.abs(x - b[c])), 0);

  it('show bones as a tree with search and locked weights, and any smaller number of them at once', async () => {
    const { page, complaints } = await open.openPage(open.url);
    await openCreature(page);
    await page.click('[data-tab="Bones"]');
    await page.fill('[aria-label="Search bones"]', 'foot');
    const names = await page.locator('.tree li span').allTextContents();
    expect(names.length).toBeGreaterThan(1);
    expect(names.every((name) => /foot/i.test(name))).toBe(true);
    await page.click('.tree li');
    expect(await page.evaluate(() => ossifyStudio.studio.state.coloring)).toBe('weights');
    await expect.poll(() => page.textContent('#legend')).toMatch(/Weight.*0\.5/);
    const middle = (await page.locator('#viewport').boundingBox())!;
    await page.mouse.move(middle.x + middle.width / 2, middle.y + middle.height / 2);
    await page.waitForSelector('#hint:visible');
    expect(await page.textContent('#hint')).toMatch(/\d\.\d\d at vertex \d+/);
    await page.click('text=Show all bones');
    expect(await page.evaluate(() => ossifyStudio.studio.state.lock)).toBe(-1);

    const before = await shapeOf(page);
    await page.click('#other-bones');
    await page.waitForSelector('#bone-count:visible');
    await page.locator('#bone-slider input[type="range"]').fill('4');
    await page.waitForFunction(() => ossifyStudio.studio.edited.size > 0);
    await settlePage(page);
    expect(await page.textContent('#bone-count')).toMatch(/^4 bones, RMSE/);
    expect(farthest(before, await shapeOf(page))).toBeGreaterThan(1e-4);
    const errors = await page.evaluate(() => Array.from(ossifyStudio.studio.bones.errors ?? []));
    for (let n = 1; n < errors.length; n++) expect(errors[n]).toBeLessThanOrEqual(errors[n - 1] + 1e-6);
    const stated = errors[3];
    await page.click('#keep-bones');
    await page.waitForFunction(() => ossifyStudio.studio.comparison);
    const { rmse, bones } = await page.evaluate(() => ({
      rmse: ossifyStudio.studio.comparison?.rmse ?? 0,
      bones: ossifyStudio.studio.result?.facts.rig?.joints,
    }));
    expect(bones).toBe(4);
    expect(Math.abs(rmse / stated - 1)).toBeLessThan(0.05);
    expect(complaints).toEqual([]);
    await open.closePage(page);
  });

  it('add bones to a solved result at once, refine them, and keep them', async () => {
    const { page, complaints } = await open.openPage(open.url);
    await page.evaluate(async () => {
      const { studio } = ossifyStudio;
      await studio.openSample('tube-swell', { resolution: 300, frames: 8 });
      await studio.run(studio.state.reference, 'decompose', { bones: 3 });
    });
    await waitForFrames(page);
    await page.click('[data-tab="Bones"]');
    await page.click('#other-bones');
    await page.waitForSelector('#bone-count:visible');
    const before = await shapeOf(page);
    const slider = page.locator('#bone-slider input[type="range"]');
    expect(Number(await slider.getAttribute('max'))).toBeGreaterThan(3);
    await slider.fill('7');
    await page.waitForFunction(() => ossifyStudio.studio.bones.growMilliseconds > 0);
    await page.waitForFunction(() => !ossifyStudio.studio.bones.isRefining);
    await settlePage(page);
    expect(await page.textContent('#bone-count')).toMatch(/^7 bones, RMSE [^,]*$/);
    expect(farthest(before, await shapeOf(page))).toBeGreaterThan(1e-5);
    const [solved, grown] = await page.evaluate(() => [3, 7].map((count) => ossifyStudio.studio.bones.errorOf(count)));
    expect(grown).toBeLessThan(0.8 * solved!);
    // other frames follow; until they do, their errors are not shown
    const worst = await page.evaluate(() => {
      ossifyStudio.studio.setFrame(5);
      return [ossifyStudio.studio.isLate, ossifyStudio.viewport.worst];
    });
    expect(worst).toEqual([true, undefined]);
    await page.waitForFunction(() => !ossifyStudio.studio.isLate && ossifyStudio.viewport.worst);
    await page.click('#keep-bones');
    await page.waitForFunction(() => ossifyStudio.studio.comparison && ossifyStudio.studio.versions.size === 3);
    const kept = await page.evaluate(() => ({
      rmse: ossifyStudio.studio.comparison?.rmse ?? 0,
      bones: ossifyStudio.studio.result?.facts.rig?.joints,
    }));
    expect(kept.bones).toBe(7);
    expect(Math.abs(kept.rmse / grown! - 1)).toBeLessThan(0.05);
    expect(complaints).toEqual([]);
    await open.closePage(page);
  });

  it('edit the rest shape while frames follow, make levels that are compared side by side, and light', async () => {
    const { page, complaints } = await open.openPage(open.url);
    await openCreature(page);
    await page.click('[data-tab="Edit"]');
    await page.evaluate(() => ossifyStudio.studio.setFrame(3));
    const before = await shapeOf(page);
    const box = (await page.locator('#viewport').boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 + 6, box.y + box.height / 2, { steps: 4 });
    await page.mouse.up();
    await page.waitForFunction(() => ossifyStudio.studio.edited.size > 0);
    await settlePage(page);
    expect(farthest(before, await shapeOf(page))).toBeGreaterThan(1e-3);
    // each brush changes the shape, and its stroke can be undone
    for (const kind of ['move', 'scale']) {
      const inflated = await shapeOf(page);
      await page.click(`[data-brush="${kind}"]`);
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width / 2 + 12, box.y + box.height / 2, { steps: 3 });
      await page.mouse.up();
      await expect.poll(async () => farthest(inflated, await shapeOf(page))).toBeGreaterThan(1e-3);
      await page.click('text=Undo stroke');
      await expect.poll(async () => farthest(inflated, await shapeOf(page))).toBeLessThan(1e-6);
    }
    await page.evaluate(() => {
      ossifyStudio.studio.edited.clear();
      ossifyStudio.studio.setFrame(5);
    });
    await page.waitForFunction(() => ossifyStudio.studio.edited.size > 0);
    await page.click('#keep-edit');
    await page.waitForSelector('#versions li:nth-child(2)');
    await page.waitForFunction(() => (ossifyStudio.studio.comparison?.max ?? 0) > 1e-3);

    await page.evaluate(async () => {
      const { studio } = ossifyStudio;
      await studio.run(studio.state.reference, 'lod', { levels: '0.5' });
    });
    const level = await page.evaluate(() => {
      const { studio } = ossifyStudio;
      const triangles = [studio.reference, studio.result].map((one) => one?.facts.mesh.triangles ?? 0);
      return { triangles, view: studio.state.view, isComparable: studio.isComparable };
    });
    expect(level.triangles[1]).toBeLessThanOrEqual(0.51 * level.triangles[0]);
    expect(level).toMatchObject({ view: 'side', isComparable: false });
    expect(await page.isDisabled('#tools [data-value="heat"]')).toBe(true);
    expect(await page.textContent('#versions li.shown.child')).toMatch(/triangles.*Hausdorff/s);

    await page.evaluate(async () => {
      const { studio } = ossifyStudio;
      await studio.run(0, 'light', { rays: 16, rank: 2 });
    });
    expect(await page.evaluate(() => ossifyStudio.studio.state.coloring)).toBe('light');
    await page.waitForFunction(() => {
      const material = ossifyStudio.viewport.slots.result.actor?.mesh.material;
      return (material as { type?: string })?.type === 'MeshBasicMaterial';
    });
    expect(complaints).toEqual([]);
    await open.closePage(page);
  });

  it('pose by numbers, mirror, reset one bone, and save poses', async () => {
    const { page, complaints } = await open.openPage(open.url);
    await openCreature(page);
    await page.click('[data-tab="Pose"]');
    await page.waitForFunction(() => (ossifyStudio.studio.shapeOf('result')?.bones.length ?? 0) > 0);
    const [left, right] = await page.evaluate(() => {
      const names = ossifyStudio.studio.reference?.rig?.names ?? [];
      return [names.indexOf('Leg0LFoot'), names.indexOf('Leg0RFoot')];
    });
    await page.selectOption('#bone', String(left));
    const angle = page.locator('#pose [aria-label="Turn about x, degrees"]');
    await angle.fill('30');
    await angle.press('Enter');
    await page.waitForFunction(() => ossifyStudio.studio.pose);
    await page.click('#save-pose');
    expect(await page.locator('#poses li').count()).toBe(1);
    await page.click('#mirror-pose');
    await page.selectOption('#bone', String(right));
    const turned = Number(await page.inputValue('#pose [aria-label="Turn about x, degrees"]'));
    expect(Math.abs(turned)).toBeGreaterThan(5);
    await page.click('#reset-bone');
    expect(Math.abs(Number(await page.inputValue('#pose [aria-label="Turn about x, degrees"]')))).toBeLessThan(
      Math.abs(turned),
    );
    await page.click('#poses .grow');
    await page.selectOption('#bone', String(left));
    expect(Number(await page.inputValue('#pose [aria-label="Turn about x, degrees"]'))).toBeCloseTo(30, 0);
    expect(complaints).toEqual([]);
    await open.closePage(page);
  });

  it('set presets, copy commands, settings and links that do the same again, and run a queue', async () => {
    const { page, complaints } = await open.openPage(`${open.url}?sample=bar-bend`);
    await page.waitForSelector('#versions li');
    await page.selectOption('#preset', 'mobile');
    const influences = '#solve .field[data-key="influences"] input[type="number"]';
    await page.waitForFunction(
      (selector) => document.querySelector<HTMLInputElement>(selector)?.value === '2',
      influences,
    );
    // the preset has more bones than a test needs
    const bones = '#solve .field[data-key="bones"] input[type="number"]';
    expect(await page.inputValue(bones)).toBe('16');
    await page.fill(bones, '4');
    await page.click('#share summary');
    const copied = async (what: string): Promise<string> => {
      await page.click(`[data-share="${what}"]`);
      const toast = page.locator('.toast span').last();
      await page.waitForFunction(
        (text) => document.querySelector('.toast:last-child span')?.textContent?.includes(text),
        {
          command: 'ossify decompose',
          settings: '"command"',
          link: '?sample',
        }[what]!,
      );
      return ((await toast.textContent()) ?? '').replace(/^[^:]*: /, '');
    };
    const line = await copied('command');
    expect(line).toMatch(/&& ossify decompose bar-bend\.glb bar-bend-decompose\.glb --bones 4 .*--quantize/);
    for (const part of line.split(' && ')) {
      const words = part.split(' ').map((word) => (word.endsWith('.glb') ? join(folder, word) : word));
      const { status, err } = await captureCli([...words.slice(1), '--quiet']);
      expect(status, err).toBe(0);
    }
    expect(JSON.parse(await copied('settings'))).toMatchObject({ command: 'decompose', options: { influences: 2 } });
    const link = await copied('link');
    expect(link).toContain('sample=bar-bend');
    const again = await open.openPage(link);
    await again.page.waitForSelector('#versions li:nth-child(2)', { timeout: 60_000 });
    expect(await again.page.evaluate(() => ossifyStudio.studio.result?.facts.rig?.maxInfluences)).toBeLessThanOrEqual(
      2,
    );
    await open.closePage(again.page);
    // ossify view loads nothing from other hosts, and no request is made
    const other = await open.openPage(`${open.url}?model=https://example.invalid/x.glb`);
    await other.page.waitForSelector('.toast');
    expect(await other.page.textContent('.toast span')).toContain('download the file and open it');
    expect(await other.page.isVisible('#empty')).toBe(true);
    expect([...again.complaints, ...other.complaints]).toEqual([]);
    await open.closePage(other.page);

    for (const name of ['tube-swell', 'sheet']) {
      const words = ['sample', name, join(folder, `${name}.pc2`), '--resolution', '120', '--frames', '4', '--quiet'];
      expect((await captureCli(words)).status).toBe(0);
    }
    await page.selectOption('#preset', '');
    await page.fill(bones, '3');
    await page.click('[data-tab="Queue"]');
    const files = ['tube-swell', 'sheet'].flatMap((name) => [`${name}.obj`, `${name}.pc2`]);
    await page.setInputFiles(
      '#queue-files',
      files.map((name) => join(folder, name)),
    );
    await page.click('#run-queue');
    await page.waitForFunction(() => document.querySelectorAll('#queue tr[data-status="done"]').length === 2);
    const waiting = page.waitForEvent('download');
    await page.click('#queue tbody tr:first-child button');
    expect(
      readFileSync(await (await waiting).path())
        .subarray(0, 4)
        .toString(),
    ).toBe('glTF');
    expect(complaints).toEqual([]);
    await open.closePage(page);
  });

  it('open the formats of the command line, check files, and change colours', async () => {
    const { page, complaints } = await open.openPage(open.url);
    const rig = join(folder, 'rig.glb');
    const words = ['sample', 'creature', rig, '--resolution', '120', '--frames', '4', '--quiet'];
    expect((await captureCli(words)).status).toBe(0);
    for (const extension of ['fbx', 'usda', 'abc']) {
      const path = join(folder, `rig.${extension}`);
      const baked = await captureCli(['bake', rig, path, '--quiet']);
      expect(baked.status, baked.err).toBe(0);
      await page.setInputFiles('#files', path);
      await page.waitForFunction((name) => ossifyStudio.studio.shown?.title === name, `rig.${extension}`);
      await waitForFrames(page);
    }
    await page.click('[data-tab="Info"]');
    await page.click('#validate');
    await page.waitForSelector('#remarks li');
    expect(await page.locator('#remarks .error').count()).toBe(0);
    const colors = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.selectOption('[aria-label="Colours of the page"]', 'dark');
    const dark = await colors();
    await page.selectOption('[aria-label="Colours of the page"]', 'light');
    expect(await colors()).not.toBe(dark);
    expect(complaints).toEqual([]);
    await open.closePage(page);
  });
}
