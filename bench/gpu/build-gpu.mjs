// SPDX-License-Identifier: MIT
// Bundles the GPU benchmarks into out/gpu-bench: gpu.mjs, gpu-levels.mjs, gpu-stream.mjs, gpu-faces.mjs and gpu-search.mjs, which need Node and the package webgpu alone, and their inputs:
// models.bin, face.bin, and the kernels of the CPU. With --faces only that of faces is built, with --search only that of searches.
//   node bench/gpu/build-gpu.mjs && node out/gpu-bench/gpu.mjs
import { copyFileSync, existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'vite';

const root = resolve(fileURLToPath(import.meta.url), '../../..');
const folder = join(root, 'out/gpu-bench');

const isFaces = process.argv.includes('--faces');
const isSearch = process.argv.includes('--search');
const isFresh = process.argv.includes('--fresh');

for (const [name, entry] of [
  ['gpu', 'bench/gpu/gpu.ts'],
  ['gpu-levels', 'bench/gpu/gpu-levels.ts'],
  ['gpu-stream', 'bench/gpu/gpu-stream.ts'],
  ['gpu-faces', 'bench/gpu/gpu-faces.ts'],
  ['gpu-search', 'bench/gpu/gpu-search.ts'],
  ['prepare', 'bench/gpu/gpu-prepare.ts'],
  ['prepare-face', 'bench/gpu/gpu-face-prepare.ts'],
]) {
  if (isFaces && !name.includes('face')) continue;
  if (isSearch && name !== 'gpu-search') continue;
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    ssr: { noExternal: !name.startsWith('prepare') ? true : undefined, external: ['webgpu'] },
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
for (const name of ['kernels.wasm', 'kernels-shared.wasm'])
  copyFileSync(join(root, 'src/core/compute', name), join(folder, name));
for (const [name, script] of [
  ['models.bin', 'prepare.mjs'],
  ['face.bin', 'prepare-face.mjs'],
]) {
  const file = join(folder, name);
  if (isSearch || (isFaces && name !== 'face.bin') || (existsSync(file) && !isFresh)) continue;
  process.argv[2] = file;
  await import(pathToFileURL(join(folder, script)).href);
}
