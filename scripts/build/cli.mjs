// SPDX-License-Identifier: MIT
// Bundles the command line into dist/cli/main.js and a few chunks beside it: Node reads and links some 600 modules of dist/ in 0.3 s, and a bundle in 0.1 s. Packages stay
// imports. The other files of dist/ are the library, and are not changed.
// The commands that are run most have chunks of their own, so that they do not load the code of all others: 0.03 to 0.06 s less.
import { readFileSync, rmSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, 'dist', 'cli');
const main = join(root, 'dist/hosts/cli/main.js');

/** Modules that find files beside them by import.meta.url continue to find them from the bundle. */
const keepUrls = {
  name: 'keep-urls',
  transform(code, id) {
    if (!code.includes('import.meta.url')) return undefined;
    const path = relative(folder, id).replaceAll('\\', '/');
    return code.replaceAll('import.meta.url', `new URL(${JSON.stringify(path)}, import.meta.url).href`);
  },
};

const STATEMENT = /^(?:import|export)\b\s*(?:\{([^}]*)\})?[^;]*?\bfrom '(\.[^']+)';|^import '(\.[^']+)';/gm;

/** The module behind each name that the index of a unit exports. */
function listExports(index) {
  const modules = new Map();
  for (const [, names, from] of readFileSync(index, 'utf8').matchAll(STATEMENT))
    for (const name of (names ?? '').split(','))
      modules.set(name.trim().split(' as ').pop(), resolve(index, '..', from));
  return modules;
}

/** The modules that a module loads with itself: imports that are not dynamic. Of an index, those behind the imported names. */
function listStatic(path, found = new Set()) {
  if (found.has(path)) return found;
  found.add(path);
  for (const [, names, from, bare] of readFileSync(path, 'utf8').matchAll(STATEMENT)) {
    const to = resolve(path, '..', from ?? bare);
    if (basename(to) !== 'index.js') {
      listStatic(to, found);
      continue;
    }
    found.add(to);
    const modules = listExports(to);
    for (const name of names.split(',').map((one) => one.trim().split(' as ')[0]))
      if (modules.has(name)) listStatic(modules.get(name), found);
  }
  return found;
}

// Every command reads glTF. Whatever is left is loaded with the commands that need it.
const ENTRIES = [
  'hosts/cli/run-cli',
  'jobs/decompose/decompose-job',
  'jobs/decompose/run-decompose',
  'formats/gltf/read-gltf',
  'jobs/skeleton/skeleton-job',
  'jobs/view/info-job',
  'hosts/cli/commands',
];
const groups = ENTRIES.map((entry) => {
  const modules = listStatic(join(root, 'dist', `${entry}.js`));
  return { name: entry.replace(/^.*\//, ''), test: (id) => modules.has(id) };
});

rmSync(folder, { recursive: true, force: true });
await build({
  configFile: false,
  root,
  logLevel: 'error',
  publicDir: false,
  plugins: [keepUrls],
  build: {
    outDir: folder,
    ssr: main,
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
