// SPDX-License-Identifier: MIT
// Builds the studio as static files: the page, its workers, and the viewer of exported pages. Usage: node scripts/build-studio.mjs [folder]
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));
const outDir = resolve(process.argv[2] ?? `${root}/dist/studio`);
await build({ configFile: `${root}/studio/vite.config.ts`, build: { outDir } });
await build({ configFile: `${root}/studio/vite.viewer.config.ts`, build: { outDir } });
