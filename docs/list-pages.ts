// SPDX-License-Identifier: MIT
// For tests: all pages of the documentation. Pages of methods and of groups are beside the sources; the site build collects them.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

const PROJECT = ['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'];

function listMarkdown(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : listMarkdown(path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

/** Markdown files, relative to the root. */
export function listPages(): string[] {
  return [...PROJECT, ...['docs', 'src', 'examples'].flatMap(listMarkdown)].sort();
}

/** The pages of methods, one per unit of src/methods and per method of decompose. */
export function listMethodPages(): string[] {
  return listMarkdown('src/methods').sort();
}
