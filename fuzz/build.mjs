// SPDX-License-Identifier: MIT
// Bundles the fuzzer into out/fuzz (or another folder): Node 20 does not run TypeScript.
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = resolve(fileURLToPath(import.meta.url), '../..');
await build({
  root,
  configFile: false,
  logLevel: 'warn',
  build: {
    ssr: join(root, 'fuzz/start.ts'),
    target: 'node20',
    outDir: resolve(root, process.argv[2] ?? 'out/fuzz'),
    emptyOutDir: false,
    minify: false,
    rollupOptions: { output: { entryFileNames: 'fuzz.mjs', chunkFileNames: 'fuzz-[name].mjs' } },
  },
});
