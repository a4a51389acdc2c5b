// SPDX-License-Identifier: MIT
// Bundles the command line into dist/cli/main.js and a few chunks beside it: Node reads and links some 600 modules of dist/ in 0.3 s, and a bundle in 0.1 s. Packages stay
// imports. The other files of dist/ are the library, and are not changed.
// The two commands that are run most have chunks of their own, so that they do not load the code of all others: 0.06 s less.
import { readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'dist', 'cli');
const outDir = join(folder, 'bundle');

/** Modules that find files beside them by import.meta.url continue to find them from the bundle. */
const keepUrls = {
  name: 'keep-urls',
  transform(code, id) {
    if (!code.includes('import.meta.url')) return undefined;
    const path = relative(folder, id).replaceAll('\\', '/');
    return code.replaceAll('import.meta.url', `new URL(${JSON.stringify(path)}, import.meta.url).href`);
  },
};

/** The modules that a module loads with itself: imports that are not dynamic. */
function listStatic(path, found = new Set()) {
  if (found.has(path)) return found;
  found.add(path);
  const code = readFileSync(path, 'utf8');
  for (const [, to] of code.matchAll(/^(?:import|export)\b[^;]*?\bfrom '(\.[^']+)';|^import '(\.[^']+)';/gm))
    if (to) listStatic(resolve(path, '..', to), found);
  return found;
}

// Every command reads glTF. Whatever is left is loaded with the commands that need it.
const ENTRIES = ['cli/run-cli', 'recipe/decompose-job', 'gltf/read-gltf', 'recipe/skeleton-job', 'cli/commands'];
const groups = ENTRIES.map((entry) => {
  const modules = listStatic(join(root, 'dist', `${entry}.js`));
  return { name: entry.replace(/^.*\//, ''), test: (id) => modules.has(id) };
});

for (const name of readdirSync(folder).filter((one) => one.startsWith('chunk-'))) rmSync(join(folder, name));
await build({
  configFile: false,
  root,
  logLevel: 'error',
  publicDir: false,
  plugins: [keepUrls],
  build: {
    outDir,
    ssr: join(folder, 'main.js'),
    minify: false,
    target: 'node20',
    rollupOptions: {
      output: {
        entryFileNames: 'main.js',
        chunkFileNames: 'chunk-[name].js',
        codeSplitting: { includeDependenciesRecursively: false, groups },
        // names stay for stack traces
        minify: { compress: false, mangle: false, codegen: true },
      },
    },
  },
});
for (const name of readdirSync(outDir)) renameSync(join(outDir, name), join(folder, name));
rmSync(outDir, { recursive: true });
