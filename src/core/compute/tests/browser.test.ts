// SPDX-License-Identifier: MIT
// The kernels in a real browser, through a real bundler: the same bytes as in Node, with and without threads.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchBrowser, serveFolder } from '../../../../scripts/launch-browser.ts';
import { uploadFloat64 } from '../../kernels/compute.ts';
import { rotationsKernel } from '../../kernels/patches/rotations.ts';
import { makeRandom } from '../../math/random.ts';
import { makeCompute } from '../make-compute.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const COUNT = 20_001;
/** Matrices per chunk; even. */
const CHUNK = 2048;

const PAGE = `
import { makeRandom } from '${ROOT}src/core/math/random.ts';
import { makeCompute } from '${ROOT}src/core/compute/make-compute.ts';
import { uploadFloat64 } from '${ROOT}src/core/kernels/compute.ts';
import { rotationsKernel } from '${ROOT}src/core/kernels/patches/rotations.ts';
globalThis.solve = async (threads) => {
  const random = makeRandom(3);
  const matrices = Float64Array.from({ length: ${9 * COUNT} }, () => random.normal());
  const compute = await makeCompute({ kind: 'wasm', threads });
  const array = uploadFloat64(compute, matrices);
  const args = { matrices: array, out: array, count: ${COUNT}, chunkSize: ${CHUNK} };
  await compute.run(rotationsKernel, args, ${Math.ceil(COUNT / CHUNK)});
  matrices.set(array.view());
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', matrices.buffer));
  compute.dispose();
  return { threads: compute.threads, hash: [...digest].map((b) => b.toString(16).padStart(2, '0')).join('') };
};
`;

describe('kernels in a browser', () => {
  let browser: Browser;
  let folder: string;
  let expected: string;
  beforeAll(async () => {
    mkdirSync(join(ROOT, 'tmp'), { recursive: true });
    folder = mkdtempSync(join(ROOT, 'tmp', 'kernels-'));
    writeFileSync(join(folder, 'page.ts'), PAGE);
    writeFileSync(join(folder, 'index.html'), '<!doctype html><script type="module" src="./page.ts"></script>');
    await build({ root: folder, logLevel: 'error', build: { outDir: join(folder, 'dist'), assetsInlineLimit: 0 } });
    browser = await launchBrowser();
    const random = makeRandom(3);
    const matrices = Float64Array.from({ length: 9 * COUNT }, () => random.normal());
    const compute = await makeCompute({ kind: 'wasm', threads: 1 });
    const array = uploadFloat64(compute, matrices);
    const args = { matrices: array, out: array, count: COUNT, chunkSize: CHUNK };
    await compute.run(rotationsKernel, args, Math.ceil(COUNT / CHUNK));
    matrices.set(array.view());
    expected = createHash('sha256').update(new Uint8Array(matrices.buffer)).digest('hex');
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    { isolated: true, threads: 2 },
    { isolated: true, threads: 1 },
    { isolated: false, threads: 1 },
  ])('give the bytes of Node (isolation headers: $isolated, threads: $threads)', async ({ isolated, threads }) => {
    const server = await serveFolder(join(folder, 'dist'), isolated);
    const page = await browser.newPage();
    await page.goto(server.url);
    await page.waitForFunction('globalThis.solve');
    const result = await page.evaluate('solve(2)');
    expect(result).toEqual({ threads: isolated ? 2 : 1, hash: expected });
    if (threads === 1) expect(await page.evaluate('solve(1)')).toEqual({ threads: 1, hash: expected });
    await page.close();
    server.close();
  });
});
