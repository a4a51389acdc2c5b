// SPDX-License-Identifier: MIT
// Builds the site as static files that work from any folder of any host: pages, API reference, examples and studio. Needs `npm run build` first.
// Usage: node scripts/site/build-site.mjs [folder]
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, posix, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { drawOpening } from './draw-opening.mjs';
import { renderPage, renderRedirect } from './render-page.mjs';
import { ADDRESSES } from './site-pages.mjs';
import { REDIRECTS } from './site-redirects.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const at = (path) => join(root, path);
const out = resolve(process.argv[2] ?? at('out/site'));

for (const built of ['dist/entry/index.js', 'dist/studio/index.html']) {
  if (!existsSync(at(built))) {
    console.error(`build site: ${built} does not exist; run npm run build first`);
    process.exit(1);
  }
}

rmSync(out, { recursive: true, force: true });
await buildExamples();
buildReference();
cpSync(at('dist/studio'), join(out, 'studio'), { recursive: true });
isolateStudio();
buildPages();
await drawOpening(join(out, 'docs/images/opening.png'));

/** Static hosts send no headers: the studio of the site names the service worker that adds them. */
function isolateStudio() {
  const page = join(out, 'studio/index.html');
  const text = readFileSync(page, 'utf8');
  writeFileSync(page, text.replace('</head>', '<meta name="ossify-isolate" content="isolate.js">\n</head>'));
}

function buildPages() {
  for (const [source, address] of ADDRESSES) {
    mkdirSync(dirname(join(out, address)), { recursive: true });
    writeFileSync(join(out, address), renderPage(source, readFileSync(at(source), 'utf8')));
  }
  for (const folder of ['docs/images', 'docs/benchmarks/images'])
    cpSync(at(folder), join(out, folder), { recursive: true });
  for (const redirect of REDIRECTS) writeFileSync(join(out, redirect.from), renderRedirect(redirect));
  cpSync(at('scripts/site/site.css'), join(out, 'site.css'));
}

/** All examples in one build: they share the library and three.js. */
async function buildExamples() {
  const names = readdirSync(at('examples')).filter((name) => existsSync(at(`examples/${name}/index.html`)));
  await build({
    root: at('examples'),
    base: './',
    logLevel: 'error',
    build: {
      outDir: join(out, 'examples'),
      emptyOutDir: true,
      target: 'es2022',
      chunkSizeWarningLimit: 1500,
      rolldownOptions: { input: names.map((name) => at(`examples/${name}/index.html`)) },
    },
    worker: { format: 'es' },
  });
}

/** TypeDoc's pages, with links back to the site, which it cannot make relative by itself. */
function buildReference() {
  const folder = at('docs/api');
  const entry = createRequire(join(folder, 'package.json')).resolve('typedoc');
  const program = join(entry.slice(0, entry.lastIndexOf('typedoc') + 'typedoc'.length), 'bin', 'typedoc');
  const target = join(out, 'api');
  execFileSync(process.execPath, [program, '--out', target, '--logLevel', 'Error'], { cwd: folder, stdio: 'inherit' });
  for (const name of readdirSync(target, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.html')) continue;
    const path = join(target, name);
    const up = relative(dirname(path), out).replaceAll('\\', '/');
    const marker = '<div id="tsd-toolbar-links">';
    const links = [
      ['index.html', 'Documentation'],
      ['studio/index.html', 'Studio'],
    ].map(([page, text]) => `<a href="${posix.join(up, page)}">${text}</a>`);
    const text = readFileSync(path, 'utf8');
    if (!text.includes(marker)) throw new Error(`build site: ${name} has no toolbar; TypeDoc's theme has changed`);
    writeFileSync(path, text.replace(marker, marker + links.join('')));
  }
}
