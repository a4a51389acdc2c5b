// SPDX-License-Identifier: MIT
// Bundles the GPU benchmarks into out/gpu-bench: gpu.mjs, gpu-levels.mjs, gpu-stream.mjs and gpu-faces.mjs, which need Node and the package webgpu alone, and the inputs of the first,
// models.bin, and of the last, face.bin. With --faces only the last is built.
//   node bench/build-gpu.mjs && node out/gpu-bench/gpu.mjs
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'vite';

const root = resolve(fileURLToPath(import.meta.url), '../..');
const folder = join(root, 'out/gpu-bench');

const isFaces = process.argv.includes('--faces');
const isFresh = process.argv.includes('--fresh');

for (const [name, entry] of [
  ['gpu', 'bench/gpu.ts'],
  ['gpu-levels', 'bench/gpu-levels.ts'],
  ['gpu-stream', 'bench/gpu-stream.ts'],
  ['gpu-faces', 'bench/gpu-faces.ts'],
  ['prepare', 'bench/gpu-prepare.ts'],
  ['prepare-face', 'bench/gpu-face-prepare.ts'],
]) {
  if (isFaces && !name.includes('face')) continue;
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
for (const [name, script] of [
  ['models.bin', 'prepare.mjs'],
  ['face.bin', 'prepare-face.mjs'],
]) {
  const file = join(folder, name);
  if ((isFaces && name !== 'face.bin') || (existsSync(file) && !isFresh)) continue;
  process.argv[2] = file;
  await import(pathToFileURL(join(folder, script)).href);
}
