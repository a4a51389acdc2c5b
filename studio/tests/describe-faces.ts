// SPDX-License-Identifier: MIT
// Sliders of shapes: on a face of morph targets, on its driven bones, and on both side by side.
import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Accessor, Document, WebIO } from '@gltf-transform/core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FaceSample, makeFace } from '../../src/entry/sample.ts';
import { captureCli } from '../../src/hosts/cli/capture-cli.ts';
import type { Studio } from '../src/state/studio.ts';
import type { Viewport } from '../src/viewport/viewport.ts';
import type { OpenStudio } from './page/open-studio.ts';

declare const ossifyStudio: { studio: Studio; viewport: Viewport };

const SHAPE = 'jawOpen';
/** Rounding of single numbers in a face of 0.25 m. */
const ROUNDING = 1e-6;

/** Sliders of faces. */
export function describeFaces(studio: () => OpenStudio): void {
  let open: OpenStudio;
  let folder = '';
  beforeAll(() => {
    open = studio();
    folder = mkdtempSync(join(tmpdir(), 'ossify-studio-faces-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('have sliders for their shapes, which move morph targets and driven bones side by side', async () => {
    const face = makeFace(12);
    const [source, converted] = [join(folder, 'face.glb'), join(folder, 'driven.glb')];
    await writeFile(source, await writeFace(face));
    const words = [
      'convert',
      source,
      converted,
      '--bones',
      '8',
      '--poses',
      '10',
      '--threads',
      '1',
      '--json',
      '--quiet',
    ];
    const { status, out, err } = await captureCli(words);
    expect([status, err]).toEqual([0, '']);
    const error: number = JSON.parse(out).result.perShape[SHAPE].max;
    const { positions: deltas } = face.morphs.targets.find(({ name }) => name === SHAPE)!;
    const rest = [...face.mesh.positions];
    const moved = rest.map((x, c) => x + deltas[c]);

    const { page, complaints } = await open.openPage(open.url);
    const slider = page.locator(`#shapes input[aria-label="${SHAPE}"]`);
    await openFile(page, source);
    await page.click('[data-tab="Pose"]');
    expect(await page.locator('#shapes input').count()).toBe(face.morphs.targets.length);
    expect(await page.isVisible('#pose .warn')).toBe(false);
    await dragToEnd(page, SHAPE);
    await expect.poll(async () => farthest(moved, await shapeOf(page, 'result')), PATIENT).toBeLessThan(ROUNDING);

    await openFile(page, converted);
    await page.evaluate(() => ossifyStudio.studio.set({ view: 'side' }, 'view'));
    await page.click('[data-tab="Info"]');
    expect(await page.textContent('#info')).toContain('Shapes that drive bones');
    await page.click('[data-tab="Pose"]');
    expect(await page.evaluate(() => ossifyStudio.studio.state.view)).toBe('side');
    expect(await slider.inputValue()).toBe('0');
    await expect.poll(async () => farthest(rest, await shapeOf(page, 'reference')), PATIENT).toBeLessThan(ROUNDING);
    await expect.poll(async () => farthest(rest, await shapeOf(page, 'result')), PATIENT).toBeLessThan(ROUNDING);
    await dragToEnd(page, SHAPE);
    await expect.poll(async () => farthest(moved, await shapeOf(page, 'reference')), PATIENT).toBeLessThan(ROUNDING);
    const between = async () => farthest(await shapeOf(page, 'reference'), await shapeOf(page, 'result'));
    await expect.poll(between, PATIENT).toBeLessThan(error + ROUNDING);
    // the bound distinguishes a face that moved from one that did not
    expect(farthest(rest, await shapeOf(page, 'result'))).toBeGreaterThan(5 * error);

    await page.click('#save-pose');
    await page.click('#pose >> text=Back to the animation');
    expect(await slider.inputValue()).toBe('0');
    await expect.poll(async () => farthest(rest, await shapeOf(page, 'result')), PATIENT).toBeLessThan(ROUNDING);
    await page.click('#poses .grow');
    expect(await slider.inputValue()).toBe('1');
    await expect.poll(async () => farthest(moved, await shapeOf(page, 'reference')), PATIENT).toBeLessThan(ROUNDING);
    await expect.poll(between, PATIENT).toBeLessThan(error + ROUNDING);
    expect(complaints).toEqual([]);
    await open.closePage(page);
  });
}

/** Poses come from a worker; a software renderer draws them late. */
const PATIENT = { timeout: 30_000, interval: 100 };

async function openFile(page: Page, path: string): Promise<void> {
  const count = await page.evaluate(() => ossifyStudio.studio.versions.size);
  await page.setInputFiles('#files', path);
  await page.waitForFunction(
    (before) => ossifyStudio.studio.versions.size > before && !ossifyStudio.studio.isWaiting,
    count,
  );
}

/** Drags the slider of a shape from its left end beyond its right end. */
async function dragToEnd(page: Page, shape: string): Promise<void> {
  const slider = page.locator(`#shapes input[aria-label="${shape}"]`);
  await slider.scrollIntoViewIfNeeded();
  const { x, y, width, height } = (await slider.boundingBox())!;
  await page.mouse.move(x + 4, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width + 4, y + height / 2, { steps: 5 });
  await page.mouse.up();
  expect(await slider.inputValue()).toBe('1');
}

/** The vertices that a view draws. */
function shapeOf(page: Page, slot: 'reference' | 'result'): Promise<number[]> {
  return page.evaluate((name) => Array.from(ossifyStudio.viewport.slots[name].actor?.positions ?? []), slot);
}

/** The maximum distance of vertices. */
function farthest(a: readonly number[], b: readonly number[]): number {
  expect(b.length).toBe(a.length);
  let max = 0;
  for (let c = 0; c < a.length; c += 3)
    max = Math.max(max, Math.hypot(a[c] - b[c], a[c + 1] - b[c + 1], a[c + 2] - b[c + 2]));
  return max;
}

/** A face of morph targets as a GLB. */
function writeFace({ mesh, morphs }: FaceSample): Promise<Uint8Array> {
  const document = new Document();
  const buffer = document.createBuffer();
  const accessor = (type: 'SCALAR' | 'VEC3', array: Float32Array | Uint32Array): Accessor =>
    document
      .createAccessor()
      .setType(type)
      .setArray(array.slice() as Float32Array<ArrayBuffer>)
      .setBuffer(buffer);
  const primitive = document
    .createPrimitive()
    .setIndices(accessor('SCALAR', mesh.triangles))
    .setAttribute('POSITION', accessor('VEC3', mesh.positions));
  for (const { name, positions } of morphs.targets)
    primitive.addTarget(document.createPrimitiveTarget(name).setAttribute('POSITION', accessor('VEC3', positions)));
  const own = document.createMesh('face').addPrimitive(primitive);
  own.setExtras({ targetNames: morphs.targets.map(({ name }) => name) }).setWeights(morphs.targets.map(() => 0));
  document.createScene().addChild(document.createNode('face').setMesh(own));
  return new WebIO().writeBinary(document);
}
