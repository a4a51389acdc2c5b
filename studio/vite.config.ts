// SPDX-License-Identifier: MIT
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { adaptTranscoder } from './adapt-transcoder.ts';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const { version } = JSON.parse(readFileSync(at('../package.json'), 'utf8')) as { version: string };
const define = { OSSIFY_VERSION: JSON.stringify(version) };

/** Static files that work from any host and folder: every address is relative. */
export default defineConfig({
  root: at('.'),
  base: './',
  define,
  logLevel: 'error',
  plugins: [adaptTranscoder()],
  worker: { format: 'es', plugins: () => [adaptTranscoder()] },
  // threads share memory only where the host says so
  server: { headers: { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' } },
  build: { outDir: at('../dist/studio'), emptyOutDir: true, target: 'es2022', chunkSizeWarningLimit: 1500 },
});
