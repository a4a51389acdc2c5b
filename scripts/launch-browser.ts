// SPDX-License-Identifier: MIT
// A real Chromium for tests, from npm alone: the package carries the browser, its libraries and a software GPU.

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import type { Browser } from 'playwright-core';

const FLAGS = [
  '--no-sandbox',
  '--enable-unsafe-webgpu',
  '--enable-features=Vulkan',
  '--use-vulkan=swiftshader',
  '--use-angle=swiftshader',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Whether the browser runs here: the package has it for Linux x64. */
export const hasBrowser = process.platform === 'linux' && process.arch === 'x64';

/**
 * Starts the browser. The package unpacks its shared libraries only in cloud functions; the variable set here makes it do so everywhere.
 * @param env environment variables in addition to those of this process
 * @param flags of the browser, in addition to its own
 */
export async function launchBrowser(env: Record<string, string> = {}, flags: readonly string[] = []): Promise<Browser> {
  process.env.AWS_LAMBDA_JS_RUNTIME ??= 'nodejs20.x';
  const { default: packed } = await import('@sparticuz/chromium');
  const { chromium } = await import('playwright-core');
  const own = Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const args = [...FLAGS, ...flags];
  return chromium.launch({ executablePath: await packed.executablePath(), args, env: { ...own, ...env } });
}

const TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.wasm': 'application/wasm',
  '.glb': 'model/gltf-binary',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

/** Serves a folder on a free local port; with isolation headers pages may share memory between threads. */
export async function serveFolder(folder: string, isolated: boolean): Promise<{ url: string; close: () => void }> {
  const server = createServer(async (request, response) => {
    const path = normalize(new URL(request.url ?? '/', 'http://localhost').pathname);
    try {
      const body = await readFile(join(folder, path === '/' ? 'index.html' : path));
      response.setHeader('Content-Type', TYPES[extname(path) || '.html'] ?? 'application/octet-stream');
      if (isolated) {
        response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
        response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp');
      }
      response.end(body);
    } catch {
      response.statusCode = 404;
      response.end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => server.close() };
}
