// SPDX-License-Identifier: MIT
// Bundles the GPU benchmark into out/gpu-bench: gpu.mjs, gpu-levels.mjs and gpu-stream.mjs, which need Node and the package webgpu alone, and models.bin, the input of the first.
//   node bench/build-gpu.mjs && node out/gpu-bench/gpu.mjs
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'vite';

const root = resolve(fileURLToPath(import.meta.url), '../..');
const folder = join(root, 'out/gpu-bench');

for (const [name, entry] of [
  ['gpu', 'bench/gpu.ts'],
  ['gpu-levels', 'bench/gpu-levels.ts'],
  ['gpu-stream', 'bench/gpu-stream.ts'],
  ['prepare', 'bench/gpu-prepare.ts'],
]) {
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    ssr: { noExternal: name !== 'prepare' ? true : undefined, external: ['webgpu'] },
    build: {
      ssr: join(root, entry),
      target: 'node20',
      outDir: folder,
      emptyOutDir: false,
      minify: false,
      rollupOptions: { output: { entryFileNames: `${name}.mjs`, codeSplitting: false } },
    },
  });
}
const models = join(folder, 'models.bin');
if (!existsSync(models) || process.argv.includes('--fresh')) {
  process.argv[2] = models;
  await import(pathToFileURL(join(folder, 'prepare.mjs')).href);
}
