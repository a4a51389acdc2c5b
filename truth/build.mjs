// SPDX-License-Identifier: MIT
// Bundles the players into out/truth (or another folder): Node 20 does not run TypeScript.
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = resolve(fileURLToPath(import.meta.url), '../..');
await build({
  root,
  configFile: false,
  logLevel: 'warn',
  build: {
    ssr: join(root, 'truth/start.ts'),
    target: 'node20',
    outDir: resolve(root, process.argv[2] ?? 'out/truth'),
    emptyOutDir: false,
    minify: false,
    rollupOptions: { output: { entryFileNames: 'truth.mjs', chunkFileNames: 'truth-[name].mjs' } },
  },
});
