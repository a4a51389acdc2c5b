// SPDX-License-Identifier: MIT
// Builds the studio as static files: the page, its workers, the viewer of exported pages, and the notices of bundled packages.
// Usage: node scripts/build/studio.mjs [folder]
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { collectPackages, writeNotices } from './list-bundled.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const outDir = resolve(process.argv[2] ?? `${root}/dist/studio`);
const packages = new Set();
const plugins = [collectPackages(packages)];
for (const config of ['vite.config.ts', 'vite.viewer.config.ts'])
  await build({
    configFile: `${root}/studio/${config}`,
    plugins,
    worker: { plugins: () => plugins },
    build: { outDir },
  });
writeNotices(join(outDir, 'NOTICES.txt'), packages);
