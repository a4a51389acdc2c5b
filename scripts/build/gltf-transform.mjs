// SPDX-License-Identifier: MIT
// Bundles the parts of glTF-Transform that the library uses, and Draco's decoder, into dist/gltf-transform/, without their code for Node: esbuild refuses
// to bundle that for browsers. Bundlers take this file where they build for browsers, by the condition in "imports" of package.json; Node takes the package itself.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { collectPackages, writeNotices } from './list-bundled.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const outDir = join(root, 'dist/gltf-transform');
const IMPORT = /import \{([^}]*)\} from '(@gltf-transform\/(core|extensions))';/g;

/** Draco's decoder and encoder, whose scripts ask for fs and path of Node only where they run there. */
const DRACO = {
  draco: 'draco3dgltf/draco_decoder_gltf_nodejs.js',
  'draco-encoder': 'draco3dgltf/draco_encoder_gltf_nodejs.js',
};

const names = { core: new Set(), extensions: new Set() };
const folder = join(root, 'dist/formats/gltf');
for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'))) {
  const text = readFileSync(join(folder, file), 'utf8');
  const own = Object.entries(DRACO).reduce(
    (all, [name, path]) => all.replaceAll(path, `#gltf-transform/${name}`),
    text,
  );
  const rewritten = own.replace(IMPORT, (_all, list, _name, part) => {
    for (const name of list.split(',')) if (name.trim() !== '') names[part].add(name.trim().split(' as ')[0]);
    return `import {${list}} from '#gltf-transform/${part}';`;
  });
  if (/@gltf-transform\//.test(rewritten.replace(/^\s*(\/\/|\*).*$/gm, '')))
    throw new Error(`build glTF-Transform: ${file} imports it in a form that is not rewritten`);
  writeFileSync(join(folder, file), rewritten);
}

rmSync(outDir, { recursive: true, force: true });
mkdirSync(outDir, { recursive: true });
const packages = new Set();
const entries = {};
for (const [part, used] of Object.entries(names)) {
  entries[part] = join(outDir, `${part}-entry.js`);
  writeFileSync(entries[part], `export { ${[...used].sort().join(', ')} } from '@gltf-transform/${part}';\n`);
}
for (const [name, path] of Object.entries(DRACO)) {
  entries[name] = join(outDir, `${name}-entry.js`);
  writeFileSync(entries[name], `export { default } from '${path}';\n`);
}
/** Empty modules in place of those of Node. */
const withoutNode = {
  name: 'without-node',
  enforce: 'pre',
  resolveId: (id) => (id === 'fs' || id === 'path' ? `\0${id}` : undefined),
  load: (id) => (id === '\0fs' || id === '\0path' ? 'export default {};' : undefined),
};
await build({
  configFile: false,
  root,
  logLevel: 'error',
  publicDir: false,
  plugins: [withoutNode, collectPackages(packages)],
  build: {
    outDir,
    emptyOutDir: false,
    minify: false,
    target: 'es2022',
    lib: { entry: entries, formats: ['es'], fileName: (_format, name) => `${name}.js` },
  },
});
for (const entry of Object.values(entries)) rmSync(entry);
writeNotices(join(outDir, 'NOTICES.txt'), packages);
