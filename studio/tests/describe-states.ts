// SPDX-License-Identifier: MIT
// Accessibility of every panel, forced colours, the light viewport, focus, exported poses and the frame rate.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
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
declare const axe: {
  run(options: {
    resultTypes: 'violations'[];
  }): Promise<{ violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }>;
};

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export function describeStates(studio: () => OpenStudio): void {
  let open: OpenStudio;
  let folder = '';
  beforeAll(() => {
    open = studio();
    folder = mkdtempSync(join(tmpdir(), 'ossify-states-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const openCreature = async (page: Page): Promise<void> => {
    await page.evaluate(() => ossifyStudio.studio.openSample('creature', { resolution: 300, frames: 8 }));
    await page.waitForFunction(() => ossifyStudio.studio.shown !== undefined && !ossifyStudio.studio.isWaiting);
  };
  const listFindings = (page: Page): Promise<string[]> =>
    page.evaluate(async () => {
      // all rules run; only violations are described in full
      const { violations } = await axe.run({ resultTypes: ['violations'] });
      return violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary ?? ''}`),
      );
    });

  it('have no finding of axe, in either theme', async () => {
    const { page, complaints } = await open.openPage(open.url);
    await page.evaluate(AXE);
    const findings: string[] = [];
    const check = async (state: string): Promise<void> => {
      findings.push(...(await listFindings(page)).map((finding) => `${state}: ${finding}`));
    };
    await check('empty');
    await openCreature(page);
    await page.evaluate(async () => {
      const { studio } = ossifyStudio;
      await studio.run(studio.state.reference, 'reduce', { influences: 2 });
    });
    const tabs = await page
      .locator('[data-tab]')
      .evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset.tab));
    expect(tabs.length).toBeGreaterThan(5);
    for (const theme of ['dark', 'light']) {
      await page.click('[data-tab="Info"]');
      await page.selectOption('[aria-label="Colours of the page"]', theme);
      for (const tab of tabs) {
        await page.click(`[data-tab="${tab}"]`);
        await settlePage(page);
        await check(`${theme}, ${tab}`);
      }
    }
    await page.keyboard.press('?');
    await check('help');
    await page.keyboard.press('Escape');
    for (const menu of ['samples', 'export']) {
      await page.click(`#${menu} summary`);
      await check(`menu ${menu}`);
      await page.keyboard.press('Escape');
    }
    // a phone, while a job runs and with messages
    await page.setViewportSize({ width: 390, height: 844 });
    await page.click('[data-tab="Solve"]');
    await page.evaluate(() => {
      const { studio } = ossifyStudio;
      studio.complain('walk.abc: this is a fault');
      studio.complain('walk.abc: this is a note', true);
      void studio.run(0, 'convert', { helpers: 4 });
    });
    await page.waitForSelector('#cancel:visible');
    await check('a phone, a running job');
    await page.evaluate(() => ossifyStudio.studio.cancel());
    await page.waitForFunction(() => !ossifyStudio.studio.job);
    await page.click('[data-tab="Pose"]');
    await check('a phone, Pose');
    expect(findings).toEqual([]);
    expect(complaints).toEqual([]);
    await open.closePage(page);
  });

  it('mark what is chosen in forced colours', async () => {
    const { page, complaints } = await open.openPage(open.url, { isAlone: true });
    await page.emulateMedia({ forcedColors: 'active' });
    await openCreature(page);
    await page.click('[data-tab="Bones"]');
    await page.click('.tree li:nth-child(3)');
    const backOf = (selector: string): Promise<string> =>
      page.locator(selector).evaluate((one) => getComputedStyle(one).backgroundColor);
    const highlight = await page.evaluate(() => {
      const probe = document.body.appendChild(document.createElement('i'));
      probe.style.cssText = 'forced-color-adjust:none;background:Highlight';
      const { backgroundColor } = getComputedStyle(probe);
      probe.remove();
      return backgroundColor;
    });
    for (const chosen of ['[data-tab="Bones"]', '.tree li:nth-child(3)', '#versions li.shown'])
      expect(await backOf(chosen), chosen).toBe(highlight);
    expect(await backOf('[data-tab="Info"]')).not.toBe(highlight);
    const edge = await page
      .locator('[data-tab="Info"]')
      .evaluate((one) => getComputedStyle(one).borderTopColor === getComputedStyle(one).backgroundColor);
    expect(edge).toBe(false);
    expect(complaints).toEqual([]);
    await open.closePage(page);
  });

  it('draw a light viewport in the light theme, and list nodes and materials', async () => {
    const { page, complaints } = await open.openPage(open.url);
    await openCreature(page);
    await page.click('[data-tab="Info"]');
    const brightness = (): Promise<number> => page.evaluate(() => ossifyStudio.viewport.stage.scene.fog?.color.r ?? 0);
    await page.selectOption('[aria-label="Colours of the page"]', 'dark');
    const dark = await brightness();
    await page.selectOption('[aria-label="Colours of the page"]', 'light');
    expect(await brightness()).toBeGreaterThan(10 * dark);
    const nodes = await page.locator('#nodes li').allTextContents();
    expect(nodes.length).toBeGreaterThan(10);
    expect(nodes.filter((text) => text.includes('joint')).length).toBeGreaterThan(5);
    expect(nodes.some((text) => text.includes('mesh'))).toBe(true);
    expect(await page.locator('#materials li').count()).toBeGreaterThan(0);
    expect(complaints).toEqual([]);
    await open.closePage(page);
  });

  it('focus on the picked bone by F, and export poses', async () => {
    const { page, complaints } = await open.openPage(open.url);
    await openCreature(page);
    const distance = (): Promise<number> =>
      page.evaluate(() => {
        const { controls, stage } = ossifyStudio.viewport;
        return controls.target.distanceTo(stage.camera.position);
      });
    const whole = await distance();
    await page.click('[data-tab="Bones"]');
    await page.click('.tree li:nth-child(6)');
    await page.locator('#viewport canvas').first().focus();
    await page.keyboard.press('f');
    const near = await distance();
    expect(near).toBeLessThan(0.6 * whole);
    await page.evaluate(() => ossifyStudio.studio.set({ lock: -1 }, 'view', 'bone'));
    await page.keyboard.press('f');
    expect(await distance()).toBeGreaterThan(1.5 * near);

    await page.click('[data-tab="Pose"]');
    await page.waitForFunction(() => (ossifyStudio.studio.shapeOf('result')?.bones.length ?? 0) > 0);
    const angle = page.locator('#pose [aria-label="Turn about x, degrees"]');
    await page.selectOption('#bone', '4');
    await angle.fill('20');
    await angle.press('Enter');
    await page.waitForFunction(() => ossifyStudio.studio.pose);
    await page.click('#save-pose');
    const waiting = page.waitForEvent('download');
    await page.click('#export-poses');
    const file = JSON.parse(readFileSync(await (await waiting).path(), 'utf8'));
    expect(file.bones).toContain('Leg0LFoot');
    expect(file.poses).toHaveLength(1);
    expect(file.poses[0].bones).toHaveLength(16 * file.bones.length);
    expect(complaints).toEqual([]);
    await open.closePage(page);
  });

  it('read files again with another frame rate', async () => {
    const { page, complaints } = await open.openPage(open.url);
    const words = ['sample', 'sheet', join(folder, 'sheet.pc2'), '--resolution', '120', '--frames', '5', '--quiet'];
    expect((await captureCli(words)).status).toBe(0);
    await page.setInputFiles(
      '#files',
      ['sheet.obj', 'sheet.pc2'].map((name) => join(folder, name)),
    );
    await page.waitForFunction(() => ossifyStudio.studio.shown !== undefined && !ossifyStudio.studio.isWaiting);
    const lastTime = (): Promise<number> =>
      page.evaluate(() => ossifyStudio.studio.shown?.motions[0].times.at(-1) ?? 0);
    const before = await lastTime();
    await page.click('[data-tab="Info"]');
    const rate = page.locator('#info [aria-label="Frames per second"]');
    await rate.fill('12');
    await rate.press('Enter');
    await page.waitForFunction((time) => (ossifyStudio.studio.shown?.motions[0].times.at(-1) ?? time) !== time, before);
    expect(await lastTime()).toBeCloseTo(4 / 12, 6);
    expect(complaints).toEqual([]);
    await open.closePage(page);
  });
}
