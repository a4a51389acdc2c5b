// SPDX-License-Identifier: MIT
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The viewer of exported pages: one classic script beside the studio, which puts it into the pages. */
export default defineConfig({
  root: at('.'),
  logLevel: 'error',
  publicDir: false,
  build: {
    outDir: at('../dist/studio'),
    emptyOutDir: false,
    target: 'es2022',
    lib: { entry: at('src/viewer/viewer.ts'), formats: ['iife'], name: 'ossifyViewer', fileName: () => 'viewer.js' },
    // without it, indexes of units become a second chunk, which a classic script cannot have
    rollupOptions: { experimental: { lazyBarrel: true } },
  },
});
