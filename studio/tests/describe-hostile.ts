// SPDX-License-Identifier: MIT
// Hostile files: markup in every name, extras that name prototypes, files that are too large or lie about their size; and a graphics card that is lost.
import {
  closeSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { captureCli } from '../../src/hosts/cli/capture-cli.ts';
import type { Studio } from '../src/state/studio.ts';
import type { Viewport } from '../src/viewport/viewport.ts';
import type { OpenStudio } from './page/open-studio.ts';

declare const ossifyStudio: { studio: Studio; viewport: Viewport };

const MARKUP = '"><img src=x onerror="globalThis.hacked=1"><svg onload="globalThis.hacked=2">\u202e\u0007{{7*7}}';
const LONG = 100_000;
const JSON_START = 20;

type Named = Record<string, unknown>;

/** A rig with markup in all names, and extras that name prototypes. */
function makeHostile(glb: Buffer): Buffer {
  const length = glb.readUInt32LE(12);
  const json = JSON.parse(glb.subarray(JSON_START, JSON_START + length).toString('utf8')) as Record<string, Named[]>;
  const extras = { ...JSON.parse('{"__proto__":{"hacked":3},"constructor":{"prototype":{"hacked":4}}}'), note: MARKUP };
  json.materials = [{ name: MARKUP, extras, pbrMetallicRoughness: { baseColorFactor: [1, 0, 0, 1] } }];
  for (const key of ['nodes', 'meshes', 'skins', 'animations', 'materials', 'scenes', 'accessors', 'images'])
    for (const [n, one] of (json[key] ?? []).entries())
      Object.assign(one, { name: `${MARKUP}${n === 1 ? 'x'.repeat(LONG) : n}`, extras });
  for (const mesh of json.meshes) for (const primitive of mesh.primitives as Named[]) primitive.material = 0;
  Object.assign(json.asset, { generator: MARKUP, copyright: MARKUP, extras });
  const text = Buffer.from(JSON.stringify(json));
  const padded = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, 0x20)]);
  const rest = glb.subarray(JSON_START + length);
  const head = Buffer.from(glb.subarray(0, JSON_START));
  head.writeUInt32LE(JSON_START + padded.length + rest.length, 8);
  head.writeUInt32LE(padded.length, 12);
  return Buffer.concat([head, padded, rest]);
}

