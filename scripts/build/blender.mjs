// SPDX-License-Identifier: MIT
// Packs the Blender add-on into out/ossify-blender-VERSION.zip: an extension for Blender 4.2 and later, and a legacy add-on for Blender 3.4 and later.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { zipSync } from 'fflate';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, 'integrations', 'blender', 'ossify');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** The same bytes for the same files. */
const DATE = new Date(2020, 0, 1);

const files = {};
for (const name of readdirSync(folder).sort()) {
  if (!/\.(py|toml)$/.test(name)) continue;
  let text = readFileSync(join(folder, name), 'utf8');
  if (name === 'blender_manifest.toml') text = text.replace(/^version = .*$/m, `version = "${version}"`);
  files[`ossify/${name}`] = [new TextEncoder().encode(text), { mtime: DATE }];
}
files['ossify/LICENSE'] = [readFileSync(join(root, 'LICENSE')), { mtime: DATE }];
const out = join(root, 'out');
mkdirSync(out, { recursive: true });
const path = join(out, `ossify-blender-${version}.zip`);
writeFileSync(path, zipSync(files));
console.log(path);
