// SPDX-License-Identifier: MIT
// Which packages a build bundles, and the notices that their licences require.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A plugin that adds the folder of every bundled package to a set. */
export function collectPackages(folders) {
  return {
    name: 'collect-packages',
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        for (const id of Object.keys(chunk.modules ?? {})) {
          const folder = /^(.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+)[/\\]/.exec(id.replace(/^\0/, ''))?.[1];
          if (folder !== undefined) folders.add(folder);
        }
      }
    },
  };
}

/** Writes name, version and licence text of packages. Throws if a package has no licence text. */
export function writeNotices(file, folders) {
  const sections = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const found = readdirSync(folder).find((one) => /^(licen[cs]e|copying)/i.test(one));
    if (found === undefined) throw new Error(`notices: ${name} has no licence file`);
    return `${name} ${version} (${license})\n\n${readFileSync(join(folder, found), 'utf8').trim()}\n`;
  });
  const head = 'Files in this folder contain the following packages.\n';
  writeFileSync(file, [head, ...sections].join(`\n${'-'.repeat(80)}\n\n`));
}