export function describeHostile(studio: () => OpenStudio): void {
  let open: OpenStudio;
  let folder = '';
  const at = (name: string) => join(folder, name);
  beforeAll(async () => {
    open = studio();
    folder = mkdtempSync(join(tmpdir(), 'ossify-hostile-'));
    await captureCli(['sample', 'bar-bend', at('bar.glb'), '--resolution', '200', '--frames', '5']);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const settle = (page: Page) => page.waitForFunction(() => !ossifyStudio.studio.isWaiting);
  const toasts = (page: Page) => page.locator('#toasts .toast span').allTextContents();

  it('runs and shows no markup of a file, in any panel', async () => {
    const { page, complaints } = await open.openPage(open.url, { isAlone: true });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    const buffer = makeHostile(readFileSync(at('bar.glb')));
    await page.setInputFiles('#files', { name: `${MARKUP.replaceAll('/', '')}.glb`, mimeType: '', buffer });
    await page.waitForFunction(() => ossifyStudio.studio.shown !== undefined);
    await settle(page);
    // another one, so that names are compared, listed and stored
    await page.evaluate(async () => {
      const { studio } = ossifyStudio;
      await studio.run(studio.state.reference, 'reduce', { influences: 2 });
    });
    await settle(page);
    const tabs = page.locator('[data-tab]');
    const found: string[] = [];
    for (let n = 0; n < (await tabs.count()); n++) {
      await tabs.nth(n).click({ force: true });
      found.push(
        ...(await page.evaluate(() =>
          [...document.querySelectorAll('*')]
            .filter(
              (one) => [...one.attributes].some(({ name }) => name.startsWith('on')) || one.getAttribute('src') === 'x',
            )
            .map((one) => one.outerHTML.slice(0, 200)),
        )),
      );
    }
    expect(found).toEqual([]);
    expect(await page.locator('body').innerText()).toContain('<img src=x');
    const hacked = await page.evaluate(() => [
      (globalThis as { hacked?: number }).hacked,
      ({} as { hacked?: number }).hacked,
      (Object as { hacked?: number }).hacked,
    ]);
    expect(hacked).toEqual([undefined, undefined, undefined]);
    expect(asked.filter((url) => !url.startsWith(new URL(open.url).origin) && !/^(data|blob):/.test(url))).toEqual([]);
    expect(complaints).toEqual([]);
    await open.closePage(page);
  });

  it('refuses files that are too large, or lie about their size, and opens the next one', async () => {
    const { page } = await open.openPage(open.url);
    const huge = openSync(at('huge.glb'), 'w');
    writeSync(huge, readFileSync(at('bar.glb')));
    // sparse: it takes no space on the disk
    ftruncateSync(huge, 3 * 2 ** 30);
    closeSync(huge);
    const header = `ply\nformat ascii 1.0\nelement vertex 4000000000\nproperty float x\nproperty float y\nproperty float z\nelement face 4000000000\nproperty list uchar int vertex_indices\nend_header\n`;
    writeFileSync(at('liar.ply'), header);
    const bomb = Buffer.from(readFileSync(at('bar.glb')));
    bomb.writeUInt32LE(0xfffffff0, 8);
    writeFileSync(at('bomb.glb'), bomb);
    for (const name of ['huge.glb', 'liar.ply', 'bomb.glb']) {
      const before = (await toasts(page)).length;
      await page.setInputFiles('#files', at(name));
      await page.waitForFunction(
        (count) => document.querySelectorAll('#toasts .toast span').length > count && !ossifyStudio.studio.isWaiting,
        before,
      );
      expect((await toasts(page)).at(-1)).toMatch(new RegExp(`^${name.replace('.', '\\.')}(:| has) \\S.+`));
    }
    await page.setInputFiles('#files', at('bar.glb'));
    await page.waitForFunction(() => ossifyStudio.studio.shown !== undefined);
    expect(await page.evaluate(() => ossifyStudio.studio.versions.size)).toBe(1);
    await open.closePage(page);
  });

  it('tells that the graphics card was lost, keeps the models, and draws them again when it is back', async () => {
    const { page } = await open.openPage(open.url, { isAlone: true });
    await page.setInputFiles('#files', at('bar.glb'));
    await page.waitForFunction(() => ossifyStudio.studio.shown !== undefined);
    await settle(page);
    const picture = () =>
      page.evaluate(() => {
        const { viewport } = ossifyStudio;
        viewport.invalidate();
        viewport.draw();
        return viewport.canvas.toDataURL();
      });
    const before = await picture();
    const lose = (isBack: boolean) =>
      page.evaluate((back) => {
        const own = globalThis as { lose?: WEBGL_lose_context | null };
        own.lose ??= ossifyStudio.viewport.renderer.getContext().getExtension('WEBGL_lose_context');
        if (back) own.lose?.restoreContext();
        else own.lose?.loseContext();
      }, isBack);
    await lose(false);
    await page.waitForSelector('#toasts .toast');
    expect(await toasts(page)).toEqual([expect.stringContaining('The browser lost the graphics card')]);
    // jobs need no card
    await page.evaluate(async () => {
      const { studio } = ossifyStudio;
      await studio.run(studio.state.reference, 'reduce', { influences: 2 });
      for (const id of [...studio.versions.keys()].slice(1)) studio.close(id);
    });
    await settle(page);
    await lose(true);
    await page.waitForSelector('#toasts .toast.note');
    expect((await toasts(page)).at(-1)).toBe('The graphics card is back.');
    await page.evaluate(() => ossifyStudio.studio.show({ reference: ossifyStudio.studio.state.reference, result: -1 }));
    await settle(page);
    await page.waitForFunction((old) => {
      const { viewport } = ossifyStudio;
      viewport.invalidate();
      viewport.draw();
      return viewport.canvas.toDataURL() === old;
    }, before);
    await open.closePage(page);
  });
}
