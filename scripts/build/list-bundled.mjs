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

function findLicence(folder) {
  const found = readdirSync(folder).find((one) => /^(licen[cs]e|copying)/i.test(one));
  return found === undefined ? undefined : readFileSync(join(folder, found), 'utf8');
}

/** The text of the Apache licence, for packages that name it without a copy (draco3dgltf). Another package has one. */
function readApacheLicence() {
  return readFileSync(new URL('../../node_modules/assemblyscript/LICENSE', import.meta.url), 'utf8');
}

/** Writes name, version and licence text of packages. Throws if a package has no licence text. */
export function writeNotices(file, folders) {
  const sections = [...folders].sort().map((folder) => {
    const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const text = findLicence(folder) ?? (license === 'Apache-2.0' ? `${author}\n\n${readApacheLicence()}` : undefined);
    if (text === undefined) throw new Error(`notices: ${name} has no licence file`);
    return `${name} ${version} (${license})\n\n${text.trim()}\n`;
  });
  const head = 'Files in this folder contain the following packages.\n';
  writeFileSync(file, [head, ...sections].join(`\n${'-'.repeat(80)}\n\n`));
}
